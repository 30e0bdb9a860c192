#include "cutpoints.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bayesvc {

bool Cutpoints::any(const RowSet& rows, std::uint32_t coding) const {
  if (rows.size < 2 * min_rows_) return false;
  if (rows.size >= surely_from(coding)) return true;
  if (min_rows_ == 1) return kernels_.has_two_values(columns_.n(), rows, columns_.view(coding));
  return count(rows, coding) > 0;
}

double Cutpoints::count(const RowSet& rows, std::uint32_t coding) const {
  if (rows.size < 2 * min_rows_) return 0;
  if (columns_.categorical(coding)) {
    count_categories(rows, coding);
    count_small_subsets();
    const auto absent = static_cast<int>(columns_.n_categories(coding) - present_.size());
    return std::ldexp(completions(0, 0, 0), absent);
  }
  if (untied(coding)) return count_untied(rows.size);
  if (min_rows_ > 1 || few_values(coding)) return static_cast<double>(listed(rows, coding).size());
  gather_codes(rows, coding);
  return count_distinct_codes(columns_.n_distinct(coding)) - 1.0;
}

// In a tied column by rejection: any code, taken if it occurs in the node; or, in nodes with fewer
// rows than the column has codes, the code of a random row, taken with probability one over the
// number of rows that share it. Where that fails too often all cutpoints are listed. Whichever way
// comes to a result, it is uniform.
std::uint64_t Cutpoints::draw(const RowSet& rows, std::uint32_t coding, Rng& rng) const {
  if (columns_.categorical(coding)) {
    count_categories(rows, coding);
    return draw_subset(columns_.n_categories(coding), rng);
  }
  if (untied(coding)) return columns_.code(coding, random_row(rows, rng));
  const std::uint32_t n_distinct = columns_.n_distinct(coding);
  const bool from_rows = rows.size < n_distinct;
  constexpr int patience = 4;
  for (int attempt = 0; attempt < patience && !few_values(coding); ++attempt) {
    const std::uint32_t cutpoint =
        from_rows ? columns_.code(coding, random_row(rows, rng)) : rng.below(n_distinct);
    const std::uint32_t ties =
        kernels_.count_code(columns_.n(), rows, columns_.view(coding), cutpoint);
    if (ties == 1 || (ties > 1 && (!from_rows || rng.below(ties) == 0))) return cutpoint;
  }
  const auto& cutpoints = listed(rows, coding);
  return cutpoints[rng.below(static_cast<std::uint32_t>(cutpoints.size()))];
}

// The window is placed at random around the cutpoint. Seen from any cutpoint in it, it is as likely
// as from any other, and each value of the node in it is as likely to be drawn (by rejection, as in
// `draw`).
std::uint64_t Cutpoints::draw_near(const RowSet& rows, std::uint32_t coding, std::uint64_t cutpoint,
                                   CodeRange range, std::uint32_t width, Rng& rng) const {
  const auto here = static_cast<std::uint32_t>(cutpoint);
  const std::uint32_t below = rng.below(width + 1);
  range.low = std::max(range.low, here - std::min(below, here));
  range.high = std::min(range.high, here + (width - below));
  const ColumnView column = columns_.view(coding);
  if (few_values(coding)) {
    const std::uint32_t wanted = (~0u >> (31 - range.high)) & (~0u << range.low);
    std::uint32_t present = kernels_.present_codes(columns_.n(), rows, column) & wanted;
    auto skip = rng.below(static_cast<std::uint32_t>(std::popcount(present)));
    for (; skip > 0; --skip) present &= present - 1;
    return static_cast<std::uint64_t>(std::countr_zero(present));
  }
  const bool from_rows = rows.size < columns_.n_distinct(coding);
  for (;;) {
    const std::uint32_t code = from_rows ? columns_.code(coding, random_row(rows, rng))
                                         : range.low + rng.below(range.high - range.low + 1);
    if (!range.has(code)) continue;
    if (untied(coding)) return code;
    const std::uint32_t ties = kernels_.count_code(columns_.n(), rows, column, code);
    if (ties == 1 || (ties > 1 && (!from_rows || rng.below(ties) == 0))) return code;
  }
}

std::uint64_t Cutpoints::draw_near_subset(const RowSet& rows, std::uint32_t coding,
                                          std::uint64_t cutpoint, Rng& rng) const {
  count_categories(rows, coding);
  const std::uint32_t moved = present_[rng.below(static_cast<std::uint32_t>(present_.size()))];
  return cutpoint ^ (std::uint64_t{1} << moved);
}

std::size_t Cutpoints::random_row(const RowSet& rows, Rng& rng) const {
  const auto n = static_cast<std::uint32_t>(columns_.n());
  if (rows.size >= n / 16) {
    for (;;) {
      const std::uint32_t row = rng.below(n);
      if (rows.has(row)) return row;
    }
  }
  return kernels_.nth_row(n, rows, rng.below(rows.size));
}

// The admissible cutpoints of an ordered column.
const std::vector<std::uint32_t>& Cutpoints::listed(const RowSet& rows,
                                                    std::uint32_t coding) const {
  cutpoints_.clear();
  const ColumnView column = columns_.view(coding);
  if (min_rows_ == 1 && few_values(coding)) {
    std::uint32_t present = kernels_.present_codes(columns_.n(), rows, column);
    for (; present & (present - 1); present &= present - 1)  // all but the largest
      cutpoints_.push_back(static_cast<std::uint32_t>(std::countr_zero(present)));
    return cutpoints_;
  }
  gather_codes(rows, coding);
  sort_codes(columns_.n_distinct(coding));
  const std::size_t size = codes_.size();
  for (std::size_t i = min_rows_; i + min_rows_ <= size; ++i)
    if (codes_[i] != codes_[i - 1]) cutpoints_.push_back(codes_[i - 1]);
  return cutpoints_;
}

// Without a branch: whether a row belongs to the node is hard to predict.
void Cutpoints::gather_codes(const RowSet& rows, std::uint32_t coding) const {
  codes_.resize(rows.size + std::size_t{1});  // the last place is written to, but not kept
  std::uint32_t* next = codes_.data();
  with_codes(columns_.view(coding), [&](const auto* codes) {
    for (std::size_t i = 0; i < columns_.n(); ++i) {
      *next = codes[i];
      next += rows.has(i);
    }
  });
  codes_.resize(rows.size);
}

void Cutpoints::sort_codes(std::uint32_t n_distinct) const {
  if (codes_.size() < n_distinct / 8) return std::sort(codes_.begin(), codes_.end());
  by_code_.assign(n_distinct, 0);
  for (const std::uint32_t code : codes_) ++by_code_[code];
  auto out = codes_.begin();
  for (std::uint32_t code = 0; code < n_distinct; ++code)
    out = std::fill_n(out, by_code_[code], code);
}

std::uint32_t Cutpoints::count_distinct_codes(std::uint32_t n_distinct) const {
  if (by_code_.size() < n_distinct) by_code_.resize(n_distinct);
  for (const std::uint32_t code : codes_) by_code_[code] = 0;
  std::uint32_t count = 0;
  for (const std::uint32_t code : codes_) count += by_code_[code]++ == 0;
  return count;
}

void Cutpoints::count_categories(const RowSet& rows, std::uint32_t coding) const {
  gather_codes(rows, coding);
  by_code_.assign(columns_.n_categories(coding), 0);
  for (const std::uint32_t code : codes_) ++by_code_[code];
  present_.clear();
  rows_of_.clear();
  for (std::uint32_t category = 0; category < columns_.n_categories(coding); ++category) {
    if (by_code_[category] == 0) continue;
    present_.push_back(category);
    rows_of_.push_back(by_code_[category]);
  }
}

// small_subsets_[i * min_rows + s]: subsets of the present categories from the i-th on with at most
// s rows.
void Cutpoints::count_small_subsets() const {
  const std::size_t m = present_.size();
  small_subsets_.assign((m + 1) * min_rows_, 1.0);
  for (std::size_t i = m; i-- > 0;) {
    const double* after = &small_subsets_[(i + 1) * min_rows_];
    for (std::size_t s = 0; s < min_rows_; ++s)
      small_subsets_[i * min_rows_ + s] =
          after[s] + (s >= rows_of_[i] ? after[s - rows_of_[i]] : 0.0);
  }
}

// In how many ways the present categories from `next` on can be sent left and right, if that many
// rows went there before: all ways but those that leave too few on one side. No way leaves too few
// on both.
double Cutpoints::completions(std::size_t next, std::uint32_t n_left, std::uint32_t n_right) const {
  double ways = std::ldexp(1.0, static_cast<int>(present_.size() - next));
  for (const std::uint32_t so_far : {n_left, n_right})
    if (so_far < min_rows_) ways -= small_subsets_[next * min_rows_ + (min_rows_ - 1 - so_far)];
  return ways;
}

// Categories that are not in the node go either way.
std::uint64_t Cutpoints::draw_subset(std::uint32_t n_categories, Rng& rng) const {
  const std::uint64_t all = ~std::uint64_t{0} >> (max_categories - n_categories);
  std::uint64_t present = 0;
  for (const std::uint32_t category : present_) present |= std::uint64_t{1} << category;
  std::uint64_t left = rng.bits() & all;
  if (min_rows_ == 1) {
    while ((left & present) == 0 || (left & present) == present) left = rng.bits() & all;
    return left;
  }
  count_small_subsets();
  std::uint32_t n_left = 0, n_right = 0;
  left &= ~present;
  for (std::size_t i = 0; i < present_.size(); ++i) {
    const double if_left = completions(i + 1, n_left + rows_of_[i], n_right);
    const double if_right = completions(i + 1, n_left, n_right + rows_of_[i]);
    const bool go_left = rng.uniform() * (if_left + if_right) < if_left;
    (go_left ? n_left : n_right) += rows_of_[i];
    if (go_left) left |= std::uint64_t{1} << present_[i];
  }
  return left;
}

}  // namespace bayesvc
