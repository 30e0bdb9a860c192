#include "known_probabilities.hpp"

#include <algorithm>
#include <limits>

namespace bayesvc {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

KnownProbabilities::KnownProbabilities(bool needs_ineligible, const std::vector<double>& weights,
                                       const Eligibility& eligibility)
    : SplittingPrior({.knows_s = true, .needs_ineligible = needs_ineligible}, weights, eligibility),
      log_s_(weights.size(), -infinity),
      sampler_(eligibility) {
  std::vector<double> log_weights;
  for (const std::uint32_t j : eligibility.variables())
    log_weights.push_back(fixed_math::log(weights_[j]));
  set_log_s(log_weights);
}

std::uint32_t KnownProbabilities::draw(const RowSet& rows, Rng& rng,
                                       std::vector<Ghost>& ghosts) const {
  ghosts.clear();
  return sampler_.draw_eligible(rows, rng, [this](std::uint32_t j) { return log_s_[j]; });
}

double KnownProbabilities::log_mass(const std::vector<std::uint32_t>& ineligible) const {
  if (ineligible.empty()) return 0;
  double lost = 0;
  for (const std::uint32_t j : ineligible) lost += fixed_math::exp(log_s_[j]);
  if (lost < 0.999) return fixed_math::log(1.0 - lost);
  double largest = -infinity, sum = 0;
  auto skip = ineligible.begin();
  std::vector<double> rest;
  for (const std::uint32_t j : eligibility_.variables()) {
    if (skip != ineligible.end() && *skip == j) {
      ++skip;
      continue;
    }
    rest.push_back(log_s_[j]);
    largest = std::max(largest, log_s_[j]);
  }
  for (const double log_s : rest) sum += fixed_math::exp(log_s - largest);
  return largest + fixed_math::log(sum);
}

void KnownProbabilities::set_log_s(const std::vector<double>& log_weights) {
  const auto& variables = eligibility_.variables();
  sampler_.set_cumulative([&](std::vector<double>& cumulative) {
    cumulative.resize(variables.size());
    if (variables.empty()) return;
    const double largest = *std::max_element(log_weights.begin(), log_weights.end());
    double sum = 0;
    for (std::size_t v = 0; v < variables.size(); ++v)
      cumulative[v] = sum += fixed_math::exp(log_weights[v] - largest);
    const double log_sum = largest + fixed_math::log(sum);
    for (std::size_t v = 0; v < variables.size(); ++v)
      log_s_[variables[v]] = log_weights[v] - log_sum;
  });
}

void KnownProbabilities::draw_uniformly() {
  sampler_.set_cumulative([](std::vector<double>& cumulative) { cumulative.clear(); });
}

void KnownProbabilities::probabilities(Rng&, std::vector<double>& s) const {
  std::vector<double> log_s;
  for (const std::uint32_t j : eligibility_.variables()) log_s.push_back(log_s_[j]);
  normalise(log_s, s);
}

}  // namespace bayesvc
