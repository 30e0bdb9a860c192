// Kept trees of one fit, as rules on raw values, for prediction.
#pragma once

#include <cstdint>
#include <vector>

#include "forest.hpp"

namespace bayesvc {

struct SavedForests {
  std::size_t n_trees = 0;
  // Nodes of all trees of all draws in preorder. A split has its variable, its cut value and the
  // distance to its right child; a leaf has variable -1 and its value.
  std::vector<std::int32_t> variable;
  std::vector<std::int32_t> right;
  std::vector<double> value;
  std::vector<std::uint64_t> tree_start;  // n_draws * n_trees

  std::size_t n_draws() const { return n_trees ? tree_start.size() / n_trees : 0; }
  void add(const Forest& forest);
  // Throws std::invalid_argument if the arrays do not describe trees on p variables.
  void check(std::size_t p) const;
  // out[draw * n_rows + i] = sum of the trees of the draw at row i.
  void predict(const double* x, std::size_t n_rows, std::ptrdiff_t row_stride,
               std::ptrdiff_t column_stride, std::size_t n_threads, double* out) const;

 private:
  void predict_draw(std::size_t draw, const double* x, std::size_t n_rows,
                    std::ptrdiff_t row_stride, std::ptrdiff_t column_stride, double* sums) const;
};

}  // namespace bayesvc
