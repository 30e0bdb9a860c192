// Least squares of many responses on one matrix with an intercept, summed in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace bayesvc {

// Element (i, j) is x[i * row_stride + j * column_stride].
struct MatrixView {
  const double* x = nullptr;
  std::ptrdiff_t row_stride = 0, column_stride = 0;

  double at(std::size_t i, std::size_t j) const {
    return x[static_cast<std::ptrdiff_t>(i) * row_stride +
             static_cast<std::ptrdiff_t>(j) * column_stride];
  }
};

// Normal equations of the columns centred and scaled to unit length, by a Cholesky factor that
// leaves out columns depending on earlier ones. Every sum runs over rows one by one, and vector
// registers hold different sums, so the bits do not depend on their width. Residual sums of squares
// are right to about 1e-6 of the total.
class LinearModel {
 public:
  LinearModel(const double* x, std::size_t n, std::size_t p, bool column_major);
  // Of some rows and variables of a matrix. `pause` is called now and then, and may throw.
  LinearModel(const MatrixView& x, const std::vector<std::uint32_t>& rows,
              const std::vector<std::uint32_t>& variables, const std::function<void()>& pause);

  std::size_t n() const { return n_; }
  std::size_t rank() const { return rank_; }  // of the centred columns, at most n - 1
  double residual_ss(const double* y) const;  // of the n responses y on the columns

 private:
  using Panel = std::vector<double>;  // columns side by side, a few to a panel, row after row

  void append_block(const std::vector<Panel>& block);

  std::vector<Panel> project(const std::vector<Panel>& block) const;
  std::vector<double> remaining_gram(const std::vector<Panel>& block,
                                     const std::vector<Panel>& projections) const;
  void append_independent(const std::vector<Panel>& block, const std::vector<Panel>& projections,
                          std::vector<double> gram);
  void append(const Panel& column, const Panel& projection, std::size_t lane, std::size_t old_rank);

  std::size_t n_;
  std::size_t rank_ = 0;
  std::vector<Panel>
      columns_;  // the independent columns, standardised; places not yet used are zero
  std::vector<Panel> factor_;  // the same columns of U, U'U = Gram; the diagonal holds reciprocals
};

}  // namespace bayesvc
