#include "splitting.hpp"

#include <algorithm>
#include <cmath>

#include "fixed_math.hpp"

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

Splitting::Splitting(SplitPrior prior, const std::vector<double>& weights,
                     const DirichletSettings& settings, const Eligibility& eligibility)
    : eligibility_(eligibility),
      prior_(prior),
      settings_(settings),
      // A sampled alpha starts where s is close to the prior weights.
      alpha_(std::isnan(settings.alpha) ? settings.rho : settings.alpha),
      weights_(weights.size(), 0.0),
      counts_(weights.size(), 0),
      position_(weights.size(), unused) {
  double total = 0;
  for (const double w : weights) total += w;
  const auto& variables = eligibility.variables();
  for (const std::uint32_t j : variables) {
    weights_[j] = weights[j] / total;
    weight_total_ += weights_[j];
    uniform_ = uniform_ && weights[j] == weights[variables[0]];
  }
  if (prior == SplitPrior::collapsed) {
    ghosts_.assign(weights.size(), 0.0);
    double sum = 0;
    if (!uniform_)
      for (const std::uint32_t j : variables) cumulative_.push_back(sum += weights_[j]);
  } else {
    std::vector<double> log_weights;
    for (const std::uint32_t j : variables) log_weights.push_back(fixed_math::log(weights_[j]));
    log_s_.assign(weights.size(), -std::numeric_limits<double>::infinity());
    set_log_s(log_weights);
  }
}

void Splitting::enlist(std::uint32_t variable) {
  if (in_use(variable)) return;
  position_[variable] = static_cast<std::uint32_t>(used_.size());
  used_.push_back(variable);
}

void Splitting::strike_if_idle(std::uint32_t variable) {
  if (!seen(variable).is_zero()) return;
  const std::uint32_t at = position_[variable];
  used_[at] = used_.back();
  position_[used_[at]] = at;
  used_.pop_back();
  position_[variable] = unused;
}

void Splitting::add(std::uint32_t variable) {
  enlist(variable);
  ++counts_[variable];
  ++n_splits_;
}

void Splitting::remove(std::uint32_t variable) {
  --counts_[variable];
  --n_splits_;
  strike_if_idle(variable);
}

void Splitting::add_ghosts(const std::vector<Ghost>& ghosts) {
  for (const Ghost& ghost : ghosts) {
    enlist(ghost.variable);
    if (ghost.count.counted()) {
      ghosts_[ghost.variable] += ghost.count.count();
      n_ghosts_ += ghost.count.count();
    } else {
      giants_.push_back(ghost);
    }
  }
}

void Splitting::remove_ghosts(const std::vector<Ghost>& ghosts) {
  for (const Ghost& ghost : ghosts) {
    if (ghost.count.counted()) {
      ghosts_[ghost.variable] -= ghost.count.count();
      n_ghosts_ -= ghost.count.count();
    } else {
      giants_.erase(std::find(giants_.begin(), giants_.end(), ghost));
    }
    strike_if_idle(ghost.variable);
  }
}

double Splitting::counted(std::uint32_t variable) const {
  const double splits = static_cast<double>(counts_[variable]);
  return ghosts_.empty() ? splits : splits + ghosts_[variable];
}

LogCount Splitting::seen(std::uint32_t variable) const {
  LogCount total = counted(variable);
  for (const Ghost& ghost : giants_)
    if (ghost.variable == variable) total += ghost.count;
  return total;
}

LogCount Splitting::seen_total() const {
  LogCount total = counted_total();
  for (const Ghost& ghost : giants_) total += ghost.count;
  return total;
}

double Splitting::log_urn_weight(std::uint32_t variable) const {
  const double weight = alpha_ * weights_[variable];
  if (giants_.empty()) return fixed_math::log(weight + counted(variable));
  return fixed_math::log_add(fixed_math::log(weight), seen(variable).log());
}

// From the weights, or from an explicit s. The variable after this one is drawn already now, so
// that its column is on its way while other work goes on: nothing but an update of s can change
// what it depends on.
std::uint32_t Splitting::draw_base(Rng& rng) const {
  const std::uint32_t drawn = next_base_ == unused ? draw_from_base(rng) : next_base_;
  next_base_ = draw_from_base(rng);
  eligibility_.prefetch(next_base_);
  return drawn;
}

std::uint32_t Splitting::draw_from_base(Rng& rng) const {
  const auto& variables = eligibility_.variables();
  if (cumulative_.empty())
    return variables[rng.below(static_cast<std::uint32_t>(variables.size()))];
  const double u = rng.uniform() * cumulative_.back();
  const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end(), u) - cumulative_.begin();
  return variables[std::min(static_cast<std::size_t>(at), variables.size() - 1)];
}

// One draw from s, or from the urn that also holds the `local` ghosts.
std::uint32_t Splitting::draw_any(Rng& rng, const std::vector<Ghost>& local,
                                  double local_total) const {
  if (prior_ != SplitPrior::collapsed || !learning_) return draw_base(rng);
  if (!giants_.empty()) return draw_beside_giants(rng, local);
  const double drawn = counted_total() + local_total;
  double u = rng.uniform() * (drawn + alpha_ * weight_total_);
  if (u >= drawn) return draw_base(rng);
  for (const std::uint32_t j : used_) {
    u -= counted(j);
    if (u < 0) return j;
  }
  for (const Ghost& ghost : local) {
    u -= ghost.count.count();
    if (u < 0) return ghost.variable;
  }
  return local.empty() ? used_.back() : local.back().variable;  // u was lost to rounding
}

std::uint32_t Splitting::draw_beside_giants(Rng& rng, const std::vector<Ghost>& local) const {
  std::vector<double> log_weights;
  for (const std::uint32_t j : used_) log_weights.push_back(seen(j).log());
  for (const Ghost& ghost : local) log_weights.push_back(ghost.count.log());
  log_weights.push_back(fixed_math::log(alpha_ * weight_total_));
  const std::size_t k = pick_by_log(log_weights, rng);
  if (k + 1 == log_weights.size()) return draw_base(rng);
  return k < used_.size() ? used_[k] : local[k - used_.size()].variable;
}

std::uint32_t Splitting::draw(const RowSet& rows, Rng& rng, std::vector<Ghost>& ghosts) const {
  ghosts.clear();
  if (!eligibility_.may_exhaust(rows.size)) return draw_any(rng, ghosts, 0.0);
  if (prior_ == SplitPrior::collapsed && learning_) return draw_with_ghosts(rows, rng, ghosts);
  constexpr int patience = 64;
  for (int attempt = 0; attempt < patience; ++attempt) {
    const std::uint32_t variable = draw_any(rng, ghosts, 0.0);
    if (eligibility_.eligible(rows, variable)) return variable;
  }
  return draw_among_eligible(rows, rng);
}

// By inversion over the eligible variables: for nodes where they have little weight.
std::uint32_t Splitting::draw_among_eligible(const RowSet& rows, Rng& rng) const {
  std::vector<std::uint32_t> candidates;
  std::vector<double> log_weights;
  for (const std::uint32_t j : eligibility_.variables()) {
    if (!eligibility_.eligible(rows, j)) continue;
    candidates.push_back(j);
    log_weights.push_back(log_s_.empty() ? fixed_math::log(weights_[j]) : log_s_[j]);
  }
  return candidates[pick_by_log(log_weights, rng)];
}

double Splitting::log_exchange(std::uint32_t lost, std::uint32_t gained) const {
  if (lost == gained) return 0;
  if (!learning_) return fixed_math::log(weights_[gained] / weights_[lost]);
  // One split less on the variable that loses it; beside a giant one split is nothing.
  const double without = alpha_ * weights_[lost] + counted(lost) - 1.0;
  const double log_lost = seen(lost).counted() ? fixed_math::log(without) : log_urn_weight(lost);
  return log_urn_weight(gained) - log_lost;
}

double Splitting::log_mass(const std::vector<std::uint32_t>& ineligible) const {
  if (ineligible.empty()) return 0;
  double lost = 0;
  for (const std::uint32_t j : ineligible) lost += fixed_math::exp(log_s_[j]);
  if (lost < 0.999) return fixed_math::log(1.0 - lost);
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  const auto& variables = eligibility_.variables();
  auto skip = ineligible.begin();
  std::vector<double> rest;
  for (const std::uint32_t j : variables) {
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

}  // namespace bayesvc
