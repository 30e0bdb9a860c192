// What the splitting priors share whose probabilities s are known: the base of FixedSplitting and
// ExplicitDirichlet.
#pragma once

#include "splitting_prior.hpp"

namespace bayesvc {

class KnownProbabilities : public SplittingPrior {
 public:
  std::uint32_t draw(const RowSet& rows, Rng& rng, std::vector<Ghost>& ghosts) const override;
  double log_probability(std::uint32_t variable) const override { return log_s_[variable]; }
  double log_mass(const std::vector<std::uint32_t>& ineligible) const override;
  void probabilities(Rng& rng, std::vector<double>& s) const override;

 protected:
  // s starts at the prior weights.
  KnownProbabilities(bool needs_ineligible, const std::vector<double>& weights,
                     const Eligibility& eligibility);

  // s in proportion to the exponentials of these weights of the variables that take part.
  void set_log_s(const std::vector<double>& log_weights);
  // All variables that take part have the same s, and always will.
  void draw_uniformly();

 private:
  std::vector<double> log_s_;
  VariableSampler sampler_;
};

}  // namespace bayesvc
