// DART with s integrated out: variables come from Polya's urn over the splits and ghosts of the
// forest (docs/theory.md, "DART when variables run out").
#pragma once

#include "concentration.hpp"

namespace bayesvc {

class CollapsedDirichlet final : public SplittingPrior {
 public:
  CollapsedDirichlet(const std::vector<double>& weights, const DirichletSettings& settings,
                     const Eligibility& eligibility);

  std::uint32_t draw(const RowSet& rows, Rng& rng, std::vector<Ghost>& ghosts) const override;
  double log_exchange(std::uint32_t lost, std::uint32_t gained) const override;
  void update(Rng& rng, const std::vector<const std::vector<std::uint32_t>*>& restricted) override;
  void probabilities(Rng& rng, std::vector<double>& s) const override;
  double alpha() const override { return alpha_.value(); }
  void set_alpha(double alpha) override { alpha_.set(alpha); }
  void set_learning(bool on) override { learning_ = on; }

 private:
  // One draw from the urn that also holds the `local` ghosts, whatever is eligible.
  std::uint32_t draw_any(Rng& rng, const std::vector<Ghost>& local, double local_total) const;
  std::uint32_t draw_beside_giants(Rng& rng, const std::vector<Ghost>& local) const;
  std::uint32_t draw_with_ghosts(const RowSet& rows, Rng& rng, std::vector<Ghost>& ghosts) const;
  std::uint32_t draw_in_closed_form(const RowSet& rows, Rng& rng, std::vector<Ghost>& ghosts) const;
  // The variables that are not in the sorted list: their weight, and one of them.
  double weight_outside(const std::vector<std::uint32_t>& known) const;
  std::uint32_t draw_outside(const std::vector<std::uint32_t>& known, Rng& rng) const;
  double log_urn_weight(std::uint32_t variable) const;

  Concentration alpha_;
  bool learning_ = true;
  VariableSampler sampler_;  // of the prior weights
};

}  // namespace bayesvc
