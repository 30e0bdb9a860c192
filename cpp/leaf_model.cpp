#include "leaf_model.hpp"

#include <cmath>

#include "fixed_math.hpp"
#include "forest_settings.hpp"

namespace bayesvc {

using fixed_math::log;

void LeafModel::update(const std::vector<AssignedTree>&, Rng&) {}

double GaussianLeaves::log_marginal(const NodeStats& stats, double noise_variance) const {
  const double total = noise_variance + stats.weight * variance_;
  return 0.5 * (log(noise_variance / total) +
                stats.sum * stats.sum * variance_ / (noise_variance * total));
}

double GaussianLeaves::log_split_ratio(const NodeStats& left, const NodeStats& right,
                                       double noise_variance, double factor) const {
  const double total_left = noise_variance + left.weight * variance_;
  const double total_right = noise_variance + right.weight * variance_;
  const double total = noise_variance + (left.weight + right.weight) * variance_;
  const double sum = left.sum + right.sum;
  // One division and one logarithm: the factor goes under the root of the determinants, squared.
  const double inverse = 1.0 / (total_left * total_right * total * noise_variance);
  const double gain =
      (left.sum * left.sum * total_right + right.sum * right.sum * total_left) * total -
      sum * sum * total_left * total_right;
  const double scaled = factor * noise_variance * total;
  return 0.5 * (log(scaled * scaled * inverse) + gain * inverse * variance_);
}

double GaussianLeaves::draw(const NodeStats& stats, double noise_variance, Rng& rng) const {
  const double normal = rng.normal();
  const double shrink = variance_ / (noise_variance + stats.weight * variance_);
  return shrink * stats.sum + std::sqrt(shrink * noise_variance) * normal;
}

double PriorLeaves::log_marginal(const NodeStats&, double) const { return 0; }

double PriorLeaves::log_split_ratio(const NodeStats&, const NodeStats&, double,
                                    double factor) const {
  return log(factor);
}

double PriorLeaves::draw(const NodeStats&, double, Rng& rng) const { return sd_ * rng.normal(); }

std::unique_ptr<LeafModel> make_leaf_model(const ForestSettings& settings) {
  if (!settings.likelihood) return std::make_unique<PriorLeaves>(settings.leaf_sd);
  return std::make_unique<GaussianLeaves>(settings.leaf_sd);
}

}  // namespace bayesvc
