// The cutpoints of one coding in a node.
//
// A cutpoint is admissible if it leaves at least `min_rows` rows on either side. In an ordered
// column it is one of the node's values; in a categorical one a subset of all categories.
#pragma once

#include <cstdint>
#include <vector>

#include "columns.hpp"
#include "kernels.hpp"
#include "rng.hpp"

namespace bayesvc {

// The codes from `low` to `high`; there is one at least.
struct CodeRange {
  std::uint32_t low = 0, high = 0;
  bool has(std::uint32_t code) const { return low <= code && code <= high; }
};

class Cutpoints {
 public:
  Cutpoints(const Columns& columns, const Kernels& kernels, std::uint32_t min_rows)
      : columns_(columns), kernels_(kernels), min_rows_(min_rows) {}

  std::uint32_t min_rows() const { return min_rows_; }
  bool admissible(std::uint32_t n_left, std::uint32_t n_rows) const {
    return n_left >= min_rows_ && n_rows - n_left >= min_rows_;
  }
  // Is there an admissible cutpoint? From `surely_from` rows on, ties cannot take away the last
  // one.
  bool any(const RowSet& rows, std::uint32_t coding) const;
  std::uint32_t surely_from(std::uint32_t coding) const {
    return 2 * min_rows_ - 1 + columns_.max_ties(coding);
  }
  // How many cutpoints are admissible.
  double count(const RowSet& rows, std::uint32_t coding) const;
  // Every row has another value, and the number of rows alone tells that of the cutpoints.
  bool untied(std::uint32_t coding) const {
    return columns_.max_ties(coding) == 1 && !columns_.categorical(coding);
  }
  double count_untied(std::uint32_t n_rows) const { return n_rows - 2.0 * min_rows_ + 1.0; }
  // Uniform over the admissible cutpoints given that it is one of them: check, and draw again if it
  // is not. There must be one.
  std::uint64_t draw(const RowSet& rows, std::uint32_t coding, Rng& rng) const;

  // One of the node's values in an ordered column that is within `range`, as the cutpoint is, and
  // in a window of this width that holds both. Each proposes the other with the same probability.
  // It may be inadmissible, or the same.
  std::uint64_t draw_near(const RowSet& rows, std::uint32_t coding, std::uint64_t cutpoint,
                          CodeRange range, std::uint32_t width, Rng& rng) const;
  // The same for a subset of categories: one that occurs in the node goes to the other side.
  std::uint64_t draw_near_subset(const RowSet& rows, std::uint32_t coding, std::uint64_t cutpoint,
                                 Rng& rng) const;

  std::size_t random_row(const RowSet& rows, Rng& rng) const;

 private:
  bool few_values(std::uint32_t coding) const { return columns_.n_distinct(coding) <= 32; }
  const std::vector<std::uint32_t>& listed(const RowSet& rows, std::uint32_t coding) const;
  void gather_codes(const RowSet& rows, std::uint32_t coding) const;
  void sort_codes(std::uint32_t n_distinct) const;
  std::uint32_t count_distinct_codes(std::uint32_t n_distinct) const;

  void count_categories(const RowSet& rows, std::uint32_t coding) const;
  void count_small_subsets() const;
  double completions(std::size_t next, std::uint32_t n_left, std::uint32_t n_right) const;
  std::uint64_t draw_subset(std::uint32_t n_categories, Rng& rng) const;

  const Columns& columns_;
  const Kernels& kernels_;
  std::uint32_t min_rows_;
  mutable std::vector<std::uint32_t> codes_, cutpoints_, by_code_;  // scratch
  mutable std::vector<std::uint32_t> present_, rows_of_;            // categories in the node
  mutable std::vector<double> small_subsets_;
};

}  // namespace bayesvc
