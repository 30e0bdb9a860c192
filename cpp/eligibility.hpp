// Which variables can still split a node, and by which rules.
//
// A variable is eligible in a node if one of its columns has an admissible cutpoint there. A
// variable that is ineligible in the root is ineligible everywhere and takes no part.
#pragma once

#include <cstdint>
#include <vector>

#include "columns.hpp"
#include "cutpoints.hpp"
#include "kernels.hpp"
#include "rng.hpp"
#include "tree.hpp"

namespace bayesvc {

class Eligibility {
 public:
  // Variables of weight zero take no part either.
  Eligibility(const Columns& columns, const Kernels& kernels, const std::vector<double>& weights,
              std::uint32_t min_rows);

  // The variables that can be split on somewhere, ascending.
  const std::vector<std::uint32_t>& variables() const { return variables_; }
  std::uint32_t min_rows() const { return cutpoints_.min_rows(); }

  // Can any of the variables be ineligible in some node, or in one of this size?
  bool exhausts() const { return exhaust_below_ > 0; }
  bool may_exhaust(std::uint32_t n_rows) const { return n_rows < exhaust_below_; }
  bool eligible(const RowSet& rows, std::uint32_t variable) const;
  std::vector<std::uint32_t> ineligible(const RowSet& rows) const;

  // Is some variable eligible? `surely_*` answer from the size alone where that is possible.
  bool surely_splittable(std::uint32_t n_rows) const { return n_rows >= splittable_from_; }
  bool surely_unsplittable(std::uint32_t n_rows) const { return n_rows < 2 * min_rows(); }
  bool splittable(const RowSet& rows) const;

  // A rule from its prior, given its variable, which is eligible, and given that it is admissible:
  // check, and draw its cutpoint again if it is not.
  Rule draw(const RowSet& rows, std::uint32_t variable, Rng& rng) const;
  void draw_cutpoint(const RowSet& rows, Rule& rule, Rng& rng) const {
    rule.cutpoint = cutpoints_.draw(rows, rule.coding, rng);
  }
  // Another cutpoint near that of the rule, within the range if it is ordered; it may be
  // inadmissible, or the same. Each proposes the other with the same probability.
  void draw_near(const RowSet& rows, Rule& rule, CodeRange range, std::uint32_t width,
                 Rng& rng) const {
    rule.cutpoint = columns_.categorical(rule.coding)
                        ? cutpoints_.draw_near_subset(rows, rule.coding, rule.cutpoint, rng)
                        : cutpoints_.draw_near(rows, rule.coding, rule.cutpoint, range, width, rng);
  }
  bool admissible(std::uint32_t n_left, std::uint32_t n_rows) const {
    return cutpoints_.admissible(n_left, n_rows);
  }
  // The inverse of the prior probability of any such rule; zero where there is none.
  double n_choices(const RowSet& rows, const Rule& rule) const;
  // The number of rows alone tells it.
  bool untied(const Rule& rule) const {
    return columns_.plain(rule.variable) && cutpoints_.untied(rule.coding);
  }
  double n_choices_untied(std::uint32_t n_rows) const { return cutpoints_.count_untied(n_rows); }

  void prefetch(std::uint32_t variable) const { columns_.prefetch(columns_.members(variable)[0]); }

 private:
  std::uint32_t surely_from(std::uint32_t variable) const;
  // The codings of a column, given its first, that have an admissible cutpoint.
  std::uint32_t n_usable_codings(const RowSet& rows, std::uint32_t first) const;
  void classify_rows();

  const Columns& columns_;
  const Kernels& kernels_;
  Cutpoints cutpoints_;
  std::vector<std::uint32_t> variables_;
  std::uint32_t exhaust_below_ = 0;
  std::uint32_t splittable_from_ = 0xffffffff;
  std::vector<std::uint32_t> row_class_;       // rows alike in every variable share a class
  mutable std::vector<std::uint32_t> usable_;  // scratch
};

}  // namespace bayesvc
