#include "eligibility.hpp"

#include <algorithm>
#include <unordered_map>

namespace bayesvc {

Eligibility::Eligibility(const Columns& columns, const Kernels& kernels,
                         const std::vector<double>& weights, std::uint32_t min_rows)
    : columns_(columns), kernels_(kernels), cutpoints_(columns, kernels, min_rows) {
  const auto n = static_cast<std::uint32_t>(columns.n());
  const std::vector<LeafId> root(columns.n(), 0);
  for (std::uint32_t j = 0; j < columns.p(); ++j) {
    if (!(weights[j] > 0) || !eligible({root.data(), 0, 0, n}, j)) continue;
    variables_.push_back(j);
    exhaust_below_ = std::max(exhaust_below_, surely_from(j));
    splittable_from_ = std::min(splittable_from_, surely_from(j));
  }
  // Every variable is eligible in the root, and with untied columns alone in any node that can be
  // split at all.
  exhaust_below_ = std::min(exhaust_below_, n);
  if (exhaust_below_ <= 2 * min_rows) exhaust_below_ = 0;
  if (min_rows == 1 && splittable_from_ > 2) classify_rows();
}

// From this many rows on, ties cannot make the variable ineligible.
std::uint32_t Eligibility::surely_from(std::uint32_t variable) const {
  std::uint32_t least = 0xffffffff;
  for (const std::uint32_t coding : columns_.members(variable))
    least = std::min(least, cutpoints_.surely_from(coding));
  return least;
}

std::uint32_t Eligibility::n_usable_codings(const RowSet& rows, std::uint32_t first) const {
  std::uint32_t number = 0;
  for (std::uint32_t k = 0; k < columns_.n_alike(first); ++k)
    number += cutpoints_.any(rows, first + k);
  return number;
}

bool Eligibility::eligible(const RowSet& rows, std::uint32_t variable) const {
  for (const std::uint32_t first : columns_.members(variable))
    if (n_usable_codings(rows, first) > 0) return true;
  return false;
}

std::vector<std::uint32_t> Eligibility::ineligible(const RowSet& rows) const {
  std::vector<std::uint32_t> found;
  if (may_exhaust(rows.size))
    for (const std::uint32_t j : variables_)
      if (!eligible(rows, j)) found.push_back(j);
  return found;
}

bool Eligibility::splittable(const RowSet& rows) const {
  if (surely_unsplittable(rows.size)) return false;
  if (surely_splittable(rows.size)) return true;
  if (min_rows() == 1) {
    const ColumnView classes{row_class_.data(), CodeWidth::bits32};
    return !row_class_.empty() && kernels_.has_two_values(columns_.n(), rows, classes);
  }
  return std::any_of(variables_.begin(), variables_.end(),
                     [&](std::uint32_t j) { return eligible(rows, j); });
}

Rule Eligibility::draw(const RowSet& rows, std::uint32_t variable, Rng& rng) const {
  const auto members = columns_.members(variable);
  Rule rule{variable, members[0]};
  if (members.size() > 1) {
    usable_.clear();
    for (const std::uint32_t first : members)
      if (n_usable_codings(rows, first) > 0) usable_.push_back(first);
    rule.coding = usable_[rng.below(static_cast<std::uint32_t>(usable_.size()))];
  }
  if (columns_.n_alike(rule.coding) > 1) {
    const std::uint32_t number = rng.below(n_usable_codings(rows, rule.coding));
    for (std::uint32_t left = number;; ++rule.coding)
      if (cutpoints_.any(rows, rule.coding) && left-- == 0) break;
  }
  draw_cutpoint(rows, rule, rng);
  return rule;
}

double Eligibility::n_choices(const RowSet& rows, const Rule& rule) const {
  const double n_cutpoints = cutpoints_.count(rows, rule.coding);
  const std::uint32_t first = columns_.first_coding(rule.coding);
  if (n_cutpoints == 0) return 0;
  const double n_codings = columns_.n_alike(first) > 1 ? n_usable_codings(rows, first) : 1;
  if (columns_.one_column(rule.variable)) return n_cutpoints * n_codings;
  double n_columns = 0;
  for (const std::uint32_t other : columns_.members(rule.variable))
    n_columns += n_usable_codings(rows, other) > 0;
  return n_cutpoints * n_codings * n_columns;
}

// Refines the classes column by column until every row is alone or the columns end.
void Eligibility::classify_rows() {
  row_class_.assign(columns_.n(), 0);
  std::unordered_map<std::uint64_t, std::uint32_t> seen;
  for (const std::uint32_t j : variables_) {
    for (const std::uint32_t coding : columns_.members(j)) {
      seen.clear();
      for (std::size_t i = 0; i < columns_.n(); ++i) {
        const std::uint64_t key = (std::uint64_t{row_class_[i]} << 32) | columns_.code(coding, i);
        row_class_[i] =
            seen.try_emplace(key, static_cast<std::uint32_t>(seen.size())).first->second;
      }
      if (seen.size() == columns_.n()) return;
    }
  }
}

}  // namespace bayesvc
