#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "../fit.hpp"
#include "forest_checks.hpp"

using namespace forest_checks;
using bayesvc::ChainConfig;
using bayesvc::Control;
using bayesvc::FitResult;
using bayesvc::SavedForests;

namespace {

constexpr std::array<std::uint64_t, 4> seed = {11, 12, 13, 14};
constexpr std::string_view priors[] = {"fixed", "explicit", "collapsed"};

struct Problem {
  Kind kind = Kind::mixed;
  Matrix matrix = matrix_of(kind, 90);
  Columns columns = matrix.encode();
  std::vector<double> y = response(matrix, false);

  ForestSettings settings(std::string_view prior) const {
    ForestSettings wanted = bushy(columns);
    wanted.beta = 1.5;
    wanted.splitting = prior;
    return wanted;
  }
  FitResult run(std::string_view prior, const ChainConfig& config) const {
    Control control;
    FitResult fit = bayesvc::run_fit(columns, y.data(), settings(prior), seed, config, control);
    CHECK(control.sweeps_done == config.burn_in + config.n_draws);
    return fit;
  }
  // The chain that the fit follows.
  Forest twin(std::string_view prior) const {
    return Forest(columns, y.data(), settings(prior), seed);
  }
};

void burn_in(Forest& forest, const ChainConfig& config) {
  forest.splitting().set_learning(config.burn_in == 0);
  for (std::size_t k = 0; k < config.burn_in; ++k) {
    if (k == config.burn_in / 2) forest.splitting().set_learning(true);
    forest.sweep();
  }
}

void check_all_near(const std::vector<double>& a, const std::vector<double>& b) {
  CHECK(a.size() == b.size());
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    CHECK_NEAR(a[k], b[k], 1e-12 * (1 + std::fabs(b[k])));
}

// The tallies of counts, from the counts themselves.
void check_tallies(const FitResult& fit, std::size_t p, std::size_t n_draws) {
  std::vector<double> vc(p), vip(p), mpvip(p), of_sums(p), sums(2 * p), squares(2 * p), batches(p);
  const auto batch_size = static_cast<std::size_t>(std::sqrt(n_draws));
  const double draws = static_cast<double>(n_draws);
  CHECK(fit.tallies.batch_size() == batch_size);
  CHECK(fit.tallies.n_batches() == (n_draws + batch_size - 1) / batch_size);
  double all = 0;
  for (std::size_t k = 0; k < n_draws; ++k) {
    double total = 0;
    for (std::size_t j = 0; j < p; ++j) total += fit.counts[k * p + j];
    CHECK(total == fit.n_splits[k]);
    all += total;
    for (std::size_t j = 0; j < p; ++j) {
      const double c = fit.counts[k * p + j];
      vc[j] += c / draws;
      vip[j] += total > 0 ? c / total / draws : 0;
      mpvip[j] += c > 0 ? 1 / draws : 0;
      of_sums[j] += c;
      const std::size_t at = (2 * k < n_draws ? 0 : p) + j;
      sums[at] += c;
      squares[at] += c * c;
    }
  }
  for (std::size_t first = 0; first < n_draws; first += batch_size) {
    const std::size_t length = std::min(batch_size, n_draws - first);
    for (std::size_t j = 0; j < p; ++j) {
      double total = 0;
      for (std::size_t k = first; k < first + length; ++k) total += fit.counts[k * p + j];
      batches[j] += total * total * static_cast<double>(batch_size) / static_cast<double>(length);
    }
  }
  for (double& sum : of_sums) sum = all > 0 ? sum / all : 0;
  check_all_near(fit.tallies.vc, vc);
  check_all_near(fit.tallies.vip, vip);
  check_all_near(fit.tallies.mpvip, mpvip);
  check_all_near(fit.tallies.vip_of_sums, of_sums);
  check_all_near(fit.tallies.half_sums, sums);
  check_all_near(fit.tallies.half_squares, squares);
  check_all_near(fit.tallies.batch_squares, batches);
}

// One draw's share of Metropolis importance, from the trees.
void add_importance(const Forest& forest, std::vector<double>& mi, double draws) {
  std::vector<double> sum(forest.p()), number(forest.p());
  double total = 0;
  for (const AssignedTree& assigned : forest.trees()) {
    for (const Node& node : assigned.tree.nodes()) {
      if (node.is_leaf()) continue;
      sum[node.rule.variable] += node.birth_ratio;
      number[node.rule.variable] += 1;
    }
  }
  for (std::size_t j = 0; j < sum.size(); ++j) total += number[j] > 0 ? sum[j] / number[j] : 0;
  for (std::size_t j = 0; j < sum.size(); ++j)
    mi[j] += number[j] > 0 && total > 0 ? sum[j] / number[j] / total / draws : 0;
}

}  // namespace

TEST(tallies_agree_with_kept_counts) {
  const Problem problem;
  for (const std::string_view prior : priors) {
    for (const std::size_t n_draws : {1u, 2u, 3u, 50u, 101u}) {
      ChainConfig config{30, n_draws, true, true, false};
      const FitResult fit = problem.run(prior, config);
      CHECK(fit.sigma.size() == n_draws && fit.alpha.size() == n_draws);
      CHECK(!fit.forests.has_value());
      check_tallies(fit, problem.columns.p(), n_draws);
      for (const double alpha : fit.alpha) CHECK(std::isnan(alpha) == (prior == "fixed"));
      for (std::size_t k = 0; k < n_draws; ++k) {
        double total = 0;
        for (std::size_t j = 0; j < problem.columns.p(); ++j)
          total += static_cast<double>(fit.s[k * problem.columns.p() + j]);
        CHECK_NEAR(total, 1.0, 1e-5);
      }
    }
  }
}

TEST(fitted_values_are_means_over_the_draws) {
  for (const std::string_view prior : priors) {
    const Problem problem{prior == "fixed" ? Kind::mixed : Kind::messy};
    const FitResult fit = problem.run(prior, {20, 7, false, false, true, true});
    std::vector<double> draws(7 * problem.matrix.n);
    fit.forests->predict(problem.matrix.x.data(), problem.matrix.n, 1,
                         static_cast<std::ptrdiff_t>(problem.matrix.n), 1, draws.data());
    for (std::size_t i = 0; i < problem.matrix.n; ++i) {
      double mean = 0;
      for (std::size_t k = 0; k < 7; ++k) mean += draws[k * problem.matrix.n + i] / 7;
      CHECK_NEAR(fit.fitted[i], mean, 1e-5);  // the residuals are 32 bits wide
    }
  }
}

// Threads share the columns and the control, nothing else.
TEST(fits_on_threads_are_the_fits_one_by_one) {
  const Problem problem{Kind::messy};
  const ChainConfig config{30, 40, true, true, true};
  std::vector<FitResult> together(4, problem.run("fixed", {0, 1}));
  Control control;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < together.size(); ++t)
    threads.emplace_back([&, t] {
      together[t] = bayesvc::run_fit(problem.columns, problem.y.data(),
                                     problem.settings(priors[t % 3]), seed, config, control);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < together.size(); ++t) {
    const FitResult alone = problem.run(priors[t % 3], config);
    CHECK(alone.sigma == together[t].sigma && alone.counts == together[t].counts);
    CHECK(alone.s == together[t].s && alone.forests->value == together[t].forests->value);
  }
}

// A fit is its chain, neither more nor less: what is kept on the side draws nothing from it.
TEST(fits_follow_their_chain) {
  const Problem problem;
  for (const std::string_view prior : priors) {
    const ChainConfig config{21, 60, true, true, true};
    const FitResult fit = problem.run(prior, config);
    Forest forest = problem.twin(prior);
    burn_in(forest, config);
    const bayesvc::MoveCounts before = forest.move_counts();
    std::vector<double> mi(problem.columns.p(), 0.0);
    double depth = 0;
    std::vector<double> predicted(config.n_draws * problem.matrix.n);
    fit.forests->check(problem.columns.p());
    CHECK(fit.forests->n_draws() == config.n_draws);
    fit.forests->predict(problem.matrix.x.data(), problem.matrix.n, 1,
                         static_cast<std::ptrdiff_t>(problem.matrix.n), 3, predicted.data());
    for (std::size_t k = 0; k < config.n_draws; ++k) {
      forest.sweep();
      CHECK(fit.sigma[k] == forest.sigma());
      for (std::uint32_t j = 0; j < problem.columns.p(); ++j)
        CHECK(fit.counts[k * problem.columns.p() + j] == forest.splitting().counts().count(j));
      add_importance(forest, mi, static_cast<double>(config.n_draws));
      for (const AssignedTree& assigned : forest.trees()) depth += assigned.tree.depth();
      for (std::size_t i = 0; i < problem.matrix.n; ++i)
        CHECK_NEAR(predicted[k * problem.matrix.n + i], forest.fitted(i), 1e-12);
    }
    check_all_near(fit.tallies.mi, mi);
    CHECK(fit.tallies.depth_sum() == depth);
    for (std::size_t move = 0; move < bayesvc::n_moves; ++move) {
      CHECK(fit.proposed[move] == forest.move_counts().proposed[move] - before.proposed[move]);
      CHECK(fit.accepted[move] == forest.move_counts().accepted[move] - before.accepted[move]);
    }
  }
}

TEST(prediction_reads_any_layout_on_any_number_of_threads) {
  const Problem problem;
  const FitResult fit = problem.run("fixed", {50, 9, false, false, true});
  const std::size_t n = problem.matrix.n, p = problem.columns.p();
  std::vector<double> rows(n * p), expected(9 * n), found(9 * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < p; ++j) rows[i * p + j] = problem.matrix.at(i, j);
  const auto stride = static_cast<std::ptrdiff_t>(n);
  fit.forests->predict(problem.matrix.x.data(), n, 1, stride, 1, expected.data());
  for (const std::size_t n_threads : {0u, 1u, 2u, 4u, 40u}) {
    std::fill(found.begin(), found.end(), NAN);
    fit.forests->predict(rows.data(), n, static_cast<std::ptrdiff_t>(p), 1, n_threads,
                         found.data());
    CHECK(found == expected);
  }
}

TEST(trees_with_and_without_a_variable_add_up) {
  const Problem problem;
  const FitResult fit = problem.run("fixed", {50, 9, false, false, true});
  const std::size_t n = problem.matrix.n;
  const auto sums = [&](const std::vector<char>& wanted) {
    std::vector<double> out(9 * n, NAN);
    fit.forests->predict(problem.matrix.x.data(), n, 1, static_cast<std::ptrdiff_t>(n), 2,
                         out.data(), wanted);
    return out;
  };
  std::vector<char> with = fit.forests->split_on_any({0, 2}), without = with;
  for (char& flag : without) flag = !flag;
  CHECK(std::count(with.begin(), with.end(), 1) > 0);
  CHECK(std::count(without.begin(), without.end(), 1) > 0);
  const auto all = sums({}), one = sums(with), other = sums(without);
  for (std::size_t i = 0; i < all.size(); ++i) CHECK_NEAR(one[i] + other[i], all[i], 1e-12);
}

TEST(cancelled_fits_stop) {
  const Problem problem;
  Control control;
  control.cancelled = true;
  bool stopped = false;
  try {
    bayesvc::run_fit(problem.columns, problem.y.data(), problem.settings("fixed"), seed,
                     {1000000000, 1, false, false, false}, control);
  } catch (const bayesvc::Cancelled&) {
    stopped = true;
  }
  CHECK(stopped && control.sweeps_done == 0);
}

TEST(damaged_forests_are_refused) {
  const Problem problem;
  const std::size_t p = problem.columns.p();
  const SavedForests sound = *problem.run("fixed", {80, 3, false, false, true}).forests;
  const auto refused = [p](const SavedForests& forests) {
    try {
      forests.check(p);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  CHECK(!refused(sound));
  const std::size_t size = sound.variable.size();
  std::vector<SavedForests> damaged;
  const auto damage = [&](auto&& change) { change(damaged.emplace_back(sound)); };
  damage([](SavedForests& f) { f.variable.pop_back(); });
  damage([](SavedForests& f) { f.right.pop_back(); });
  damage([](SavedForests& f) { f.value.pop_back(); });
  damage([](SavedForests& f) { f.n_trees = 0; });
  damage([](SavedForests& f) { f.n_trees = 4; });  // does not divide the number of trees
  damage([](SavedForests& f) { std::swap(f.tree_start[0], f.tree_start[1]); });
  damage([](SavedForests& f) { f.tree_start.back() = f.variable.size(); });
  damage([](SavedForests& f) { f.tree_start.back() = ~std::uint64_t{0}; });
  damage([](SavedForests& f) { f.tree_start[1] += 1; });
  damage([&](SavedForests& f) {  // the last node of all goes
    for (auto* array : {&f.variable, &f.right}) array->pop_back();
    f.value.pop_back();
  });
  for (std::size_t k = 0; k < size; ++k) {
    if (sound.variable[k] < 0) {
      damage([&](SavedForests& f) { f.variable[k] = 0; });
      continue;
    }
    damage([&](SavedForests& f) { f.variable[k] = -1; });
    damage([&](SavedForests& f) { f.variable[k] = static_cast<std::int32_t>(p); });
    for (const std::int32_t off : {-1000000, -1, 1, 1000000})
      damage([&](SavedForests& f) { f.right[k] += off; });
  }
  std::size_t accepted = 0;
  for (const SavedForests& forests : damaged) accepted += !refused(forests);
  CHECK(accepted == 0);
}

// One row goes right at each split: deeper than calls could be nested.
TEST(kept_trees_of_any_depth_predict) {
  constexpr std::int32_t depth = 200000;
  SavedForests forests;
  forests.n_trees = 1;
  forests.tree_start = {0};
  for (std::int32_t k = 0; k < depth; ++k) {
    for (const std::int32_t leaf : {0, 1}) {
      forests.variable.push_back(leaf ? -1 : 0);
      forests.right.push_back(leaf ? 0 : 2);
      forests.value.push_back(k);
    }
  }
  forests.variable.push_back(-1);
  forests.right.push_back(0);
  forests.value.push_back(depth);
  forests.check(1);
  const std::vector<double> x{-1.0, 0.5, 3.0, depth - 1.5, depth + 5.0};
  std::vector<double> out(x.size());
  forests.predict(x.data(), x.size(), 1, 1, 1, out.data());
  CHECK(out == std::vector<double>({0.0, 1.0, 3.0, depth - 1.0, double(depth)}));
}

TEST(what_is_no_category_goes_right) {
  SavedForests forests;
  forests.n_trees = 1;
  forests.tree_start = {0};
  forests.variable = {0, -1, -1};
  forests.right = {2, 0, 0};
  forests.value = {0, 1, 2};
  forests.subset = {~std::uint64_t{1}, 0, 0};  // all categories but the first go left
  const std::vector<double> x{0, 1, 63, 64, 1e300, -1, NAN, INFINITY, -INFINITY};
  std::vector<double> out(x.size());
  forests.predict(x.data(), x.size(), 1, 1, 1, out.data());
  CHECK(out == std::vector<double>({2, 1, 1, 2, 2, 2, 2, 2, 2}));
}
