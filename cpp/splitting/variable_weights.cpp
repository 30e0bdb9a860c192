#include "variable_weights.hpp"

namespace bayesvc {

std::size_t pick_by_log(const std::vector<double>& log_weights, Rng& rng) {
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  double total = 0;
  for (const double log_weight : log_weights) total += fixed_math::exp(log_weight - largest);
  double u = rng.uniform() * total;
  for (std::size_t k = 0; k + 1 < log_weights.size(); ++k) {
    u -= fixed_math::exp(log_weights[k] - largest);
    if (u < 0) return k;
  }
  return log_weights.size() - 1;
}

VariableWeights::VariableWeights(const std::vector<double>& weights,
                                 const std::vector<std::uint32_t>& variables)
    : weights_(weights.size(), 0.0) {
  double sum = 0;
  for (const double w : weights) sum += w;
  for (const std::uint32_t j : variables) {
    weights_[j] = weights[j] / sum;
    total_ += weights_[j];
    uniform_ = uniform_ && weights[j] == weights[variables[0]];
  }
}

std::uint32_t VariableSampler::draw_now(Rng& rng) const {
  const auto& variables = eligibility_.variables();
  if (cumulative_.empty())
    return variables[rng.below(static_cast<std::uint32_t>(variables.size()))];
  const double u = rng.uniform() * cumulative_.back();
  const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end(), u) - cumulative_.begin();
  return variables[std::min(static_cast<std::size_t>(at), variables.size() - 1)];
}

}  // namespace bayesvc
