// Rules with exhausted variables in the collapsed form.
//
// A rule's variable is the first eligible one in a sequence of draws from s; the ineligible draws
// before it are the node's ghosts. With s integrated out the sequence comes from the urn. Where
// little weight is eligible it can be astronomically long, so after a few single draws its length
// and composition are drawn in closed form.
#include <algorithm>
#include <cmath>

#include "fixed_math.hpp"
#include "splitting.hpp"

namespace bayesvc {
namespace {

// Doubles can count up to here.
constexpr double log_countable = 690.0;

void tally(std::vector<Ghost>& ghosts, std::uint32_t variable, const LogCount& count) {
  if (count.is_zero()) return;
  for (Ghost& ghost : ghosts) {
    if (ghost.variable != variable) continue;
    ghost.count += count;
    return;
  }
  ghosts.push_back({variable, count});
}

struct Weighted {
  std::vector<std::uint32_t> variables;
  std::vector<double> log_weights;

  void add(std::uint32_t variable, double log_weight) {
    variables.push_back(variable);
    log_weights.push_back(log_weight);
  }
  double log_total(std::size_t from = 0) const {
    double total = -std::numeric_limits<double>::infinity();
    for (std::size_t k = from; k < log_weights.size(); ++k)
      total = fixed_math::log_add(total, log_weights[k]);
    return total;
  }
};

// Failures before the first success.
LogCount draw_length(double log_success, Rng& rng) {
  if (log_success > -log_countable + 10) return LogCount(rng.geometric(log_success));
  return LogCount::of_log(fixed_math::log(rng.exponential()) - log_success);
}

LogCount draw_poisson(double log_mean, Rng& rng) {
  if (log_mean > log_countable) return LogCount::of_log(log_mean);
  return LogCount(rng.binomial(1e300, fixed_math::exp(log_mean) / 1e300));
}

// How many of m draws are of a kind with this share; they are taken off m.
LogCount take(LogCount& m, double log_share, double log_rest, Rng& rng) {
  const double log_m = m.log();
  if (log_m > log_countable) {  // one part at least is beyond counting: the other is Poisson
    m = draw_poisson(log_m + log_rest, rng);
    return draw_poisson(log_m + log_share, rng);
  }
  const double n = std::floor(m.value());
  const double taken = rng.binomial(n, fixed_math::exp(log_share), fixed_math::exp(log_rest));
  m = LogCount(n - taken);
  return LogCount(taken);
}

// m draws from the urn that holds these items alone; their weights grow with what is drawn.
void draw_from_urn(Weighted& items, LogCount m, Rng& rng, std::vector<Ghost>& ghosts) {
  constexpr double few = 16;
  const auto draw = [&](std::size_t k, const LogCount& count) {
    items.log_weights[k] = fixed_math::log_add(items.log_weights[k], count.log());
    tally(ghosts, items.variables[k], count);
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

}  // namespace

double Splitting::weight_outside(const std::vector<std::uint32_t>& known) const {
  const auto& variables = eligibility_.variables();
  if (uniform_)
    return weights_[variables[0]] * static_cast<double>(variables.size() - known.size());
  double total = 0;
  for (const std::uint32_t j : variables)
    if (!std::binary_search(known.begin(), known.end(), j)) total += weights_[j];
  return total;
}

// From the prior weights of the variables that are not in the sorted list.
std::uint32_t Splitting::draw_outside(const std::vector<std::uint32_t>& known, Rng& rng) const {
  constexpr int patience = 32;
  for (int attempt = 0; attempt < patience; ++attempt) {
    const std::uint32_t variable = draw_base(rng);
    if (!std::binary_search(known.begin(), known.end(), variable)) return variable;
  }
  double u = rng.uniform() * weight_outside(known);
  std::uint32_t last = 0;
  for (const std::uint32_t j : eligibility_.variables()) {
    if (std::binary_search(known.begin(), known.end(), j)) continue;
    last = j;
    u -= weights_[j];
    if (u < 0) break;
  }
  return last;
}

std::uint32_t Splitting::draw_with_ghosts(const RowSet& rows, Rng& rng,
                                          std::vector<Ghost>& ghosts) const {
  constexpr int patience = 8;
  for (int attempt = 0; attempt < patience; ++attempt) {
    const std::uint32_t variable = draw_any(rng, ghosts, attempt);
    if (eligibility_.eligible(rows, variable)) return variable;
    tally(ghosts, variable, 1);
  }

  // The variables in use, and this node's ghosts, by eligibility. All others are fresh.
  Weighted can, cannot;
  std::vector<std::uint32_t> known = used_;
  for (const Ghost& ghost : ghosts)
    if (!in_use(ghost.variable)) known.push_back(ghost.variable);
  for (const std::uint32_t j : known) {
    double log_weight = log_urn_weight(j);
    for (const Ghost& ghost : ghosts)
      if (ghost.variable == j) log_weight = fixed_math::log_add(log_weight, ghost.count.log());
    (eligibility_.eligible(rows, j) ? can : cannot).add(j, log_weight);
  }
  std::sort(known.begin(), known.end());
  const double log_can = can.log_total();
  for (;;) {
    const double log_fresh = fixed_math::log(alpha_ * weight_outside(known));
    if (!cannot.variables.empty()) {
      double log_success, log_failure;
      rng.log_beta(fixed_math::log_add(log_can, log_fresh), cannot.log_total(), log_success,
                   log_failure);
      draw_from_urn(cannot, draw_length(log_success, rng), rng, ghosts);
    }
    if (!can.variables.empty() && pick_by_log({log_can, log_fresh}, rng) == 0)
      return can.variables[pick_by_log(can.log_weights, rng)];
    const std::uint32_t variable = draw_outside(known, rng);
    if (eligibility_.eligible(rows, variable)) return variable;
    tally(ghosts, variable, 1);
    cannot.add(variable, fixed_math::log_add(fixed_math::log(alpha_ * weights_[variable]), 0));
    known.insert(std::lower_bound(known.begin(), known.end(), variable), variable);
  }
}

}  // namespace bayesvc
