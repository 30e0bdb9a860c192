// DART with s drawn: s ~ Dirichlet(alpha w), updated given the splits of the forest.
//
// s_j = G_j / sum G with G_j ~ Gamma(alpha w_j). An internal node contributes G_rule / G(eligible),
// and 1 / G(E) is the integral over u of exp(-u G(E)). Given one u for each node, the G are
// independent: Gamma(alpha w_j + c_j) with rate 1 + the sum of u over the nodes where j is
// eligible; alpha is drawn with the G integrated out (docs/theory.md).
#pragma once

#include "concentration.hpp"
#include "known_probabilities.hpp"

namespace bayesvc {

class ExplicitDirichlet final : public KnownProbabilities {
 public:
  ExplicitDirichlet(const std::vector<double>& weights, const DirichletSettings& settings,
                    const Eligibility& eligibility)
      : KnownProbabilities(true, weights, eligibility), alpha_(settings) {}

  void update(Rng& rng, const std::vector<const std::vector<std::uint32_t>*>& restricted) override;
  double alpha() const override { return alpha_.value(); }
  void set_alpha(double alpha) override { alpha_.set(alpha); }
  void set_learning(bool on) override { learning_ = on; }

 private:
  void update_alpha(Rng& rng, const std::vector<double>& log_rate, bool restricted);
  std::vector<double> draw_log_rates(
      Rng& rng, const std::vector<const std::vector<std::uint32_t>*>& restricted) const;

  Concentration alpha_;
  bool learning_ = true;
};

}  // namespace bayesvc
