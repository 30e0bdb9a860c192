// The leaf model: what the rows of a leaf say about its value.
//
// Its sufficient statistics are NodeStats, which the passes over rows add up. A model says how
// likely they are with the leaf's value integrated out, and draws the value. `update` runs once
// after every sweep over the trees, for models whose scale is learned.
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

class LeafModel {
 public:
  virtual ~LeafModel() = default;

  // Of the rows with the leaf's value integrated out, up to terms that do not depend on the tree.
  // The noise is that of a row of weight one.
  virtual double log_marginal(const NodeStats& stats, double noise_variance) const = 0;
  // log(factor) plus the log marginal of both sides less that of their union.
  virtual double log_split_ratio(const NodeStats& left, const NodeStats& right,
                                 double noise_variance, double factor) const = 0;
  // A value from its conditional distribution; one normal variate.
  virtual double draw(const NodeStats& stats, double noise_variance, Rng& rng) const = 0;
  // The parameters of the model given the values of all leaves.
  virtual void update(const std::vector<AssignedTree>& trees, Rng& rng);
};

// mu ~ N(0, sd^2). The scale is part of the state: `set_sd` may change it between sweeps.
class GaussianLeaves : public LeafModel {
 public:
  explicit GaussianLeaves(double sd) { set_sd(sd); }

  double sd() const { return sd_; }
  void set_sd(double sd) {
    sd_ = sd;
    variance_ = sd * sd;
  }
  double log_marginal(const NodeStats& stats, double noise_variance) const override;
  double log_split_ratio(const NodeStats& left, const NodeStats& right, double noise_variance,
                         double factor) const override;
  double draw(const NodeStats& stats, double noise_variance, Rng& rng) const override;

 private:
  double sd_ = 0, variance_ = 0;
};

// The prior of the values alone: the rows say nothing.
class PriorLeaves final : public LeafModel {
 public:
  explicit PriorLeaves(double sd) : sd_(sd) {}

  double log_marginal(const NodeStats& stats, double noise_variance) const override;
  double log_split_ratio(const NodeStats& left, const NodeStats& right, double noise_variance,
                         double factor) const override;
  double draw(const NodeStats& stats, double noise_variance, Rng& rng) const override;

 private:
  double sd_;
};

std::unique_ptr<LeafModel> make_leaf_model(const ForestSettings& settings);

}  // namespace bayesvc
