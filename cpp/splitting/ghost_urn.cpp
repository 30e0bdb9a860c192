#include "ghost_urn.hpp"

#include <cmath>

#include "variable_weights.hpp"

namespace bayesvc {
namespace {

// Doubles can count up to here.
constexpr double log_countable = 690.0;

LogCount draw_poisson(double log_mean, Rng& rng) {
  if (log_mean > log_countable) return LogCount::of_log(log_mean);
  return LogCount(rng.binomial(1e300, fixed_math::exp(log_mean) / 1e300));
}

// How many of m draws are of a kind with this proportion; they are taken off m.
LogCount take(LogCount& m, double log_share, double log_rest, Rng& rng) {
  const double log_m = m.log();
  if (log_m > log_countable) {  // at least one of the two is beyond counting: the other is Poisson
    m = draw_poisson(log_m + log_rest, rng);
    return draw_poisson(log_m + log_share, rng);
  }
  const double n = std::floor(m.value());
  const double taken = rng.binomial(n, fixed_math::exp(log_share), fixed_math::exp(log_rest));
  m = LogCount(n - taken);
  return LogCount(taken);
}

}  // namespace

void add_ghosts(std::vector<Ghost>& ghosts, std::uint32_t variable, const LogCount& count) {
  if (count.is_zero()) return;
  for (Ghost& ghost : ghosts) {
    if (ghost.variable != variable) continue;
    ghost.count += count;
    return;
  }
  ghosts.push_back({variable, count});
}

LogCount draw_length(double log_success, Rng& rng) {
  if (log_success > -log_countable + 10) return LogCount(rng.geometric(log_success));
  return LogCount::of_log(fixed_math::log(rng.exponential()) - log_success);
}

void draw_from_urn(UrnItems& items, LogCount m, Rng& rng, std::vector<Ghost>& ghosts) {
  constexpr double few = 16;
  const auto draw = [&](std::size_t k, const LogCount& count) {
    items.log_weights[k] = fixed_math::log_add(items.log_weights[k], count.log());
    add_ghosts(ghosts, items.variables[k], count);
  };
  if (m.counted() && m.count() <= few) {
    for (double i = 0; i < m.count(); ++i) draw(pick_by_log(items.log_weights, rng), 1);
    return;
  }
  const std::size_t last = items.variables.size() - 1;
  for (std::size_t k = 0; k < last && !m.is_zero(); ++k) {
    double log_share, log_rest;
    rng.log_beta(items.log_weights[k], items.log_total(k + 1), log_share, log_rest);
    draw(k, take(m, log_share, log_rest, rng));
  }
  draw(last, m);
}

}  // namespace bayesvc
