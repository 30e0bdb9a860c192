// The probabilities of the splitting variables: fixed (BART), or Dirichlet (DART) with s explicit
// or integrated out (collapsed). Also the split counts of the forest, on which DART feeds.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "eligibility.hpp"
#include "rng.hpp"
#include "tree.hpp"

namespace bayesvc {

enum class SplitPrior : std::uint8_t { fixed, explicit_s, collapsed };

struct DirichletSettings {
  double alpha = std::numeric_limits<double>::quiet_NaN();  // fixed alpha; nan: sampled
  double a = 0.5, b = 1.0, rho = 1.0;                       // alpha / (alpha + rho) ~ Beta(a, b)
};

// An index with probability proportional to the exponentials of the weights.
std::size_t pick_by_log(const std::vector<double>& log_weights, Rng& rng);

class Splitting {
 public:
  // weights: one per variable, at least one positive; they are normalised over all variables.
  Splitting(SplitPrior prior, const std::vector<double>& weights, const DirichletSettings& settings,
            const Eligibility& eligibility);

  SplitPrior prior() const { return prior_; }
  double alpha() const { return alpha_; }
  void set_alpha(double alpha) { alpha_ = alpha; }
  // While off, rules are drawn from the prior weights and alpha and s stay as they are.
  void set_learning(bool on) { learning_ = on; }

  // Split counts. `used` lists the variables with a split or a ghost, in no particular order.
  void add(std::uint32_t variable);
  void remove(std::uint32_t variable);
  std::uint32_t count(std::uint32_t variable) const { return counts_[variable]; }
  const std::vector<std::uint32_t>& used() const { return used_; }
  std::uint32_t n_splits() const { return n_splits_; }
  void add_ghosts(const std::vector<Ghost>& ghosts);
  void remove_ghosts(const std::vector<Ghost>& ghosts);

  // A variable for a rule in this node: from s, or from the urn, given that it is eligible. In the
  // collapsed form `ghosts` receives the ineligible draws that came before it. The node's own
  // split and ghosts must not be counted. Some variable must be eligible.
  std::uint32_t draw(const RowSet& rows, Rng& rng, std::vector<Ghost>& ghosts) const;

  // log of s_j, and of the sum of s over all but the ineligible. Not for the collapsed form.
  double log_probability(std::uint32_t variable) const { return log_s_[variable]; }
  double log_mass(const std::vector<std::uint32_t>& ineligible) const;

  // Collapsed form: log ratio of the urn's probabilities after one split on `lost` became one on
  // `gained`.
  double log_exchange(std::uint32_t lost, std::uint32_t gained) const;

  // One update of alpha and s given the splits; `restricted` holds the ineligible variables of each
  // internal node that has any (explicit form only).
  void update(Rng& rng, const std::vector<const std::vector<std::uint32_t>*>& restricted);

  // The current s; in the collapsed form a draw given the splits and ghosts.
  void probabilities(Rng& rng, std::vector<double>& s) const;

 private:
  std::uint32_t draw_base(Rng& rng) const;
  std::uint32_t draw_from_base(Rng& rng) const;
  std::uint32_t draw_any(Rng& rng, const std::vector<Ghost>& local, double local_total) const;
  std::uint32_t draw_among_eligible(const RowSet& rows, Rng& rng) const;
  std::uint32_t draw_with_ghosts(const RowSet& rows, Rng& rng, std::vector<Ghost>& ghosts) const;
  double weight_outside(const std::vector<std::uint32_t>& known) const;
  std::uint32_t draw_outside(const std::vector<std::uint32_t>& known, Rng& rng) const;
  std::uint32_t draw_beside_giants(Rng& rng, const std::vector<Ghost>& local) const;
  // Splits and ghosts of a variable, and of all; without giants, or with them.
  double counted(std::uint32_t variable) const;
  double counted_total() const { return static_cast<double>(n_splits_) + n_ghosts_; }
  LogCount seen(std::uint32_t variable) const;
  LogCount seen_total() const;
  double log_urn_weight(std::uint32_t variable) const;
  bool in_use(std::uint32_t variable) const { return position_[variable] != unused; }
  void enlist(std::uint32_t variable);
  void strike_if_idle(std::uint32_t variable);

  double log_alpha_prior(double log_alpha) const;
  double log_rising_counts(double alpha) const;
  void update_collapsed(Rng& rng);
  void update_explicit(Rng& rng, const std::vector<const std::vector<std::uint32_t>*>& restricted);
  std::vector<double> draw_log_rates(
      Rng& rng, const std::vector<const std::vector<std::uint32_t>*>& restricted) const;
  void set_log_s(const std::vector<double>& log_weights);

  static constexpr std::uint32_t unused = 0xffffffff;

  const Eligibility& eligibility_;
  SplitPrior prior_;
  DirichletSettings settings_;
  double alpha_;
  bool learning_ = true;

  std::vector<double> weights_;  // normalised, by variable; zero where the variable takes no part
  double weight_total_ = 0;      // of those that take part
  bool uniform_ = true;
  std::vector<double> cumulative_;  // of s (explicit) or of the weights, along eligibility's list
  std::vector<double> log_s_;
  mutable std::uint32_t next_base_ = unused;

  std::vector<std::uint32_t> counts_;
  // Collapsed form only. Counted amounts add up without rounding; the rare larger ones are kept one
  // by one, so that taking one away leaves no rest behind.
  std::vector<double> ghosts_;
  std::vector<Ghost> giants_;
  std::vector<std::uint32_t> used_, position_;
  std::uint32_t n_splits_ = 0;
  double n_ghosts_ = 0;
};

}  // namespace bayesvc
