// The leaf model: what the rows of a leaf say about its value.
//
// Its sufficient statistics are NodeStats, which the passes over rows add up. A model says how
// likely they are with the leaf's value integrated out, and draws the value. `update` runs once
// after every sweep over the trees, and draws the scale of the values if it is learned.
//
// To add one, derive from LeafModel and choose it in make_leaf_model. Calls are per node, never per
// row.
#pragma once

#include <memory>
#include <vector>

#include "node_stats.hpp"
#include "rng.hpp"

namespace bayesvc {

struct ForestSettings;

// The prior sd of the leaf values: fixed, or learned from the values of all leaves. A learned one
// is half-Cauchy with this scale, restricted to an interval. Without a least sd, trees that have
// not found the signal yet, and so have small values, would make all births unlikely. How large it
// may become depends on the response.
class LeafScale {
 public:
  static constexpr double least = 0.25;  // as a multiple of the scale, like `limit`

  LeafScale(double sd, bool learned, double limit) : scale_(sd), limit_(limit), learned_(learned) {
    set_sd(sd);
  }

  bool learned() const { return learned_; }
  double sd() const { return sd_; }
  double variance() const { return variance_; }
  void set_sd(double sd) {
    sd_ = sd;
    variance_ = sd * sd;
  }
  // Draws the sd given the values of all leaves; nothing is drawn where it is fixed.
  void update(const std::vector<AssignedTree>& trees, Rng& rng);

 private:
  double sd_ = 0, variance_ = 0, scale_, limit_;
  bool learned_;
};

class LeafModel {
 public:
  explicit LeafModel(const LeafScale& scale) : scale_(scale) {}
  virtual ~LeafModel() = default;

  const LeafScale& scale() const { return scale_; }
  LeafScale& scale() { return scale_; }

  // Of the rows with the leaf's value integrated out, up to terms that do not depend on the tree.
  // The noise is that of a row of weight one.
  virtual double log_marginal(const NodeStats& stats, double noise_variance) const = 0;
  // log(factor) plus the log marginal of both sides less that of their union.
  virtual double log_split_ratio(const NodeStats& left, const NodeStats& right,
                                 double noise_variance, double factor) const = 0;
  // A value from its conditional distribution; one normal variate.
  virtual double draw(const NodeStats& stats, double noise_variance, Rng& rng) const = 0;
  // The values of all leaves of a tree, in the order of their ids.
  virtual void draw_all(Tree& tree, const LeafSums& sums, double noise_variance,
                        Rng& rng) const = 0;
  // The parameters of the model given the values of all leaves.
  virtual void update(const std::vector<AssignedTree>& trees, Rng& rng);

 private:
  LeafScale scale_;
};

// mu ~ N(0, sd^2).
class GaussianLeaves final : public LeafModel {
 public:
  using LeafModel::LeafModel;

  double log_marginal(const NodeStats& stats, double noise_variance) const override;
  double log_split_ratio(const NodeStats& left, const NodeStats& right, double noise_variance,
                         double factor) const override;
  double draw(const NodeStats& stats, double noise_variance, Rng& rng) const override;
  void draw_all(Tree& tree, const LeafSums& sums, double noise_variance, Rng& rng) const override;
};

// The prior of the values alone: the rows say nothing.
class PriorLeaves final : public LeafModel {
 public:
  using LeafModel::LeafModel;

  double log_marginal(const NodeStats& stats, double noise_variance) const override;
  double log_split_ratio(const NodeStats& left, const NodeStats& right, double noise_variance,
                         double factor) const override;
  double draw(const NodeStats& stats, double noise_variance, Rng& rng) const override;
  void draw_all(Tree& tree, const LeafSums& sums, double noise_variance, Rng& rng) const override;
};

std::unique_ptr<LeafModel> make_leaf_model(const ForestSettings& settings);

}  // namespace bayesvc
