#include "collapsed_dirichlet.hpp"

#include <algorithm>

#include "ghost_urn.hpp"

namespace bayesvc {

using fixed_math::log;
using fixed_math::log_add;

CollapsedDirichlet::CollapsedDirichlet(const std::vector<double>& weights,
                                       const DirichletSettings& settings,
                                       const Eligibility& eligibility)
    : SplittingPrior({.draws_ghosts = true}, weights, eligibility),
      alpha_(settings),
      sampler_(eligibility) {
  if (weights_.uniform()) return;
  sampler_.set_cumulative([&](std::vector<double>& cumulative) {
    double sum = 0;
    for (const std::uint32_t j : eligibility.variables()) cumulative.push_back(sum += weights_[j]);
  });
}

double CollapsedDirichlet::log_urn_weight(std::uint32_t variable) const {
  const double weight = alpha_.value() * weights_[variable];
  if (!counts_.has_giants()) return log(weight + counts_.counted(variable));
  return log_add(log(weight), counts_.seen(variable).log());
}

std::uint32_t CollapsedDirichlet::draw(const RowSet& rows, Rng& rng,
                                       std::vector<Ghost>& ghosts) const {
  ghosts.clear();
  if (!learning_)
    return sampler_.draw_eligible(rows, rng, [this](std::uint32_t j) { return log(weights_[j]); });
  if (!eligibility_.may_exhaust(rows.size)) return draw_any(rng, ghosts, 0.0);
  return draw_with_ghosts(rows, rng, ghosts);
}

std::uint32_t CollapsedDirichlet::draw_any(Rng& rng, const std::vector<Ghost>& local,
                                           double local_total) const {
  if (counts_.has_giants()) return draw_beside_giants(rng, local);
  const double drawn = counts_.counted_total() + local_total;
  double u = rng.uniform() * (drawn + alpha_.value() * weights_.total());
  if (u >= drawn) return sampler_.draw(rng);
  for (const std::uint32_t j : counts_.used()) {
    u -= counts_.counted(j);
    if (u < 0) return j;
  }
  for (const Ghost& ghost : local) {
    u -= ghost.count.count();
    if (u < 0) return ghost.variable;
  }
  return local.empty() ? counts_.used().back() : local.back().variable;  // u was lost to rounding
}

std::uint32_t CollapsedDirichlet::draw_beside_giants(Rng& rng,
                                                     const std::vector<Ghost>& local) const {
  const auto& used = counts_.used();
  std::vector<double> log_weights;
  for (const std::uint32_t j : used) log_weights.push_back(counts_.seen(j).log());
  for (const Ghost& ghost : local) log_weights.push_back(ghost.count.log());
  log_weights.push_back(log(alpha_.value() * weights_.total()));
  const std::size_t k = pick_by_log(log_weights, rng);
  if (k + 1 == log_weights.size()) return sampler_.draw(rng);
  return k < used.size() ? used[k] : local[k - used.size()].variable;
}

double CollapsedDirichlet::weight_outside(const std::vector<std::uint32_t>& known) const {
  const auto& variables = eligibility_.variables();
  if (weights_.uniform())
    return weights_[variables[0]] * static_cast<double>(variables.size() - known.size());
  double total = 0;
  for (const std::uint32_t j : variables)
    if (!std::binary_search(known.begin(), known.end(), j)) total += weights_[j];
  return total;
}

std::uint32_t CollapsedDirichlet::draw_outside(const std::vector<std::uint32_t>& known,
                                               Rng& rng) const {
  constexpr int patience = 32;
  for (int attempt = 0; attempt < patience; ++attempt) {
    const std::uint32_t variable = sampler_.draw(rng);
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

std::uint32_t CollapsedDirichlet::draw_with_ghosts(const RowSet& rows, Rng& rng,
                                                   std::vector<Ghost>& ghosts) const {
  constexpr int patience = 8;
  for (int attempt = 0; attempt < patience; ++attempt) {
    const std::uint32_t variable = draw_any(rng, ghosts, attempt);
    if (eligibility_.eligible(rows, variable)) return variable;
    add_ghosts(ghosts, variable, 1);
  }
  return draw_in_closed_form(rows, rng, ghosts);
}

std::uint32_t CollapsedDirichlet::draw_in_closed_form(const RowSet& rows, Rng& rng,
                                                      std::vector<Ghost>& ghosts) const {
  // The variables in use, and this node's ghosts, by eligibility. All others are fresh.
  UrnItems can, cannot;
  std::vector<std::uint32_t> known = counts_.used();
  for (const Ghost& ghost : ghosts)
    if (!counts_.in_use(ghost.variable)) known.push_back(ghost.variable);
  for (const std::uint32_t j : known) {
    double log_weight = log_urn_weight(j);
    for (const Ghost& ghost : ghosts)
      if (ghost.variable == j) log_weight = log_add(log_weight, ghost.count.log());
    (eligibility_.eligible(rows, j) ? can : cannot).add(j, log_weight);
  }
  std::sort(known.begin(), known.end());
  const double log_can = can.log_total();
  for (;;) {
    const double log_fresh = log(alpha_.value() * weight_outside(known));
    if (!cannot.variables.empty()) {
      double log_success, log_failure;
      rng.log_beta(log_add(log_can, log_fresh), cannot.log_total(), log_success, log_failure);
      draw_from_urn(cannot, draw_length(log_success, rng), rng, ghosts);
    }
    if (!can.variables.empty() && pick_by_log({log_can, log_fresh}, rng) == 0)
      return can.variables[pick_by_log(can.log_weights, rng)];
    const std::uint32_t variable = draw_outside(known, rng);
    if (eligibility_.eligible(rows, variable)) return variable;
    add_ghosts(ghosts, variable, 1);
    cannot.add(variable, log_add(log(alpha_.value() * weights_[variable]), 0));
    known.insert(std::lower_bound(known.begin(), known.end(), variable), variable);
  }
}

double CollapsedDirichlet::log_exchange(std::uint32_t lost, std::uint32_t gained) const {
  if (lost == gained) return 0;
  if (!learning_) return log(weights_[gained] / weights_[lost]);
  // One split fewer on the variable that loses it; beside a giant one split is nothing.
  const double without = alpha_.value() * weights_[lost] + counts_.counted(lost) - 1.0;
  const double log_lost = counts_.seen(lost).counted() ? log(without) : log_urn_weight(lost);
  return log_urn_weight(gained) - log_lost;
}

void CollapsedDirichlet::update(Rng& rng, const std::vector<const std::vector<std::uint32_t>*>&) {
  if (!learning_ || eligibility_.variables().empty() || !alpha_.sampled()) return;
  const LogCount total = counts_.seen_total();
  alpha_.update(rng, [&](double log_alpha) {
    const double alpha = fixed_math::exp(log_alpha);
    LogRising normaliser;
    normaliser.add(alpha * weights_.total(), total);
    return alpha_.log_prior(log_alpha) + log_rising_counts(counts_, weights_, alpha) -
           normaliser.total();
  });
}

void CollapsedDirichlet::probabilities(Rng& rng, std::vector<double>& s) const {
  std::vector<double> log_s;
  for (const std::uint32_t j : eligibility_.variables())
    log_s.push_back(rng.log_gamma_of_log(log_urn_weight(j)));
  normalise(log_s, s);
}

}  // namespace bayesvc
