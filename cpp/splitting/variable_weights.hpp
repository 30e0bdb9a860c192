// The prior weights of the variables, and draws in proportion to such weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../eligibility.hpp"
#include "../fixed_math.hpp"
#include "../rng.hpp"

namespace bayesvc {

// An index with probability proportional to the exponentials of the weights.
std::size_t pick_by_log(const std::vector<double>& log_weights, Rng& rng);

// The weights as given, normalised over all variables; zero for those that take no part.
class VariableWeights {
 public:
  VariableWeights(const std::vector<double>& weights, const std::vector<std::uint32_t>& variables);

  double operator[](std::uint32_t variable) const { return weights_[variable]; }
  std::size_t size() const { return weights_.size(); }
  double total() const { return total_; }  // of the variables that take part
  bool uniform() const { return uniform_; }

 private:
  std::vector<double> weights_;
  double total_ = 0;
  bool uniform_ = true;
};

// Draws variables one after the other, each before it is asked for, so that its column is on its
// way while other work goes on.
class VariableSampler {
 public:
  explicit VariableSampler(const Eligibility& eligibility) : eligibility_(eligibility) {}

  // Cumulative weights along the list of variables that take part; empty: all alike. What was
  // drawn ahead is forgotten.
  template <class Fill>
  void set_cumulative(Fill&& fill) {
    next_ = none;
    fill(cumulative_);
  }

  std::uint32_t draw(Rng& rng) const {
    const std::uint32_t drawn = next_ == none ? draw_now(rng) : next_;
    next_ = draw_now(rng);
    eligibility_.prefetch(next_);
    return drawn;
  }

  // A variable that is eligible in the node, by rejection; where the eligible ones have too little
  // weight for that, from their logarithms, which log_weight(variable) tells.
  template <class LogWeight>
  std::uint32_t draw_eligible(const RowSet& rows, Rng& rng, LogWeight&& log_weight) const {
    if (!eligibility_.may_exhaust(rows.size)) return draw(rng);
    constexpr int patience = 64;
    for (int attempt = 0; attempt < patience; ++attempt) {
      const std::uint32_t variable = draw(rng);
      if (eligibility_.eligible(rows, variable)) return variable;
    }
    std::vector<std::uint32_t> candidates;
    std::vector<double> log_weights;
    for (const std::uint32_t j : eligibility_.variables()) {
      if (!eligibility_.eligible(rows, j)) continue;
      candidates.push_back(j);
      log_weights.push_back(log_weight(j));
    }
    return candidates[pick_by_log(log_weights, rng)];
  }

 private:
  std::uint32_t draw_now(Rng& rng) const;

  static constexpr std::uint32_t none = 0xffffffff;

  const Eligibility& eligibility_;
  std::vector<double> cumulative_;
  mutable std::uint32_t next_ = none;
};

}  // namespace bayesvc
