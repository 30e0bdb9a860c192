// The columns of a matrix, a few at a time: as much of a large table as is in memory at once.
#pragma once

#include <cstddef>
#include <functional>

namespace bayesvc {

// Element (i, j) is x[i * row_stride + j * column_stride].
struct MatrixView {
  const double* x = nullptr;
  std::ptrdiff_t row_stride = 0, column_stride = 0;

  double at(std::size_t i, std::size_t j) const {
    return x[static_cast<std::ptrdiff_t>(i) * row_stride +
             static_cast<std::ptrdiff_t>(j) * column_stride];
  }
  const double* column(std::size_t j) const {
    return x + static_cast<std::ptrdiff_t>(j) * column_stride;
  }
};

struct ColumnBlock {
  MatrixView view;
  std::size_t n_columns = 0;
};

// Returns the next columns, which are valid until the next call; none at the end.
using NextBlock = std::function<ColumnBlock()>;

// A matrix as a single block.
inline NextBlock one_block(const MatrixView& view, std::size_t n_columns) {
  return [block = ColumnBlock{view, n_columns}]() mutable {
    const ColumnBlock whole = block;
    block.n_columns = 0;
    return whole;
  };
}

}  // namespace bayesvc
