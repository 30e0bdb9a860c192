// The passes in plain C++, included by each build of the kernels inside an anonymous namespace so
// that no instruction of one build can leak into another through the linker. For the same reason
// nothing here calls a function template of the standard library.

std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

template <class Real>
double combine_lanes(const Real* lane) {
  const double a = static_cast<double>(lane[0]) + static_cast<double>(lane[4]);
  const double b = static_cast<double>(lane[1]) + static_cast<double>(lane[5]);
  const double c = static_cast<double>(lane[2]) + static_cast<double>(lane[6]);
  const double d = static_cast<double>(lane[3]) + static_cast<double>(lane[7]);
  return (a + c) + (b + d);
}

// Rows begin .. end - 1 of one block. Code is void where there is no candidate. Pointers and the
// count are kept in registers: through `task` every row would wait for the one before.
template <class Real, class Code>
void advance_rows(Advance<Real>& task, const Code* codes, std::size_t begin, std::size_t end,
                  Real* left_lane) {
  Real* const residual = task.residual;
  Real* const buffer = task.lane_buffer;
  const LeafId* const previous_ids = task.previous_ids;
  const LeafId* const current_ids = task.current_ids;
  const Real* const previous_shift = task.previous_shift;
  const Real* const current_shift = task.current_shift;
  const LeafId first = task.first, second = task.second;
  const std::uint32_t cutpoint = task.cutpoint;
  std::uint32_t left_count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const LeafId id = current_ids[i];
    const Real r = residual[i] + previous_shift[previous_ids[i]] + current_shift[id];
    residual[i] = r;
    const std::size_t lane = i % lanes;
    buffer[id * lanes + lane] += r;
    if constexpr (!std::is_void_v<Code>) {
      const bool is_left = ((id == first) | (id == second)) & (codes[i] <= cutpoint);
      left_lane[lane] += r * static_cast<Real>(is_left);  // a branch would be mispredicted
      left_count += is_left;
    }
  }
  task.left_count += left_count;
}

template <class Real>
void flush_lanes(Real* lane, double* total, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    total[k] += static_cast<double>(lane[k]);
    lane[k] = 0;
  }
}

// Any number of leaves, any build.
template <class Real, class Code>
void advance_general(Advance<Real>& task, const Code* codes) {
  const std::size_t width = task.n_current * lanes;
  for (std::size_t k = 0; k < width; ++k) task.lane_sums[k] = 0.0;
  Real left_lane[lanes] = {};
  double left_total[lanes] = {};
  task.left_count = 0;
  for (std::size_t begin = 0; begin < task.n; begin += block_rows) {
    advance_rows(task, codes, begin, smaller(begin + block_rows, task.n), left_lane);
    flush_lanes(task.lane_buffer, task.lane_sums, width);
    flush_lanes(left_lane, left_total, lanes);
  }
  for (std::size_t k = 0; k < task.n_current; ++k)
    task.sums[k] = combine_lanes(task.lane_sums + k * lanes);
  task.left_sum = combine_lanes(left_total);
}

template <class Real>
[[maybe_unused]] void advance_general(Advance<Real>& task) {
  if (!task.column.codes) return advance_general<Real, void>(task, nullptr);
  with_codes(task.column, [&](const auto* codes) { advance_general(task, codes); });
}

template <class Real>
void finish_rows(Real* residual, const LeafId* ids, const Real* shift, std::size_t begin,
                 std::size_t end, Real* lane) {
  for (std::size_t i = begin; i < end; ++i) {
    const Real r = residual[i] + shift[ids[i]];
    residual[i] = r;
    lane[i % lanes] += r * r;
  }
}

template <class Real>
double finish_general(Real* residual, std::size_t n, const LeafId* ids, const Real* shift,
                      std::size_t) {
  Real lane[lanes] = {};
  double total[lanes] = {};
  for (std::size_t begin = 0; begin < n; begin += block_rows) {
    finish_rows(residual, ids, shift, begin, smaller(begin + block_rows, n), lane);
    flush_lanes(lane, total, lanes);
  }
  return combine_lanes(total);
}

template <class Real, class Code>
void advance_weighted_rows(Advance<Real>& task, const Code* codes, std::size_t begin,
                           std::size_t end, Real* left_lane, Real* left_weight_lane) {
  Real* const residual = task.residual;
  Real* const buffer = task.lane_buffer;
  Real* const weight_buffer = task.lane_buffer + task.n_current * lanes;
  std::uint32_t left_count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const LeafId id = task.current_ids[i];
    const Real r = residual[i] + task.previous_shift[task.previous_ids[i]] + task.current_shift[id];
    residual[i] = r;
    const Real weight = task.weights[i], product = weight * r;
    const std::size_t lane = i % lanes;
    buffer[id * lanes + lane] += product;
    weight_buffer[id * lanes + lane] += weight;
    if constexpr (!std::is_void_v<Code>) {
      const bool is_left = ((id == task.first) | (id == task.second)) & (codes[i] <= task.cutpoint);
      left_lane[lane] += product * static_cast<Real>(is_left);
      left_weight_lane[lane] += weight * static_cast<Real>(is_left);
      left_count += is_left;
    }
  }
  task.left_count += left_count;
}

template <class Real, class Code>
void advance_weighted(Advance<Real>& task, const Code* codes) {
  const std::size_t width = task.n_current * lanes;
  for (std::size_t k = 0; k < 2 * width; ++k) task.lane_sums[k] = 0.0;
  Real left_lane[lanes] = {}, left_weight_lane[lanes] = {};
  double left_total[lanes] = {}, left_weight_total[lanes] = {};
  task.left_count = 0;
  for (std::size_t begin = 0; begin < task.n; begin += block_rows) {
    advance_weighted_rows(task, codes, begin, smaller(begin + block_rows, task.n), left_lane,
                          left_weight_lane);
    flush_lanes(task.lane_buffer, task.lane_sums, 2 * width);
    flush_lanes(left_lane, left_total, lanes);
    flush_lanes(left_weight_lane, left_weight_total, lanes);
  }
  for (std::size_t k = 0; k < task.n_current; ++k) {
    task.sums[k] = combine_lanes(task.lane_sums + k * lanes);
    task.weight_sums[k] = combine_lanes(task.lane_sums + width + k * lanes);
  }
  task.left_sum = combine_lanes(left_total);
  task.left_weight = combine_lanes(left_weight_total);
}

template <class Real>
void advance_weighted(Advance<Real>& task) {
  if (!task.column.codes) return advance_weighted<Real, void>(task, nullptr);
  with_codes(task.column, [&](const auto* codes) { advance_weighted(task, codes); });
}

template <class Real>
double finish_weighted(Real* residual, std::size_t n, const LeafId* ids, const Real* shift,
                       const Real* weights) {
  Real lane[lanes] = {};
  double total[lanes] = {};
  for (std::size_t begin = 0; begin < n; begin += block_rows) {
    for (std::size_t i = begin; i < smaller(begin + block_rows, n); ++i) {
      const Real r = residual[i] + shift[ids[i]];
      residual[i] = r;
      lane[i % lanes] += weights[i] * (r * r);
    }
    flush_lanes(lane, total, lanes);
  }
  return combine_lanes(total);
}

// Counts run in 16 bits within a stretch, as wide as the ids they are compared with.
constexpr std::size_t stretch_rows = 32768;

RoutedRows split_rows(LeafId* ids, std::size_t n, LeafId from, LeafId to, ColumnView column,
                      std::uint32_t cutpoint) {
  return with_codes(column, [&](const auto* codes) {
    using Code = std::remove_cvref_t<decltype(*codes)>;
    const Code limit = static_cast<Code>(cutpoint);
    RoutedRows counts;
    for (std::size_t begin = 0; begin < n; begin += stretch_rows) {
      const std::size_t end = smaller(begin + stretch_rows, n);
      std::uint16_t moved = 0, at_cutpoint = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const bool inside = ids[i] == from;
        const bool moves = inside & (codes[i] > limit);
        ids[i] = moves ? to : ids[i];
        moved = static_cast<std::uint16_t>(moved + moves);
        at_cutpoint = static_cast<std::uint16_t>(at_cutpoint + (inside & (codes[i] == limit)));
      }
      counts.moved += moved;
      counts.at_cutpoint += at_cutpoint;
    }
    return counts;
  });
}

void merge_rows(LeafId* ids, std::size_t n, LeafId from, LeafId to, LeafId last) {
  for (std::size_t i = 0; i < n; ++i) {
    const LeafId id = ids[i];
    const LeafId merged = id == last ? from : id;
    ids[i] = id == from ? to : merged;
  }
}

void mark_sides(LeafId* marks, std::size_t n, const RowSet& rows, ColumnView column,
                std::uint32_t cutpoint) {
  const RowSet set = rows;
  with_codes(column, [&](const auto* codes) {
    using Code = std::remove_cvref_t<decltype(*codes)>;
    const Code limit = static_cast<Code>(cutpoint);
    for (std::size_t i = 0; i < n; ++i) {
      const bool inside = (set.ids[i] == set.first) | (set.ids[i] == set.second);
      const LeafId side = codes[i] > limit ? 2 : 1;
      marks[i] = inside ? side : LeafId{0};
    }
  });
}

template <class Compare>
std::uint32_t count_rows(std::size_t n, const RowSet& rows, ColumnView column, std::uint32_t code,
                         Compare compare) {
  const RowSet set = rows;
  return with_codes(column, [&](const auto* codes) {
    using Code = std::remove_cvref_t<decltype(*codes)>;
    const Code wanted = static_cast<Code>(code);
    std::uint32_t total = 0;
    for (std::size_t begin = 0; begin < n; begin += stretch_rows) {
      const std::size_t end = smaller(begin + stretch_rows, n);
      std::uint16_t count = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const bool inside = (set.ids[i] == set.first) | (set.ids[i] == set.second);
        count = static_cast<std::uint16_t>(count + (inside & compare(codes[i], wanted)));
      }
      total += count;
    }
    return total;
  });
}

std::uint32_t count_left(std::size_t n, const RowSet& rows, ColumnView column,
                         std::uint32_t cutpoint) {
  return count_rows(n, rows, column, cutpoint, [](auto code, auto limit) { return code <= limit; });
}

std::uint32_t count_code(std::size_t n, const RowSet& rows, ColumnView column, std::uint32_t code) {
  return count_rows(n, rows, column, code, [](auto here, auto wanted) { return here == wanted; });
}

std::uint32_t count_range(const RowSet& set, std::size_t begin, std::size_t end) {
  std::uint16_t count = 0;
  for (std::size_t i = begin; i < end; ++i)
    count = static_cast<std::uint16_t>(count +
                                       ((set.ids[i] == set.first) | (set.ids[i] == set.second)));
  return count;
}

std::size_t nth_row(std::size_t n, const RowSet& rows, std::uint32_t k) {
  constexpr std::size_t chunk = 256;
  for (std::size_t begin = 0; begin < n; begin += chunk) {
    const std::size_t end = smaller(begin + chunk, n);
    const std::uint32_t here = count_range(rows, begin, end);
    if (k >= here) {
      k -= here;
      continue;
    }
    for (std::size_t i = begin; i < end; ++i)
      if (rows.has(i) && k-- == 0) return i;
  }
  return n;
}

bool has_two_values(std::size_t n, const RowSet& rows, ColumnView column) {
  constexpr std::size_t chunk = 128;
  std::size_t i = 0;
  while (i < n && !rows.has(i)) ++i;
  if (i == n) return false;
  const RowSet set = rows;
  return with_codes(column, [&](const auto* codes) {
    const auto seen = codes[i];
    for (std::size_t begin = i / chunk * chunk; begin < n; begin += chunk) {
      const std::size_t end = smaller(begin + chunk, n);
      std::uint16_t different = 0;
      for (std::size_t row = begin; row < end; ++row) {
        const bool inside = (set.ids[row] == set.first) | (set.ids[row] == set.second);
        different = static_cast<std::uint16_t>(different + (inside & (codes[row] != seen)));
      }
      if (different) return true;
    }
    return false;
  });
}

std::uint32_t present_codes(std::size_t n, const RowSet& rows, ColumnView column) {
  const RowSet set = rows;
  return with_codes(column, [&](const auto* codes) {
    std::uint32_t present = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool inside = (set.ids[i] == set.first) | (set.ids[i] == set.second);
      present |= static_cast<std::uint32_t>(inside) << (codes[i] & 31u);
    }
    return present;
  });
}

// Lane l of sum k belongs to columns l and l ^ k: shuffles within a register pair every column with
// every other, where a row-by-column loop would broadcast each value.
[[maybe_unused]] void add_products(const double* a, const double* b, std::size_t n_rows,
                                   double* tile) {
  double sums[panel_width][panel_width] = {};
  for (std::size_t r = 0; r < n_rows; ++r, a += panel_width, b += panel_width)
    for (std::size_t k = 0; k < panel_width; ++k)
      for (std::size_t l = 0; l < panel_width; ++l) sums[k][l] += a[l] * b[l ^ k];
  for (std::size_t k = 0; k < panel_width; ++k)
    for (std::size_t l = 0; l < panel_width; ++l) tile[l * panel_width + (l ^ k)] += sums[k][l];
}
