// Which variables can still split a node, and at which cuts.
//
// A cut is admissible if it leaves at least `min_rows` rows on either side; a variable is eligible
// in a node if it has an admissible cut there. A variable that is ineligible in the root is
// ineligible everywhere and takes no part.
#pragma once

#include <cstdint>
#include <vector>

#include "columns.hpp"
#include "kernels.hpp"
#include "rng.hpp"

namespace bayesvc {

class Eligibility {
 public:
  // Variables of weight zero take no part either.
  Eligibility(const Columns& columns, const Kernels& kernels, const std::vector<double>& weights,
              std::uint32_t min_rows);

  // The variables that can be split on somewhere, ascending.
  const std::vector<std::uint32_t>& variables() const { return variables_; }
  std::uint32_t min_rows() const { return min_rows_; }

  // Can any of the variables be ineligible in a node of this size?
  bool may_exhaust(std::uint32_t n_rows) const { return n_rows < exhaust_below_; }
  bool eligible(const RowSet& rows, std::uint32_t variable) const;
  std::vector<std::uint32_t> ineligible(const RowSet& rows) const;

  // Is some variable eligible? `surely_*` answer from the size alone where that is possible.
  bool surely_splittable(std::uint32_t n_rows) const { return n_rows >= splittable_from_; }
  bool surely_unsplittable(std::uint32_t n_rows) const { return n_rows < 2 * min_rows_; }
  bool splittable(const RowSet& rows) const;

  bool untied(std::uint32_t variable) const { return columns_.max_ties(variable) == 1; }
  // How many of the variable's cuts are admissible.
  std::uint32_t n_cuts(const RowSet& rows, std::uint32_t variable) const;
  // An observed value for an eligible variable, uniform over the admissible cuts given that it is
  // one of them: check, and draw again if it is not.
  std::uint32_t draw_cut(const RowSet& rows, std::uint32_t variable, Rng& rng) const;
  bool admissible(std::uint32_t n_left, std::uint32_t n_rows) const {
    return n_left >= min_rows_ && n_rows - n_left >= min_rows_;
  }

  void prefetch(std::uint32_t variable) const { columns_.prefetch(variable); }
  std::size_t random_row(const RowSet& rows, Rng& rng) const;

 private:
  // From this many rows on, ties cannot make the variable ineligible.
  std::uint32_t surely_from(std::uint32_t variable) const {
    return 2 * min_rows_ - 1 + columns_.max_ties(variable);
  }
  const std::vector<std::uint32_t>& admissible_cuts(const RowSet& rows,
                                                    std::uint32_t variable) const;
  bool few_values(std::uint32_t variable) const { return columns_.n_distinct(variable) <= 32; }
  void gather_codes(const RowSet& rows, std::uint32_t variable) const;
  void sort_codes(std::uint32_t n_distinct) const;
  std::uint32_t count_distinct_codes(std::uint32_t n_distinct) const;
  void classify_rows();

  const Columns& columns_;
  const Kernels& kernels_;
  std::uint32_t min_rows_;
  std::vector<std::uint32_t> variables_;
  std::uint32_t exhaust_below_ = 0;
  std::uint32_t splittable_from_ = 0xffffffff;
  std::vector<std::uint32_t> row_class_;  // rows alike in every variable share a class
  mutable std::vector<std::uint32_t> codes_, cuts_, by_code_;  // scratch
};

}  // namespace bayesvc
