// Kept trees of one fit, as rules on raw values, for prediction.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "forest.hpp"

namespace bayesvc {

struct SavedForests {
  std::size_t n_trees = 0;
  // Nodes of all trees of all draws in preorder. A split has its column, its cutpoint value and the
  // distance to its right child; a leaf has variable -1 and its value. Missing values go right.
  std::vector<std::int32_t> variable;
  std::vector<std::int32_t> right;
  std::vector<double> value;
  std::vector<std::uint64_t> tree_start;  // n_draws * n_trees
  // By node, but empty where no rule needs it: missing values go left; the categories that go left,
  // one to a bit, in a split on categories.
  std::vector<std::uint8_t> missing_left;
  std::vector<std::uint64_t> subset;

  std::size_t n_draws() const { return n_trees ? tree_start.size() / n_trees : 0; }
  void add(const Forest& forest);
  // Makes room for so many draws of about the size of this one.
  void reserve(const Forest& forest, std::size_t n_draws);
  // Throws std::invalid_argument if the arrays do not describe trees on p columns.
  void check(std::size_t p) const;
  // Whether a row with this value in the column of a split goes to its left child.
  bool goes_left(std::uint64_t node, double x) const;
  // Every so many draws, beginning with the first.
  SavedForests every(std::size_t step) const;
  // For each tree of each draw, whether it splits on one of the columns.
  std::vector<char> split_on_any(const std::vector<std::int32_t>& columns) const;
  // out[draw * n_rows + i] = sum of the trees of the draw at row i, of those that are wanted: one
  // flag for each tree of each draw, or none for all. Quickest with row_stride 1.
  void predict(const double* x, std::size_t n_rows, std::ptrdiff_t row_stride,
               std::ptrdiff_t column_stride, std::size_t n_threads, double* out,
               const std::vector<char>& wanted = {}) const;

 private:
  static constexpr std::size_t rows_at_once = 256;  // few enough for the first-level cache
  static constexpr std::size_t most_nested = 64;    // splits evaluated within each other
  using Values = std::array<double, rows_at_once>;
  using Scratch = std::deque<Values>;  // one a depth; growing it leaves the others in place
  struct Rows;

  void predict_draw(std::size_t draw, const Rows& rows, const std::vector<char>& wanted,
                    Scratch& scratch, double* sums) const;
  // Writes the value of the subtree at node k for each of at most rows_at_once rows.
  void evaluate(std::uint64_t k, const Rows& rows, std::size_t depth, Scratch& scratch,
                double* out) const;
  // The same, row by row, however deep the subtree is.
  void walk(std::uint64_t k, const Rows& rows, double* out) const;
  // out[i] = choice(i, whether row i goes left at node k).
  template <class Choice>
  void pick(std::uint64_t k, const Rows& rows, double* out, Choice choice) const;
};

}  // namespace bayesvc
