// The leaf model against the normal densities it integrates. Seeds are fixed; scores are beyond
// z_limit about once in 1.7 million at a fresh seed.
#include <cmath>
#include <cstdint>
#include <vector>

#include "../forest.hpp"
#include "../leaf_model.hpp"
#include "forest_checks.hpp"
#include "statistics.hpp"

using namespace forest_checks;
using bayesvc::GaussianLeaves;
using bayesvc::LeafScale;
using bayesvc::NodeStats;
using bayesvc::PriorLeaves;

namespace {

struct LeafRows {
  std::vector<double> r, w;

  NodeStats stats() const {
    NodeStats stats;
    for (std::size_t i = 0; i < r.size(); ++i) {
      stats.sum += w[i] * r[i];
      stats.weight += w[i];
      ++stats.n_rows;
    }
    return stats;
  }
  LeafRows with(const LeafRows& other) const {
    LeafRows both = *this;
    both.r.insert(both.r.end(), other.r.begin(), other.r.end());
    both.w.insert(both.w.end(), other.w.begin(), other.w.end());
    return both;
  }
  // log of the integral over mu of prod N(r_i; mu, v / w_i) N(mu; 0, sd^2), over that at mu = 0.
  double log_integral(double noise_variance, double sd) const {
    constexpr int steps = 200000;
    const double width = 40.0 * sd / steps;
    double sum = 0;
    for (int k = 0; k < steps; ++k) {
      const double mu = (k + 0.5) * width - 20.0 * sd;
      double exponent = -0.5 * mu * mu / (sd * sd);
      for (std::size_t i = 0; i < r.size(); ++i)
        exponent -= 0.5 * w[i] * ((r[i] - mu) * (r[i] - mu) - r[i] * r[i]) / noise_variance;
      sum += std::exp(exponent) * width;
    }
    return std::log(sum / (sd * std::sqrt(2 * std::acos(-1.0))));
  }
};

const LeafRows some{{0.3, -0.1, 0.7}, {1.0, 0.5, 2.0}};
const LeafRows others{{-0.4, 0.2}, {1.5, 0.25}};

}  // namespace

TEST(marginal_likelihoods_are_integrals) {
  for (const double sd : {0.1, 0.8}) {
    const GaussianLeaves leaves({sd, false, 2});
    for (const double v : {0.04, 1.0}) {
      CHECK_NEAR(leaves.log_marginal(some.stats(), v), some.log_integral(v, sd), 1e-9);
      CHECK_NEAR(leaves.log_marginal({}, v), 0.0, 1e-15);
      for (const double factor : {1.0, 0.03}) {
        const double expected = std::log(factor) + some.log_integral(v, sd) +
                                others.log_integral(v, sd) - some.with(others).log_integral(v, sd);
        CHECK_NEAR(leaves.log_split_ratio(some.stats(), others.stats(), v, factor), expected, 1e-9);
      }
    }
  }
}

TEST(leaf_values_have_their_conditional_moments) {
  Rng rng = brute_force::rng_of(95);
  for (const double sd : {0.1, 0.8}) {
    const double v = 0.25, precision = some.stats().weight / v + 1 / (sd * sd);
    const double mean = some.stats().sum / v / precision;
    const GaussianLeaves leaves({sd, false, 2});
    std::vector<double> values, squares;
    for (int k = 0; k < 20000; ++k) {
      const double value = leaves.draw(some.stats(), v, rng);
      values.push_back(value);
      squares.push_back((value - mean) * (value - mean) * precision);
    }
    CHECK_NEAR(statistics::z_of_mean(values, mean, 1 / precision), 0.0, statistics::z_limit);
    CHECK_NEAR(statistics::z_of_mean(squares, 1.0, 2.0), 0.0, statistics::z_limit);
  }
}

TEST(the_prior_alone_ignores_the_rows) {
  const PriorLeaves leaves({0.5, false, 2});
  CHECK(leaves.log_marginal(some.stats(), 0.1) == 0);
  CHECK_NEAR(leaves.log_split_ratio(some.stats(), others.stats(), 0.1, 0.25), std::log(0.25),
             1e-15);
  Rng rng = brute_force::rng_of(96);
  std::vector<double> values, squares;
  for (int k = 0; k < 20000; ++k) {
    values.push_back(leaves.draw(some.stats(), 0.1, rng));
    squares.push_back(values.back() * values.back());
  }
  CHECK_NEAR(statistics::z_of_mean(values, 0.0, 0.25), 0.0, statistics::z_limit);
  CHECK_NEAR(statistics::z_of_mean(squares, 0.25, 2 * 0.0625), 0.0, statistics::z_limit);
}

// One tree, whose leaves see y itself; some 5,000 standard normal scores below 6.
TEST(the_scale_of_the_leaves_may_change_between_sweeps) {
  const Matrix m = matrix_of(Kind::mixed, 130);
  const Columns columns = m.encode();
  const std::vector<double> y = response(m, false);
  ForestSettings settings = bushy(columns);
  settings.n_trees = 1;
  settings.sigma = 0.5;
  Forest forest(columns, y.data(), settings, {1, 2, 3, 4});
  for (int k = 0; k < 300 && !check::failed; ++k) {
    const double sd = k % 2 ? 0.02 : 1.5;
    forest.leaves().scale().set_sd(sd);
    forest.sweep();
    const AssignedTree& assigned = forest.trees()[0];
    for (LeafId id = 0; id < assigned.tree.n_leaves(); ++id) {
      double sum = 0, n_rows = 0;
      for (const std::size_t i : brute_force::rows_with(assigned.ids, id, id)) {
        sum += y[i];
        n_rows += 1;
      }
      const double precision = n_rows / 0.25 + 1 / (sd * sd);
      CHECK_NEAR((assigned.tree.mu[id] - sum / 0.25 / precision) * std::sqrt(precision), 0.0, 6.0);
    }
  }
}

// From an sd of the half-Cauchy prior, and two values given it, an update leads to such an sd
// again.
TEST(an_update_of_a_learned_scale_keeps_its_prior) {
  constexpr double prior_scale = 0.3;
  Rng rng = brute_force::rng_of(97);
  std::vector<AssignedTree> trees(2,
                                  {bayesvc::Tree(3, true), bayesvc::AlignedVector<LeafId>(3, 0)});
  for (const double limit : {2.0, 4.0}) {
    const double first = std::atan(LeafScale::least), last = std::atan(limit);
    std::vector<double> shares;
    for (int k = 0; k < 20000; ++k) {
      LeafScale scale(prior_scale, true, limit);
      scale.set_sd(prior_scale * std::tan(first + (last - first) * rng.uniform()));
      for (AssignedTree& assigned : trees) assigned.tree.mu[0] = scale.sd() * rng.normal();
      scale.update(trees, rng);
      shares.push_back((std::atan(scale.sd() / prior_scale) - first) / (last - first));
    }
    CHECK(statistics::ks_distance(shares, [](double share) { return share; }) <
          statistics::ks_limit);
  }
}

TEST(a_fixed_scale_draws_nothing) {
  Rng rng = brute_force::rng_of(98), twin = rng;
  LeafScale scale(0.3, false, 2);
  scale.update({AssignedTree{bayesvc::Tree(3, true), bayesvc::AlignedVector<LeafId>(3, 0)}}, rng);
  CHECK(scale.sd() == 0.3 && rng.bits() == twin.bits());
}
