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

void tally(std::vector<Ghost>& ghosts, std::uint32_t variable, double count) {
  if (count <= 0) return;
  for (Ghost& ghost : ghosts) {
    if (ghost.variable != variable) continue;
    ghost.count += count;
    return;
  }
  ghosts.push_back({variable, count});
}

struct Weighted {
  std::uint32_t variable;
  double weight;
};

double total_weight(const std::vector<Weighted>& items) {
  double total = 0;
  for (const Weighted& item : items) total += item.weight;
  return total;
}

std::size_t pick(const std::vector<Weighted>& items, double u) {
  for (std::size_t k = 0; k + 1 < items.size(); ++k) {
    u -= items[k].weight;
    if (u < 0) return k;
  }
  return items.size() - 1;
}

// m draws from the urn that holds these items alone; their weights grow with what is drawn.
void draw_from_urn(std::vector<Weighted>& items, double m, Rng& rng, std::vector<Ghost>& ghosts) {
  constexpr double few = 16;
  if (m <= few) {
    for (; m > 0; --m) {
      Weighted& item = items[pick(items, rng.uniform() * total_weight(items))];
      item.weight += 1;
      tally(ghosts, item.variable, 1);
    }
    return;
  }
  double rest = total_weight(items);
  for (std::size_t k = 0; k < items.size() && m > 0; ++k) {
    double count = m;
    if (k + 1 < items.size()) {
      rest = 0;
      for (std::size_t i = k + 1; i < items.size(); ++i) rest += items[i].weight;
      double log_share, log_other;
      rng.log_beta(items[k].weight, rest, log_share, log_other);
      count = rng.binomial(m, fixed_math::exp(log_share), fixed_math::exp(log_other));
    }
    items[k].weight += count;
    tally(ghosts, items[k].variable, count);
    m -= count;
  }
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

  // The variables in use, and this node's ghosts, by eligibility. All others share `fresh`.
  std::vector<Weighted> can, cannot;
  std::vector<std::uint32_t> known = used_;
  for (const Ghost& ghost : ghosts)
    if (!in_use(ghost.variable)) known.push_back(ghost.variable);
  for (const std::uint32_t j : known) {
    double weight = alpha_ * weights_[j] + seen(j);
    for (const Ghost& ghost : ghosts)
      if (ghost.variable == j) weight += ghost.count;
    (eligibility_.eligible(rows, j) ? can : cannot).push_back({j, weight});
  }
  std::sort(known.begin(), known.end());
  const double can_total = total_weight(can);
  for (;;) {
    const double fresh = alpha_ * weight_outside(known);
    if (!cannot.empty()) {
      double log_success, log_failure;
      rng.log_beta(can_total + fresh, total_weight(cannot), log_success, log_failure);
      draw_from_urn(cannot, rng.geometric(log_success), rng, ghosts);
    }
    double u = rng.uniform() * (can_total + fresh);
    if (u < can_total) return can[pick(can, u)].variable;
    const std::uint32_t variable = draw_outside(known, rng);
    if (eligibility_.eligible(rows, variable)) return variable;
    tally(ghosts, variable, 1);
    cannot.push_back({variable, alpha_ * weights_[variable] + 1});
    known.insert(std::lower_bound(known.begin(), known.end(), variable), variable);
  }
}

}  // namespace bayesvc
