// The passes over rows. Three builds of the same passes exist, plain, AVX2 and AVX-512; they give
// the same bits, because every sum runs in `lanes` partial sums (row i goes to lane i % lanes) that
// are flushed to `n_totals` doubles every `block_rows` rows (lane l to total l % n_totals, in the
// order of the lanes) and combined in one fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "columns.hpp"

namespace bayesvc {

using LeafId = std::uint16_t;
inline constexpr std::size_t lanes = 16;
inline constexpr std::size_t n_totals = 8;
inline constexpr std::size_t block_rows = 512;
inline constexpr std::size_t panel_width = 8;
// Look-up tables of leaf values have this many entries more than leaves.
inline constexpr std::size_t table_padding = 16;

// The rows of a node: those whose id is one of two labels (the same one twice for a leaf).
struct RowSet {
  const LeafId* ids = nullptr;
  LeafId first = 0;
  LeafId second = 0;
  std::uint32_t size = 0;

  bool has(std::size_t row) const { return ids[row] == first || ids[row] == second; }
};

// r_i += previous_shift[previous_ids_i] + current_shift[current_ids_i], and the sums of the new r
// by current id; with a column, also sum and number of the rows in {first, second} with
// code <= cutpoint.
template <class Real>
struct Advance {
  Real* residual = nullptr;
  std::size_t n = 0;
  const LeafId* previous_ids = nullptr;
  const Real* previous_shift = nullptr;
  std::size_t n_previous = 0;
  const LeafId* current_ids = nullptr;
  const Real* current_shift = nullptr;
  std::size_t n_current = 0;
  ColumnView column{};
  std::uint32_t cutpoint = 0;
  LeafId first = 0;
  LeafId second = 0;
  double* sums = nullptr;        // out, n_current
  Real* lane_buffer = nullptr;   // scratch, n_current * lanes, zero on entry and on return
  double* totals = nullptr;      // scratch, n_current * n_totals
  double left_sum = 0;           // out
  std::uint32_t left_count = 0;  // out
  // With weights all sums are of w_i r_i, those of w_i come besides, and the scratch is twice that.
  const Real* weights = nullptr;
  double* weight_sums = nullptr;  // out, n_current
  double left_weight = 0;         // out
};

// r_i += shift[ids_i], and the sum of squares of the new r, each times its weight if there are any.
template <class Real>
struct Finish {
  Real* residual = nullptr;
  std::size_t n = 0;
  const LeafId* ids = nullptr;
  const Real* shift = nullptr;
  std::size_t n_leaves = 0;
  const Real* weights = nullptr;
};

struct RoutedRows {
  std::uint32_t moved = 0;        // rows that went right
  std::uint32_t at_cutpoint = 0;  // rows whose code is the cutpoint itself
};

struct Kernels {
  const char* name;
  void (*advance_single)(Advance<float>&);
  void (*advance_double)(Advance<double>&);
  void (*advance_weighted_single)(Advance<float>&);
  void (*advance_weighted_double)(Advance<double>&);
  // All four return the sum of squares.
  double (*finish_single)(Finish<float>&);
  double (*finish_double)(Finish<double>&);
  double (*finish_weighted_single)(Finish<float>&);
  double (*finish_weighted_double)(Finish<double>&);
  // Rows with id `from` and code > cutpoint get id `to`.
  RoutedRows (*split_rows)(LeafId* ids, std::size_t n, LeafId from, LeafId to, ColumnView,
                           std::uint32_t cutpoint);
  // Rows with id `from` get id `to`, then rows with id `last` get id `from`.
  void (*merge_rows)(LeafId* ids, std::size_t n, LeafId from, LeafId to, LeafId last);
  // marks_i = 1 for rows of the set with code <= cutpoint, 2 for its other rows, 0 elsewhere.
  void (*mark_sides)(LeafId* marks, std::size_t n, const RowSet&, ColumnView,
                     std::uint32_t cutpoint);
  std::uint32_t (*count_left)(std::size_t n, const RowSet&, ColumnView, std::uint32_t cutpoint);
  // Do two rows of the set differ in this column?
  bool (*has_two_values)(std::size_t n, const RowSet&, ColumnView);
  // How many rows of the set have this code?
  std::uint32_t (*count_code)(std::size_t n, const RowSet&, ColumnView, std::uint32_t code);
  // Bit v is set when code v < 32 occurs among the rows of the set.
  std::uint32_t (*present_codes)(std::size_t n, const RowSet&, ColumnView);
  // tile += a'b for two panels of `panel_width` columns, row after row; each entry sums its rows in
  // order.
  void (*add_products)(const double* a, const double* b, std::size_t n_rows, double* tile);
  // The row that is number k (from 0) of the set.
  std::size_t (*nth_row)(std::size_t n, const RowSet&, std::uint32_t k);
};

const Kernels& plain_kernels();
// Null where the build or the CPU has no AVX2, or no AVX-512 (F, BW, DQ and VL).
const Kernels* avx2_kernels();
const Kernels* avx512_kernels();
// Those of this CPU, the fastest last.
std::vector<const Kernels*> available_kernels();
// "auto", "plain", "avx2" or "avx512"; throws std::invalid_argument when that one is not to be had.
const Kernels& kernels_named(const std::string& name);

}  // namespace bayesvc
