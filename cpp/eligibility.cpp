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
  if (min_rows_ > 1 || few_values(variable))
    return static_cast<std::uint32_t>(admissible_cuts(rows, variable).size());
  gather_codes(rows, variable);
  return count_distinct_codes(columns_.n_distinct(variable)) - 1;
}

// In a tied column by rejection: any code, taken if it occurs in the node; or, in nodes with fewer
// rows than the column has codes, the code of a random row, taken with probability one over the
// number of rows that share it. Where that fails too often all cuts are listed. Whichever way comes
// to a result, it is uniform.
std::uint32_t Eligibility::draw_cut(const RowSet& rows, std::uint32_t variable, Rng& rng) const {
  if (untied(variable)) return columns_.code(variable, random_row(rows, rng));
  const std::uint32_t n_distinct = columns_.n_distinct(variable);
  const bool from_rows = rows.size < n_distinct;
  constexpr int patience = 4;
  for (int attempt = 0; attempt < patience && !few_values(variable); ++attempt) {
    const std::uint32_t cut =
        from_rows ? columns_.code(variable, random_row(rows, rng)) : rng.below(n_distinct);
    const std::uint32_t ties =
        kernels_.count_code(columns_.n(), rows, columns_.view(variable), cut);
    if (ties == 1 || (ties > 1 && (!from_rows || rng.below(ties) == 0))) return cut;
  }
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
  if (min_rows_ == 1 && few_values(variable)) {
    std::uint32_t present = kernels_.present_codes(columns_.n(), rows, column);
    for (; present & (present - 1); present &= present - 1)  // all but the largest
      cuts_.push_back(static_cast<std::uint32_t>(std::countr_zero(present)));
    return cuts_;
  }
  gather_codes(rows, variable);
  sort_codes(columns_.n_distinct(variable));
  const std::size_t size = codes_.size();
  for (std::size_t i = min_rows_; i + min_rows_ <= size; ++i)
    if (codes_[i] != codes_[i - 1]) cuts_.push_back(codes_[i - 1]);
  return cuts_;
}

// Without a branch: whether a row belongs to the node is hard to predict.
void Eligibility::gather_codes(const RowSet& rows, std::uint32_t variable) const {
  codes_.resize(rows.size + std::size_t{1});  // the last place is written to, but not kept
  std::uint32_t* next = codes_.data();
  with_codes(columns_.view(variable), [&](const auto* codes) {
    for (std::size_t i = 0; i < columns_.n(); ++i) {
      *next = codes[i];
      next += rows.has(i);
    }
  });
  codes_.resize(rows.size);
}

void Eligibility::sort_codes(std::uint32_t n_distinct) const {
  if (codes_.size() < n_distinct / 8) return std::sort(codes_.begin(), codes_.end());
  by_code_.assign(n_distinct, 0);
  for (const std::uint32_t code : codes_) ++by_code_[code];
  auto out = codes_.begin();
  for (std::uint32_t code = 0; code < n_distinct; ++code)
    out = std::fill_n(out, by_code_[code], code);
}

std::uint32_t Eligibility::count_distinct_codes(std::uint32_t n_distinct) const {
  if (by_code_.size() < n_distinct) by_code_.resize(n_distinct);
  for (const std::uint32_t code : codes_) by_code_[code] = 0;
  std::uint32_t count = 0;
  for (const std::uint32_t code : codes_) count += by_code_[code]++ == 0;
  return count;
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
