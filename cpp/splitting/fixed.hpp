// BART: the probabilities of the splitting variables are the prior weights.
#pragma once

#include "known_probabilities.hpp"

namespace bayesvc {

class FixedSplitting final : public KnownProbabilities {
 public:
  FixedSplitting(const std::vector<double>& weights, const DirichletSettings&,
                 const Eligibility& eligibility)
      : KnownProbabilities(false, weights, eligibility) {
    if (weights_.uniform()) draw_uniformly();
  }
};

}  // namespace bayesvc
