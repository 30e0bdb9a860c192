#include "eligibility.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace bayesvc {

Eligibility::Eligibility(const Columns& columns, const Kernels& kernels,
                         const std::vector<double>& weights, std::uint32_t min_rows)
    : columns_(columns), kernels_(kernels), min_rows_(min_rows) {
  const auto n = static_cast<std::uint32_t>(columns.n());
  const std::vector<LeafId> root(columns.n(), 0);
  for (std::uint32_t j = 0; j < columns.p(); ++j) {
    if (!(weights[j] > 0) || !eligible({root.data(), 0, 0, n}, j)) continue;
    variables_.push_back(j);
    exhaust_below_ = std::max(exhaust_below_, surely_from(j));
    splittable_from_ = std::min(splittable_from_, surely_from(j));
    all_untied_ = all_untied_ && untied(j);
  }
  // Every variable is eligible in the root, and with untied columns alone in any node that can be
  // split at all.
  exhaust_below_ = std::min(exhaust_below_, n);
  if (exhaust_below_ <= 2 * min_rows_) exhaust_below_ = 0;
  if (min_rows_ == 1 && splittable_from_ > 2) classify_rows();
}

bool Eligibility::eligible(const RowSet& rows, std::uint32_t variable) const {
  if (rows.size < 2 * min_rows_) return false;
  if (rows.size >= surely_from(variable)) return true;
  if (min_rows_ == 1) return kernels_.has_two_values(columns_.n(), rows, columns_.view(variable));
  return !admissible_cuts(rows, variable).empty();
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
  if (min_rows_ == 1) {
    const ColumnView classes{row_class_.data(), CodeWidth::bits32};
    return !row_class_.empty() && kernels_.has_two_values(columns_.n(), rows, classes);
  }
  return std::any_of(variables_.begin(), variables_.end(),
                     [&](std::uint32_t j) { return eligible(rows, j); });
}

std::uint32_t Eligibility::n_cuts(const RowSet& rows, std::uint32_t variable) const {
  if (rows.size < 2 * min_rows_) return 0;
  if (untied(variable)) return rows.size - 2 * min_rows_ + 1;
  return static_cast<std::uint32_t>(admissible_cuts(rows, variable).size());
}

std::uint32_t Eligibility::draw_cut(const RowSet& rows, std::uint32_t variable, Rng& rng) const {
  if (untied(variable)) return columns_.code(variable, random_row(rows, rng));
  const auto& cuts = admissible_cuts(rows, variable);
  return cuts[rng.below(static_cast<std::uint32_t>(cuts.size()))];
}

std::size_t Eligibility::random_row(const RowSet& rows, Rng& rng) const {
  const auto n = static_cast<std::uint32_t>(columns_.n());
  if (rows.size >= n / 16) {
    for (;;) {
      const std::uint32_t row = rng.below(n);
      if (rows.has(row)) return row;
    }
  }
  return kernels_.nth_row(n, rows, rng.below(rows.size));
}

const std::vector<std::uint32_t>& Eligibility::admissible_cuts(const RowSet& rows,
                                                               std::uint32_t variable) const {
  cuts_.clear();
  const ColumnView column = columns_.view(variable);
  if (min_rows_ == 1 && columns_.n_distinct(variable) <= 32) {
    std::uint32_t present = kernels_.present_codes(columns_.n(), rows, column);
    for (; present & (present - 1); present &= present - 1)  // all but the largest
      cuts_.push_back(static_cast<std::uint32_t>(std::countr_zero(present)));
    return cuts_;
  }
  codes_.clear();
  with_codes(column, [&](const auto* codes) {
    for (std::size_t i = 0; i < columns_.n(); ++i)
      if (rows.has(i)) codes_.push_back(codes[i]);
  });
  std::sort(codes_.begin(), codes_.end());
  const std::size_t size = codes_.size();
  for (std::size_t i = min_rows_; i + min_rows_ <= size; ++i)
    if (codes_[i] != codes_[i - 1]) cuts_.push_back(codes_[i - 1]);
  return cuts_;
}

// Refines the classes column by column until every row is alone or the columns end.
void Eligibility::classify_rows() {
  row_class_.assign(columns_.n(), 0);
  std::unordered_map<std::uint64_t, std::uint32_t> seen;
  for (const std::uint32_t j : variables_) {
    seen.clear();
    for (std::size_t i = 0; i < columns_.n(); ++i) {
      const std::uint64_t key = (std::uint64_t{row_class_[i]} << 32) | columns_.code(j, i);
      row_class_[i] = seen.try_emplace(key, static_cast<std::uint32_t>(seen.size())).first->second;
    }
    if (seen.size() == columns_.n()) break;
  }
}

}  // namespace bayesvc
