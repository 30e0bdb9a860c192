#include "leaf_model.hpp"

#include <cmath>

#include "fixed_math.hpp"
#include "forest_settings.hpp"

namespace bayesvc {

using fixed_math::log;

// The half-Cauchy as a mixture of inverse gammas (Wand et al. 2011; Makalic and Schmidt 2016):
// with a ~ InvGamma(1/2, 1 / prior_variance) and sd^2 | a ~ InvGamma(1/2, 1 / a), both conditional
// distributions are inverse gamma. a is drawn anew each time, so it is no part of the state.
void LeafScale::update(const std::vector<AssignedTree>& trees, Rng& rng) {
  if (!learned_) return;
  double n_leaves = 0, sum_of_squares = 0;
  for (const AssignedTree& assigned : trees) {
    n_leaves += static_cast<double>(assigned.tree.n_leaves());
    for (const double value : assigned.tree.mu) sum_of_squares += value * value;
  }
  const double inverse_a =
      rng.gamma(1.0) * prior_variance_ * (variance_ / (prior_variance_ + variance_));
  set_sd(std::sqrt((inverse_a + 0.5 * sum_of_squares) / rng.gamma(0.5 * (n_leaves + 1.0))));
}

void LeafModel::update(const std::vector<AssignedTree>& trees, Rng& rng) {
  scale_.update(trees, rng);
}

double GaussianLeaves::log_marginal(const NodeStats& stats, double noise_variance) const {
  const double variance = scale().variance();
  const double total = noise_variance + stats.weight * variance;
  return 0.5 * (log(noise_variance / total) +
                stats.sum * stats.sum * variance / (noise_variance * total));
}

double GaussianLeaves::log_split_ratio(const NodeStats& left, const NodeStats& right,
                                       double noise_variance, double factor) const {
  const double variance = scale().variance();
  const double total_left = noise_variance + left.weight * variance;
  const double total_right = noise_variance + right.weight * variance;
  const double total = noise_variance + (left.weight + right.weight) * variance;
  const double sum = left.sum + right.sum;
  // One division and one logarithm: the factor goes under the root of the determinants, squared.
  const double inverse = 1.0 / (total_left * total_right * total * noise_variance);
  const double gain =
      (left.sum * left.sum * total_right + right.sum * right.sum * total_left) * total -
      sum * sum * total_left * total_right;
  const double scaled = factor * noise_variance * total;
  return 0.5 * (log(scaled * scaled * inverse) + gain * inverse * variance);
}

double GaussianLeaves::draw(const NodeStats& stats, double noise_variance, Rng& rng) const {
  const double normal = rng.normal(), variance = scale().variance();
  const double shrink = variance / (noise_variance + stats.weight * variance);
  return shrink * stats.sum + std::sqrt(shrink * noise_variance) * normal;
}

double PriorLeaves::log_marginal(const NodeStats&, double) const { return 0; }

double PriorLeaves::log_split_ratio(const NodeStats&, const NodeStats&, double,
                                    double factor) const {
  return log(factor);
}

double PriorLeaves::draw(const NodeStats&, double, Rng& rng) const {
  return scale().sd() * rng.normal();
}

std::unique_ptr<LeafModel> make_leaf_model(const ForestSettings& settings) {
  const LeafScale scale(settings.leaf_sd, settings.learn_leaf_sd);
  if (!settings.likelihood) return std::make_unique<PriorLeaves>(scale);
  return std::make_unique<GaussianLeaves>(scale);
}

}  // namespace bayesvc
