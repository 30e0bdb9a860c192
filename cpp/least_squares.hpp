// Least squares of many responses on one matrix with an intercept, summed in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "column_blocks.hpp"

namespace bayesvc {

// Normal equations of the columns centred and scaled to unit length, by a Cholesky factor that
// leaves out columns depending on earlier ones. Every sum runs over rows one by one, and vector
// registers hold different sums, so the bits do not depend on their width. Residual sums of squares
// are right to about 1e-6 of the total.
class LinearModel {
 public:
  LinearModel(const NextBlock& next, std::size_t n);
  // Of some rows and variables of a matrix. `pause` is called now and then, and may throw.
  LinearModel(const MatrixView& x, const std::vector<std::uint32_t>& rows,
              const std::vector<std::uint32_t>& variables, const std::function<void()>& pause);

  std::size_t n() const { return n_; }
  std::size_t rank() const { return rank_; }  // of the centred columns, at most n - 1
  bool saturated() const { return rank_ + 1 >= n_; }
  double residual_ss(const double* y) const;  // of the n responses y on the columns

 private:
  using Panel = std::vector<double>;  // columns side by side, a few to a panel, row after row

  // Takes columns from a block of panels as long as there are some and the model is not saturated.
  template <class Fill>
  void append_all(Fill&& fill);
  void append_block(std::vector<Panel> block);

  std::vector<Panel> project(const std::vector<Panel>& block) const;
  std::vector<double> remaining_gram(const std::vector<Panel>& block,
                                     const std::vector<Panel>& projections) const;
  std::vector<std::size_t> append_factor(const std::vector<Panel>& projections,
                                         std::vector<double> gram);
  void append_columns(std::vector<Panel> block, const std::vector<std::size_t>& kept);

  std::size_t n_;
  std::size_t rank_ = 0;
  std::vector<Panel>
      columns_;  // the independent columns, standardised; places not yet used are zero
  std::vector<Panel> factor_;  // the same columns of U, U'U = Gram; the diagonal holds reciprocals
};

}  // namespace bayesvc
