#include "leaf_model.hpp"

#include <cmath>

#include "fixed_math.hpp"
#include "forest_settings.hpp"

namespace bayesvc {

using fixed_math::log;

namespace {

// A template, so that `draw` is known and not a virtual call for each leaf.
template <class Model>
void draw_each(const Model& model, Tree& tree, const LeafSums& sums, double noise_variance,
               Rng& rng) {
  for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    const Node& node = tree.node(tree.leaf_node(static_cast<LeafId>(leaf)));
    tree.mu[leaf] = model.draw(leaf_stats(node, sums), noise_variance, rng);
  }
}

}  // namespace

// A slice sampler (Neal 2003) of the logarithm of the sd that starts from the whole interval.
void LeafScale::update(const std::vector<AssignedTree>& trees, Rng& rng) {
  if (!learned_) return;
  double n_leaves = 0, sum_of_squares = 0;
  for (const AssignedTree& assigned : trees) {
    n_leaves += static_cast<double>(assigned.tree.n_leaves());
    for (const double value : assigned.tree.mu) sum_of_squares += value * value;
  }
  const auto log_density = [&](double log_sd) {
    const double variance = fixed_math::exp(2.0 * log_sd);
    const double log_values = -n_leaves * log_sd - 0.5 * sum_of_squares / variance;
    return log_values + log_sd - log(1.0 + variance / (scale_ * scale_));
  };
  const double current = log(sd_), level = log_density(current) - rng.exponential();
  double low = log(least * scale_), high = log(limit_ * scale_), drawn;
  for (;;) {
    drawn = low + rng.uniform() * (high - low);
    if (log_density(drawn) >= level) break;
    (drawn < current ? low : high) = drawn;
  }
  set_sd(fixed_math::exp(drawn));
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

void GaussianLeaves::draw_all(Tree& tree, const LeafSums& sums, double noise_variance,
                              Rng& rng) const {
  draw_each(*this, tree, sums, noise_variance, rng);
}

double PriorLeaves::log_marginal(const NodeStats&, double) const { return 0; }

double PriorLeaves::log_split_ratio(const NodeStats&, const NodeStats&, double,
                                    double factor) const {
  return log(factor);
}

double PriorLeaves::draw(const NodeStats&, double, Rng& rng) const {
  return scale().sd() * rng.normal();
}

void PriorLeaves::draw_all(Tree& tree, const LeafSums& sums, double noise_variance,
                           Rng& rng) const {
  draw_each(*this, tree, sums, noise_variance, rng);
}

std::unique_ptr<LeafModel> make_leaf_model(const ForestSettings& settings) {
  const LeafScale scale(settings.leaf_sd, settings.learn_leaf_sd, settings.leaf_sd_limit);
  if (!settings.likelihood) return std::make_unique<PriorLeaves>(scale);
  return std::make_unique<GaussianLeaves>(scale);
}

}  // namespace bayesvc
