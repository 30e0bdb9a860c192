#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "../abc.hpp"
#include "forest_checks.hpp"
#include "statistics.hpp"

using namespace forest_checks;
using bayesvc::AbcPlan;
using bayesvc::AbcSample;
using bayesvc::AbcSampler;
using bayesvc::AbcSettings;
using bayesvc::Control;
using bayesvc::FitResult;
using bayesvc::LinearModel;
using bayesvc::MatrixView;
using bayesvc::SavedForests;

namespace {

using Seed = std::array<std::uint64_t, 4>;

Seed seed_of(std::uint64_t sample) {
  Rng rng = brute_force::rng_of(900 + sample);
  return {rng.bits(), rng.bits(), rng.bits(), rng.bits()};
}

struct Problem {
  Matrix matrix;
  std::vector<double> y;
  Columns columns = matrix.encode(false);
  Matrix filled = matrix;  // for the linear model

  Problem(Kind kind, std::size_t n, bool binary)
      : matrix(matrix_of(kind, n)), y(response(matrix, binary)) {
    for (double& value : filled.x)
      if (std::isnan(value)) value = 0;
    if (!binary)
      for (double& value : y) value = 1000.0 + 50.0 * value;  // units of its own
  }

  MatrixView view() const { return {filled.x.data(), 1, static_cast<std::ptrdiff_t>(filled.n)}; }
  AbcSettings settings(bool binary) const {
    AbcSettings wanted;
    wanted.forest = bushy(columns);
    wanted.forest.response = binary ? "probit" : "gaussian";
    wanted.burn_in = 30;
    wanted.n_train = matrix.n / 2 + 3;
    wanted.lambda_unit = 0.2;
    wanted.design = matrix.layout.groups;
    for (std::size_t ones = 0; binary && ones <= wanted.n_train; ++ones)
      wanted.offsets.push_back(0.01 * static_cast<double>(ones) - 0.2);
    return wanted;
  }
  AbcSampler sampler(const AbcSettings& settings) const {
    return AbcSampler(columns, view(), y.data(), settings);
  }
  // Some rows of some variables of the matrix, or of the filled one, as a matrix of its own.
  Matrix part(const Matrix& all, const std::vector<std::uint32_t>& rows,
              const std::vector<std::uint32_t>& variables) const {
    Matrix out{rows.size()};
    const bayesvc::Layout& layout = all.layout;
    for (const std::uint32_t variable : variables) {
      std::vector<std::uint32_t> group;
      const auto members = layout.groups.empty() ? std::vector{variable} : layout.groups[variable];
      for (const std::uint32_t j : members) {
        group.push_back(static_cast<std::uint32_t>(out.p()));
        if (!layout.n_categories.empty()) out.layout.n_categories.push_back(layout.n_categories[j]);
        for (const std::uint32_t i : rows) out.x.push_back(all.at(i, j));
      }
      out.layout.groups.push_back(group);
    }
    return out;
  }
};

AbcSample drawn(const AbcSampler& sampler, std::uint64_t sample) {
  Control control;
  AbcSample out = sampler.sample(seed_of(sample), control);
  CHECK(control.sweeps_done == sampler.settings().burn_in + 1);
  return out;
}

std::vector<double> chosen(const std::vector<double>& y, const std::vector<std::uint32_t>& rows) {
  std::vector<double> out;
  for (const std::uint32_t i : rows) out.push_back(y[i]);
  return out;
}

void check_plan(const AbcPlan& plan, std::size_t n, std::size_t p, std::size_t n_train) {
  CHECK(plan.train.size() == n_train && plan.train.size() + plan.held_out.size() == n);
  std::set<std::uint32_t> rows(plan.train.begin(), plan.train.end());
  rows.insert(plan.held_out.begin(), plan.held_out.end());
  CHECK(rows.size() == n && *rows.rbegin() == n - 1);
  CHECK(std::is_sorted(plan.train.begin(), plan.train.end()));
  CHECK(std::is_sorted(plan.held_out.begin(), plan.held_out.end()));
  CHECK(std::is_sorted(plan.subset.begin(), plan.subset.end()));
  CHECK(std::set(plan.subset.begin(), plan.subset.end()).size() == plan.subset.size());
  CHECK(plan.subset.empty() || plan.subset.back() < p);
}

void check_discrepancy(const AbcSample& sample, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < sample.pseudo_y.size(); ++i) {
    const double difference = y[sample.plan.held_out[i]] - sample.pseudo_y[i];
    sum += difference * difference;
  }
  CHECK(sample.pseudo_y.size() == sample.plan.held_out.size());
  CHECK_NEAR(sample.discrepancy, std::sqrt(sum), 1e-9 * std::sqrt(sum));
}

// The forest of a sample again, from the raw data of its rows and variables alone.
struct Twin {
  double low = 0, range = 1, sigma = 0;
  ForestSettings settings;
  std::vector<double> f;  // at the held-out rows
  std::vector<double> vc;
};

Twin twin_of(const Problem& problem, const AbcSettings& abc, const AbcPlan& plan) {
  Twin twin;
  twin.settings = abc.forest;
  twin.settings.weights.assign(plan.subset.size(), 1.0);
  const Matrix train = problem.part(problem.matrix, plan.train, plan.subset);
  const Matrix held_out = problem.part(problem.matrix, plan.held_out, plan.subset);
  std::vector<double> y = chosen(problem.y, plan.train);
  if (abc.forest.response == "probit") {
    const auto ones = static_cast<std::size_t>(std::count(y.begin(), y.end(), 1.0));
    twin.settings.offset = abc.offsets[ones];
  } else {
    twin.low = *std::min_element(y.begin(), y.end());
    twin.range = *std::max_element(y.begin(), y.end()) - twin.low;
    for (double& value : y) value = (value - twin.low) / twin.range - 0.5;
    const Matrix design = problem.part(problem.filled, plan.train, plan.subset);
    const auto stride = static_cast<std::ptrdiff_t>(design.n);
    const LinearModel model(bayesvc::one_block({design.x.data(), 1, stride}, design.p()), design.n);
    const double freedom = static_cast<double>(train.n - model.rank() - 1);
    twin.settings.lambda = model.residual_ss(y.data()) / freedom * abc.lambda_unit;
  }
  const Columns columns = train.encode();
  Control control;
  const FitResult fit = bayesvc::run_fit(columns, y.data(), twin.settings, plan.seed,
                                         {abc.burn_in, 1, false, false, true}, control);
  twin.f.resize(held_out.n);
  fit.forests->predict(held_out.x.data(), held_out.n, 1, static_cast<std::ptrdiff_t>(held_out.n), 1,
                       twin.f.data());
  twin.vc = fit.tallies.vc;
  twin.sigma = fit.sigma[0];
  return twin;
}

void check_same(const AbcSample& a, const AbcSample& b) {
  CHECK(a.plan.subset == b.plan.subset && a.plan.train == b.plan.train);
  CHECK(a.pseudo_y == b.pseudo_y && a.discrepancy == b.discrepancy);
  CHECK(a.fit.tallies.vc == b.fit.tallies.vc && a.fit.tallies.mi == b.fit.tallies.mi);
  CHECK(a.fit.sigma == b.fit.sigma && a.fit.n_splits == b.fit.n_splits);
}

}  // namespace

// A wrong prediction, calibration or scale would show in the noise: it must be standard normal
// (false alarm: once in 10 million) around the predictions of an independent fit.
TEST(abc_simulates_from_a_forest_of_its_rows_and_variables) {
  for (const Kind kind : {Kind::untied, Kind::binary, Kind::mixed, Kind::messy}) {
    const Problem problem(kind, 90, false);
    const AbcSettings settings = problem.settings(false);
    const AbcSampler sampler = problem.sampler(settings);
    std::vector<double> noise;
    for (std::uint64_t s = 1; s <= 40; ++s) {
      const AbcSample sample = drawn(sampler, s);
      check_plan(sample.plan, 90, problem.columns.p(), settings.n_train);
      check_discrepancy(sample, problem.y);
      if (sample.plan.subset.empty()) continue;
      const Twin twin = twin_of(problem, settings, sample.plan);
      CHECK(sample.fit.tallies.vc == twin.vc);
      CHECK_NEAR(sample.fit.sigma[0], twin.sigma * twin.range, 1e-9 * twin.range);
      for (std::size_t i = 0; i < twin.f.size(); ++i) {
        const double scaled = (sample.pseudo_y[i] - twin.low) / twin.range - 0.5;
        noise.push_back((scaled - twin.f[i]) / twin.sigma);
      }
    }
    CHECK(noise.size() > 1000);
    CHECK(statistics::ks_distance(noise, statistics::normal_cdf) < statistics::ks_limit);
  }
}

// False alarm: once in 1.7 million for each kind.
TEST(abc_simulates_classes_with_the_probit_probabilities) {
  for (const Kind kind : {Kind::untied, Kind::binary, Kind::mixed, Kind::messy}) {
    const Problem problem(kind, 90, true);
    const AbcSettings settings = problem.settings(true);
    const AbcSampler sampler = problem.sampler(settings);
    double excess = 0, variance = 0;
    for (std::uint64_t s = 1; s <= 40; ++s) {
      const AbcSample sample = drawn(sampler, s);
      check_discrepancy(sample, problem.y);
      CHECK(sample.fit.sigma[0] == 1.0);
      if (sample.plan.subset.empty()) continue;
      const Twin twin = twin_of(problem, settings, sample.plan);
      CHECK(sample.fit.tallies.vc == twin.vc);
      for (std::size_t i = 0; i < twin.f.size(); ++i) {
        const double probability = statistics::normal_cdf(twin.settings.offset + twin.f[i]);
        CHECK(sample.pseudo_y[i] == 0 || sample.pseudo_y[i] == 1);
        // weighted by f, so that a mix-up of rows shows too
        excess += twin.f[i] * (sample.pseudo_y[i] - probability);
        variance += twin.f[i] * twin.f[i] * probability * (1 - probability);
      }
    }
    CHECK(std::fabs(excess) < statistics::z_limit * std::sqrt(variance));
  }
}

TEST(abc_without_variables_gives_stumps) {
  for (const bool binary : {false, true}) {
    const Problem problem(Kind::mixed, 60, binary);
    AbcSettings settings = problem.settings(binary);
    settings.b0 = 1e9;
    const AbcSampler sampler = problem.sampler(settings);
    for (std::uint64_t s = 1; s <= 5; ++s) {
      const AbcSample sample = drawn(sampler, s);
      CHECK(sample.plan.subset.empty());
      CHECK(sample.fit.n_splits[0] == 0 && sample.fit.tallies.depth_sum() == 0);
      CHECK(sample.fit.tallies.vc.empty());
      CHECK(std::isfinite(sample.discrepancy) && sample.fit.sigma[0] > 0);
      check_discrepancy(sample, problem.y);
    }
  }
}

TEST(abc_leaves_variables_of_weight_zero_alone) {
  const Problem problem(Kind::mixed, 60, false);
  AbcSettings settings = problem.settings(false);
  settings.b0 = 1e-9;  // all variables
  settings.forest.weights.assign(problem.columns.p(), 0.0);
  settings.forest.weights[3] = 1.0;
  const AbcSample sample = drawn(problem.sampler(settings), 1);
  CHECK(sample.plan.subset.size() == problem.columns.p());
  CHECK(sample.fit.n_splits[0] > 0 && sample.fit.tallies.vip[3] == 1.0);
}

TEST(abc_of_constant_training_rows) {
  Problem problem(Kind::mixed, 40, false);
  std::fill(problem.y.begin(), problem.y.end(), 2.5);
  problem.y[7] = 100.0;
  AbcSettings settings = problem.settings(false);
  int n_constant = 0;
  for (std::uint64_t s = 1; s <= 20; ++s) {
    const AbcSample sample = drawn(problem.sampler(settings), s);
    check_discrepancy(sample, problem.y);
    const auto& held_out = sample.plan.held_out;
    if (!std::binary_search(held_out.begin(), held_out.end(), 7u)) continue;
    ++n_constant;
    CHECK(sample.fit.n_splits[0] == 0 && sample.fit.sigma[0] == 0);
    CHECK(sample.discrepancy == 97.5);
    settings.forest.sigma = 1.5;
    const AbcSample noisy = drawn(problem.sampler(settings), s);
    CHECK(noisy.fit.sigma[0] == 1.5 && noisy.discrepancy != 97.5);
    settings.forest.sigma = std::numeric_limits<double>::quiet_NaN();
  }
  CHECK(n_constant > 0);
}

TEST(abc_with_sigma_or_its_guess_given) {
  const Problem problem(Kind::untied, 60, false);
  AbcSettings settings = problem.settings(false);
  settings.forest.sigma = 0.75;
  CHECK_NEAR(drawn(problem.sampler(settings), 2).fit.sigma[0], 0.75, 1e-12);
  settings = problem.settings(false);
  settings.forest.nu = 1e9;  // a prior that fixes sigma at its scale
  settings.sigma_hat = 0.75;
  settings.lambda_unit = 1.0;
  CHECK_NEAR(drawn(problem.sampler(settings), 2).fit.sigma[0], 0.75, 1e-3);
}

TEST(abc_of_huge_and_tiny_responses) {
  for (const double unit : {1e-150, 1e150}) {
    Problem problem(Kind::untied, 60, false);
    const AbcSample plain = drawn(problem.sampler(problem.settings(false)), 3);
    for (double& value : problem.y) value *= unit;
    const AbcSample sample = drawn(problem.sampler(problem.settings(false)), 3);
    CHECK_NEAR(sample.discrepancy / unit, plain.discrepancy, 1e-6 * plain.discrepancy);
  }
}

TEST(abc_is_the_same_with_all_kernels) {
  for (const Kind kind : {Kind::untied, Kind::binary, Kind::mixed, Kind::messy}) {
    for (const bool binary : {false, true}) {
      const Problem problem(kind, 133, binary);
      AbcSettings plain = problem.settings(binary), other = plain;
      plain.forest.kernel = "plain";
      for (const bayesvc::Kernels* kernels : bayesvc::available_kernels()) {
        other.forest.kernel = kernels->name;
        for (std::uint64_t s = 1; s <= 5; ++s)
          check_same(drawn(problem.sampler(plain), s), drawn(problem.sampler(other), s));
      }
    }
  }
}

// Threads share the sampler and the control.
TEST(abc_samples_on_threads_are_the_samples_one_by_one) {
  const Problem problem(Kind::messy, 70, false);
  const AbcSampler sampler = problem.sampler(problem.settings(false));
  std::vector<AbcSample> together(4, drawn(sampler, 9));
  Control control;
  std::vector<std::thread> threads;
  for (std::size_t s = 0; s < together.size(); ++s)
    threads.emplace_back([&, s] { together[s] = sampler.sample(seed_of(s), control); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t s = 0; s < together.size(); ++s) check_same(drawn(sampler, s), together[s]);
}

TEST(abc_stops_when_cancelled) {
  const Problem problem(Kind::untied, 60, false);
  Control control;
  control.cancelled = true;
  bool stopped = false;
  try {
    problem.sampler(problem.settings(false)).sample(seed_of(1), control);
  } catch (const bayesvc::Cancelled&) {
    stopped = true;
  }
  CHECK(stopped && control.sweeps_done == 0);
}
