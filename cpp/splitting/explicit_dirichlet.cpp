#include "explicit_dirichlet.hpp"

#include <algorithm>

namespace bayesvc {

using fixed_math::exp;
using fixed_math::log;

void ExplicitDirichlet::update(Rng& rng,
                               const std::vector<const std::vector<std::uint32_t>*>& restricted) {
  const auto& variables = eligibility_.variables();
  if (!learning_ || variables.empty()) return;
  const std::vector<double> log_rate = draw_log_rates(rng, restricted);
  if (alpha_.sampled()) update_alpha(rng, log_rate, !restricted.empty());
  std::vector<double> log_g(variables.size());
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const std::uint32_t j = variables[v];
    log_g[v] = rng.log_gamma_variate(alpha_.value() * weights_[j] + counts_.count(j)) - log_rate[v];
  }
  set_log_s(log_g);
}

void ExplicitDirichlet::update_alpha(Rng& rng, const std::vector<double>& log_rate,
                                     bool restricted) {
  const auto& variables = eligibility_.variables();
  double weighted_log_rate = 0;
  for (std::size_t v = 0; v < variables.size(); ++v)
    weighted_log_rate += weights_[variables[v]] * log_rate[v];
  alpha_.update(rng, [&](double log_alpha) {
    const double alpha = exp(log_alpha);
    const double density =
        alpha_.log_prior(log_alpha) + log_rising_counts(counts_, weights_, alpha);
    if (restricted) return density - alpha * weighted_log_rate;
    LogRising normaliser;
    normaliser.add(alpha * weights_.total(), static_cast<double>(counts_.n_splits()));
    return density - normaliser.total();
  });
}

// Logs of the rates of the G. Where no node is restricted all rates are equal and cancel in s.
std::vector<double> ExplicitDirichlet::draw_log_rates(
    Rng& rng, const std::vector<const std::vector<std::uint32_t>*>& restricted) const {
  const auto& variables = eligibility_.variables();
  std::vector<double> log_rate(variables.size(), 0.0);
  if (restricted.empty()) return log_rate;
  const double log_total = rng.log_gamma_variate(alpha_.value() * weights_.total());
  const double n_free = static_cast<double>(counts_.n_splits() - restricted.size());
  double log_base = 0;
  if (n_free > 0) log_base = fixed_math::log_add(0, rng.log_gamma_variate(n_free) - log_total);
  std::vector<double> log_u;
  for (const auto* ineligible : restricted)
    log_u.push_back(log(rng.exponential()) - log_mass(*ineligible) - log_total);
  // In units of the largest term, so that none overflows; what is lost in them is summed anew.
  const double unit = std::max(log_base, *std::max_element(log_u.begin(), log_u.end()));
  std::vector<double> rate(variables.size(), exp(log_base - unit));
  for (std::size_t k = 0; k < restricted.size(); ++k) {
    const double u = exp(log_u[k] - unit);
    auto next = restricted[k]->begin();
    for (std::size_t v = 0; v < variables.size(); ++v) {
      if (next != restricted[k]->end() && *next == variables[v])
        ++next;
      else
        rate[v] += u;
    }
  }
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (rate[v] > 1e-280) {
      log_rate[v] = unit + log(rate[v]);
      continue;
    }
    log_rate[v] = log_base;
    for (std::size_t k = 0; k < restricted.size(); ++k)
      if (!std::binary_search(restricted[k]->begin(), restricted[k]->end(), variables[v]))
        log_rate[v] = fixed_math::log_add(log_rate[v], log_u[k]);
  }
  return log_rate;
}

}  // namespace bayesvc
