// Seeds are fixed. Scores are held against z_limit of statistics.hpp: a fresh seed would raise a
// false alarm about once in 1.7 million scores (a few in a million where the variance is
// estimated); some 100 are taken here.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../splitting/collapsed_dirichlet.hpp"
#include "../splitting/explicit_dirichlet.hpp"
#include "../splitting/fixed.hpp"
#include "brute_force.hpp"
#include "check.hpp"
#include "statistics.hpp"

using bayesvc::CollapsedDirichlet;
using bayesvc::Columns;
using bayesvc::DirichletSettings;
using bayesvc::Eligibility;
using bayesvc::ExplicitDirichlet;
using bayesvc::FixedSplitting;
using bayesvc::Ghost;
using bayesvc::LeafId;
using bayesvc::make_splitting_prior;
using bayesvc::Rng;
using bayesvc::RowSet;
using bayesvc::SplittingPrior;
using brute_force::Matrix;
using brute_force::rng_of;

namespace {

// Columns `ineligible` are constant in the node that holds the first 20 of 60 rows.
struct Scene {
  std::vector<double> weights;
  std::vector<std::uint32_t> eligible, ineligible;
  Columns columns;
  Eligibility eligibility;
  std::vector<LeafId> ids;

  Scene(const std::vector<double>& w, const std::vector<std::uint32_t>& constant)
      : weights(w),
        ineligible(constant),
        columns(matrix(w.size(), constant)),
        eligibility(columns, bayesvc::kernels_named("auto"), weights, 1),
        ids(60, 0) {
    std::fill(ids.begin(), ids.begin() + 20, LeafId{1});
    for (std::uint32_t j = 0; j < w.size(); ++j)
      if (w[j] > 0 && !is_constant(j)) eligible.push_back(j);
  }
  bool is_constant(std::uint32_t j) const {
    return std::find(ineligible.begin(), ineligible.end(), j) != ineligible.end();
  }
  RowSet node() const { return {ids.data(), 1, 1, 20}; }
  RowSet root() const { return {ids.data(), 0, 1, 60}; }
  double total_weight() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }

 private:
  static Columns matrix(std::size_t p, const std::vector<std::uint32_t>& constant) {
    Rng rng = rng_of(40);
    Matrix m{60};
    for (std::uint32_t j = 0; j < p; ++j) {
      if (std::find(constant.begin(), constant.end(), j) == constant.end())
        m.add_tied(rng, 2 + j % 7);
      else
        m.add_indicator(20);
    }
    return m.encode();
  }
};

std::vector<std::uint32_t> range(std::uint32_t begin, std::uint32_t end) {
  std::vector<std::uint32_t> numbers(end - begin);
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

void check_z(double z) { CHECK_NEAR(z, 0.0, statistics::z_limit); }

// Relative frequencies of the variables drawn against weights; zero-weight ones must not come.
void check_variables(const SplittingPrior& splitting, const RowSet& rows,
                     std::vector<double> weights, int n_draws, Rng& rng) {
  std::vector<double> counts(weights.size(), 0.0), kept, probability;
  std::vector<Ghost> ghosts;
  for (int k = 0; k < n_draws; ++k) counts[splitting.draw(rows, rng, ghosts)] += 1;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) {
      CHECK(counts[j] == 0);
      continue;
    }
    kept.push_back(counts[j]);
    probability.push_back(weights[j] / total);
  }
  if (kept.size() > 1) check_z(statistics::z_of_counts(kept, probability));
}

std::vector<double> at_node(const Scene& scene, std::vector<double> weights) {
  for (const std::uint32_t j : scene.ineligible) weights[j] = 0;
  return weights;
}

CollapsedDirichlet collapsed(const Scene& scene, double alpha) {
  DirichletSettings settings;
  settings.alpha = alpha;
  return CollapsedDirichlet(scene.weights, settings, scene.eligibility);
}

// alpha times the prior weight, plus the count, of every variable.
std::vector<double> urn(const Scene& scene, const SplittingPrior& splitting, double alpha) {
  std::vector<double> weights = scene.weights;
  for (std::uint32_t j = 0; j < weights.size(); ++j)
    weights[j] = alpha * weights[j] / scene.total_weight() + splitting.counts().count(j);
  return weights;
}

double total_of(const std::vector<double>& weights, const std::vector<std::uint32_t>& members) {
  double total = 0;
  for (const std::uint32_t j : members) total += weights[j];
  return total;
}

double total_count(const std::vector<Ghost>& ghosts) {
  double total = 0;
  for (const Ghost& ghost : ghosts) total += ghost.count.value();
  return total;
}

}  // namespace

TEST(fixed_weights_are_followed) {
  Rng rng = rng_of(41);
  for (const std::vector<double>& weights :
       {std::vector<double>{1, 1, 1, 1, 1, 1}, {5, 1, 0, 3, 0.5, 2}, {0, 0, 7, 0, 0, 1}}) {
    const Scene scene(weights, {1, 4});
    const FixedSplitting splitting(weights, {}, scene.eligibility);
    check_variables(splitting, scene.root(), weights, 40000, rng);
    check_variables(splitting, scene.node(), at_node(scene, weights), 40000, rng);
  }
}

// Rejection gives up where the eligible variables have next to no weight.
TEST(eligible_variables_of_tiny_weight_are_found) {
  Rng rng = rng_of(42);
  for (const double tiny : {1e-3, 1e-9, 1e-200}) {
    const std::vector<double> weights = {1, 3 * tiny, 1, tiny, 6 * tiny};
    const Scene scene(weights, {0, 2});
    const FixedSplitting splitting(weights, {}, scene.eligibility);
    check_variables(splitting, scene.node(), at_node(scene, weights), 4000, rng);
  }
}

TEST(the_urn_counts_splits) {
  Rng rng = rng_of(43);
  for (const std::vector<double>& weights :
       {std::vector<double>(8, 1.0), std::vector<double>{5, 1, 0, 3, 0.5, 2, 1, 1}}) {
    const Scene scene(weights, {});
    for (const double alpha : {0.01, 1.0, 30.0}) {
      CollapsedDirichlet splitting = collapsed(scene, alpha);
      check_variables(splitting, scene.root(), urn(scene, splitting, alpha), 20000, rng);
      for (const std::uint32_t j : {0u, 5u, 5u, 3u, 5u, 3u}) splitting.counts().add(j);
      splitting.counts().remove(0);
      CHECK(splitting.counts().count(5) == 3 && splitting.counts().count(0) == 0 &&
            splitting.counts().n_splits() == 5);
      CHECK(splitting.counts().used().size() == 2);
      check_variables(splitting, scene.root(), urn(scene, splitting, alpha), 20000, rng);
      splitting.set_learning(false);
      check_variables(splitting, scene.root(), weights, 20000, rng);
    }
  }
}

// The first eligible ball of Polya's urn is j with probability w_j over the eligible weight,
// however many ineligible balls come before: nothing eligible is added on the way.
TEST(rules_with_ghosts_have_their_exact_marginal) {
  Rng rng = rng_of(44);
  for (const bool uniform : {true, false}) {
    std::vector<double> weights(30, 1.0);
    if (!uniform)
      for (std::size_t j = 0; j < 30; ++j) weights[j] = 0.2 + static_cast<double>(j % 5);
    for (const std::uint32_t n_eligible : {2u, 5u, 25u}) {
      const Scene scene(weights, range(n_eligible, 30));
      for (const double alpha : {0.1, 3.0, 200.0}) {
        for (const bool counted : {false, true}) {
          CollapsedDirichlet splitting = collapsed(scene, alpha);
          if (counted)
            for (const std::uint32_t j : {0u, 1u, 1u, 28u, 28u, 28u, 28u, 29u})
              splitting.counts().add(j);
          check_variables(splitting, scene.node(), at_node(scene, urn(scene, splitting, alpha)),
                          4000, rng);
        }
      }
    }
  }
}

// With eligible weight E and ineligible weight I the number of ghosts given theta ~ Beta(E, I) is
// geometric: mean I / (E - 1), and I_j / (E - 1) of variable j.
TEST(ghosts_have_their_exact_mean) {
  Rng rng = rng_of(45);
  for (const double alpha : {36.0, 400.0}) {
    for (const std::uint32_t n_eligible : {10u, 25u}) {
      std::vector<double> prior(30, 1.0);  // or little of it eligible: long sequences
      if (alpha > 100 && n_eligible == 10) std::fill(prior.begin(), prior.begin() + 10, 0.05);
      const Scene scene(prior, range(n_eligible, 30));
      CollapsedDirichlet splitting = collapsed(scene, alpha);
      for (const std::uint32_t j : {0u, 1u, 29u, 29u, 29u, 28u}) splitting.counts().add(j);
      const auto weights = urn(scene, splitting, alpha);
      const double e = total_of(weights, scene.eligible), i = total_of(weights, scene.ineligible);
      CHECK(e > 8);  // moments enough for the normal limit
      std::vector<double> lengths, of_last, of_fresh;
      double none = 0;
      for (int k = 0; k < 10000; ++k) {
        std::vector<Ghost> ghosts;
        splitting.draw(scene.node(), rng, ghosts);
        lengths.push_back(total_count(ghosts));
        none += ghosts.empty();
        double last = 0, fresh = 0;
        for (const Ghost& ghost : ghosts) {
          const double count = ghost.count.value();
          CHECK(scene.is_constant(ghost.variable) && count >= 1 && count == std::floor(count));
          last += ghost.variable == 29 ? count : 0;
          fresh += ghost.variable == 27 ? count : 0;
        }
        of_last.push_back(last);
        of_fresh.push_back(fresh);
      }
      const auto variance = [e](double b) {
        return e * b * (e + b - 1) / ((e - 2) * (e - 1) * (e - 1));
      };
      check_z(statistics::z_of_mean(lengths, i / (e - 1), variance(i)));
      // Sequences without the other ineligible variables form an urn of their own.
      check_z(statistics::z_of_mean(of_last, weights[29] / (e - 1), variance(weights[29])));
      check_z(statistics::z_of_mean(of_fresh, weights[27] / (e - 1), variance(weights[27])));
      check_z(statistics::z_of_counts({none, 10000 - none}, {e / (e + i), i / (e + i)}));
    }
  }
}

// All splits are on one column, alpha is small: the number of ghosts has no mean.
// P(at least k) = B(E, I + k) / B(E, I).
TEST(ghosts_without_a_mean_have_the_right_tail) {
  Rng rng = rng_of(46);
  for (const double alpha : {0.001, 0.1, 1.0}) {
    // With more ineligible variables the long sequences come in several parts.
    for (const auto& ineligible : {range(7, 8), range(5, 40)}) {
      const Scene scene(std::vector<double>(50, 1.0), ineligible);
      CollapsedDirichlet splitting = collapsed(scene, alpha);
      for (int k = 0; k < 20; ++k) splitting.counts().add(7);
      const auto weights = urn(scene, splitting, alpha);
      const double e = total_of(weights, scene.eligible), i = total_of(weights, ineligible);
      std::vector<double> log_lengths;
      for (int k = 0; k < 10000; ++k) {
        std::vector<Ghost> ghosts;
        splitting.draw(scene.node(), rng, ghosts);
        for (const Ghost& ghost : ghosts) CHECK(scene.is_constant(ghost.variable));
        bayesvc::LogCount length;
        for (const Ghost& ghost : ghosts) length += ghost.count;
        log_lengths.push_back(length.log());
      }
      const auto tail = [&](double log_k) {
        const double k = std::exp(log_k);
        const double far = log_k > 14 ? -e * log_k : std::lgamma(i + k) - std::lgamma(e + i + k);
        return std::exp(far + std::lgamma(e + i) - std::lgamma(i));
      };
      std::vector<double> log_k = {30, 45, 115, 230, 460, 700, 1000, 3000};
      for (const double k : {1.0, 5.0, 9.0, 20.0, 300.0, 1e5, 1e9}) log_k.push_back(std::log(k));
      for (const double k : log_k) {
        if (tail(k) < 0.003) continue;  // too few for a score
        // Logs of whole numbers are rounded.
        const double above =
            static_cast<double>(std::count_if(log_lengths.begin(), log_lengths.end(),
                                              [k](double length) { return length >= k - 1e-9; }));
        check_z(statistics::z_of_counts({above, 10000 - above}, {tail(k), 1 - tail(k)}));
      }
    }
  }
}

TEST(ghosts_come_and_go_without_a_trace) {
  const Scene scene(std::vector<double>(12, 1.0), {3, 4, 5});
  CollapsedDirichlet splitting = collapsed(scene, 0.5), fresh = collapsed(scene, 0.5);
  for (CollapsedDirichlet* each : {&splitting, &fresh})
    for (const std::uint32_t j : {1u, 3u, 3u}) each->counts().add(j);
  const std::vector<std::vector<Ghost>> nodes = {
      {{3, 1e300}, {4, 1}},
      {{3, 7}, {5, 0x1p40 - 1}},
      {{4, 0x1p40}, {5, 1e17}},
      {{3, 1e300}, {4, 1e15}},
      {{5, 3}},
      {{3, 0x1p40 + 1}},
      {{4, 0x1p39}, {3, 1e100}},
  };
  for (const auto& ghosts : nodes) splitting.counts().add_ghosts(ghosts);
  CHECK(splitting.counts().used().size() == 4 &&
        splitting.counts().n_splits() == 3);  // ghosts are not splits
  CHECK(splitting.counts().count(3) == 2 && splitting.counts().count(4) == 0 &&
        splitting.counts().count(5) == 0);
  for (const std::size_t k : {3u, 0u, 6u, 2u, 5u, 1u, 4u})
    splitting.counts().remove_ghosts(nodes[k]);
  auto left = splitting.counts().used(), expected = fresh.counts().used();
  std::sort(left.begin(), left.end());
  std::sort(expected.begin(), expected.end());
  CHECK(left == expected);
  std::vector<Ghost> one, other;
  std::vector<double> s, t;
  Rng first = rng_of(47), second = rng_of(47);
  for (int k = 0; k < 2000; ++k) {
    const RowSet rows = k % 2 ? scene.node() : scene.root();
    CHECK(splitting.draw(rows, first, one) == fresh.draw(rows, second, other));
    CHECK(one == other);
  }
  splitting.probabilities(first, s);
  fresh.probabilities(second, t);
  CHECK(s == t);
}

TEST(log_mass_agrees_with_direct_sums) {
  Rng rng = rng_of(48);
  for (const double spread : {0.0, 1.0, 30.0, 120.0}) {
    std::vector<double> weights;
    for (int j = 0; j < 40; ++j) weights.push_back(std::exp(spread * rng.normal()));
    for (const std::uint32_t last : {1u, 20u, 39u}) {
      std::vector<std::uint32_t> order = range(0, 40), out;  // the heaviest become ineligible first
      std::sort(order.begin(), order.end(),
                [&](auto a, auto b) { return weights[a] > weights[b]; });
      out.assign(order.begin(), order.begin() + last);
      std::sort(out.begin(), out.end());
      const Scene scene(weights, out);
      long double rest = 0, total = 0;
      for (std::uint32_t j = 0; j < 40; ++j) {
        total += weights[j];
        if (!scene.is_constant(j)) rest += weights[j];
      }
      const FixedSplitting splitting(weights, {}, scene.eligibility);
      const auto expected = static_cast<double>(std::log(rest) - std::log(total));
      CHECK_NEAR(splitting.log_mass(out), expected, 1e-12 * (1 + std::fabs(expected)));
      CHECK(splitting.log_mass({}) == 0);
      for (const std::uint32_t j : {0u, 39u})
        CHECK_NEAR(splitting.log_probability(j),
                   static_cast<double>(std::log(static_cast<long double>(weights[j]) / total)),
                   1e-11);
    }
  }
  const std::vector<double> weights = {1, 2e-200, 1, 3e-200};
  const Scene scene(weights, {0, 2});
  const FixedSplitting splitting(weights, {}, scene.eligibility);
  CHECK_NEAR(splitting.log_mass({0, 2}), std::log(2.5e-200), 1e-11);
}
