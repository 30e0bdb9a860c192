// The passes in plain C++, included by each build of the kernels inside an anonymous namespace so
// that no instruction of one build can leak into another through the linker. For the same reason
// nothing here calls a function template of the standard library.

std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

double combine_totals(const double* total) {
  const double a = total[0] + total[4], b = total[1] + total[5];
  const double c = total[2] + total[6], d = total[3] + total[7];
  return (a + c) + (b + d);
}

// Adds the lanes to their totals, and clears them.
template <class Real>
void flush_lanes(Real* lane, double* total, std::size_t n_sums) {
  for (std::size_t k = 0; k < n_sums; ++k, lane += lanes, total += n_totals)
    for (std::size_t l = 0; l < n_totals; ++l) {
      total[l] += static_cast<double>(lane[l]);
      total[l] += static_cast<double>(lane[l + n_totals]);
      lane[l] = lane[l + n_totals] = 0;
    }
}

// What a pass adds up beside the sums by leaf: of the candidate's left rows.
template <class Real>
struct LeftLanes {
  Real sum[lanes] = {}, weight[lanes] = {};
  double sum_total[n_totals] = {}, weight_total[n_totals] = {};
  std::uint32_t count = 0;

  void flush() {
    flush_lanes(sum, sum_total, 1);
    flush_lanes(weight, weight_total, 1);
  }
};

// Rows begin .. end - 1 of one block. Code is void where there is no candidate. Pointers and the
// count are kept in registers: through `task` every row would wait for the one before.
template <bool Weighted, class Real, class Code>
void advance_rows(const Advance<Real>& task, const Code* codes, std::size_t begin, std::size_t end,
                  LeftLanes<Real>& left) {
  Real* const residual = task.residual;
  Real* const buffer = task.lane_buffer;
  Real* const weight_buffer = task.lane_buffer + task.n_current * lanes;
  const LeafId* const previous_ids = task.previous_ids;
  const LeafId* const current_ids = task.current_ids;
  const Real* const previous_shift = task.previous_shift;
  const Real* const current_shift = task.current_shift;
  const Real* const weights = task.weights;
  const LeafId first = task.first, second = task.second;
  const std::uint32_t cutpoint = task.cutpoint;
  std::uint32_t left_count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const LeafId id = current_ids[i];
    const Real r = residual[i] + previous_shift[previous_ids[i]] + current_shift[id];
    residual[i] = r;
    const Real weight = Weighted ? weights[i] : Real{1}, product = Weighted ? weight * r : r;
    const std::size_t lane = i % lanes;
    buffer[id * lanes + lane] += product;
    if constexpr (Weighted) weight_buffer[id * lanes + lane] += weight;
    if constexpr (!std::is_void_v<Code>) {
      // A branch would be mispredicted.
      const bool is_left = ((id == first) | (id == second)) & (codes[i] <= cutpoint);
      left.sum[lane] += product * static_cast<Real>(is_left);
      if constexpr (Weighted) left.weight[lane] += weight * static_cast<Real>(is_left);
      left_count += is_left;
    }
  }
  left.count += left_count;
}

template <bool Weighted, class Real>
void clear_totals(const Advance<Real>& task) {
  const std::size_t number = task.n_current * n_totals * (Weighted ? 2 : 1);
  for (std::size_t k = 0; k < number; ++k) task.totals[k] = 0.0;
}

// The end of a pass whose totals by leaf are in memory.
template <bool Weighted, class Real>
void report(Advance<Real>& task, const LeftLanes<Real>& left) {
  for (std::size_t k = 0; k < task.n_current; ++k) {
    task.sums[k] = combine_totals(task.totals + k * n_totals);
    if constexpr (Weighted)
      task.weight_sums[k] = combine_totals(task.totals + (task.n_current + k) * n_totals);
  }
  task.left_sum = combine_totals(left.sum_total);
  task.left_weight = combine_totals(left.weight_total);
  task.left_count = left.count;
}

// Any number of leaves, any build.
template <bool Weighted, class Real, class Code>
void advance_general(Advance<Real>& task, const Code* codes) {
  clear_totals<Weighted>(task);
  LeftLanes<Real> left;
  for (std::size_t begin = 0; begin < task.n; begin += block_rows) {
    advance_rows<Weighted>(task, codes, begin, smaller(begin + block_rows, task.n), left);
    flush_lanes(task.lane_buffer, task.totals, task.n_current * (Weighted ? 2 : 1));
    left.flush();
  }
  report<Weighted>(task, left);
}

template <bool Weighted, class Real>
[[maybe_unused]] void advance_general(Advance<Real>& task) {
  if (!task.column.codes)
    return advance_general<Weighted, Real, void>(task, static_cast<const void*>(nullptr));
  with_codes(task.column, [&](const auto* codes) { advance_general<Weighted>(task, codes); });
}

template <bool Weighted, class Real>
[[maybe_unused]] double finish_general(Finish<Real>& task) {
  Real lane[lanes] = {};
  double total[n_totals] = {};
  for (std::size_t begin = 0; begin < task.n; begin += block_rows) {
    const std::size_t end = smaller(begin + block_rows, task.n);
    for (std::size_t i = begin; i < end; ++i) {
      const Real r = task.residual[i] + task.shift[task.ids[i]];
      task.residual[i] = r;
      lane[i % lanes] += Weighted ? task.weights[i] * (r * r) : r * r;
    }
    flush_lanes(lane, total, 1);
  }
  return combine_totals(total);
}

// Counts run in 16 bits within a stretch, as wide as the ids they are compared with.
constexpr std::size_t stretch_rows = 32768;

[[maybe_unused]] RoutedRows split_rows(LeafId* ids, std::size_t n, LeafId from, LeafId to,
                                       ColumnView column, std::uint32_t cutpoint) {
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

// The AVX-512 build has its own.
[[maybe_unused]] std::size_t nth_row(std::size_t n, const RowSet& rows, std::uint32_t k) {
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

// Part by part, so that the sums of one stay in registers. Lane l of sum k belongs to columns l and
// l ^ k: shuffles within a register pair every column with every other, where a row-by-column loop
// would broadcast each value.
[[maybe_unused]] void add_products(const double* a, const double* b, std::size_t n_rows,
                                   double* tile) {
  constexpr std::size_t part = 4;
  for (std::size_t i = 0; i < panel_width; i += part)
    for (std::size_t j = 0; j < panel_width; j += part) {
      double sums[part][part] = {};
      const double *left = a + i, *right = b + j;
      for (std::size_t r = 0; r < n_rows; ++r, left += panel_width, right += panel_width)
        for (std::size_t k = 0; k < part; ++k)
          for (std::size_t l = 0; l < part; ++l) sums[k][l] += left[l] * right[l ^ k];
      for (std::size_t k = 0; k < part; ++k)
        for (std::size_t l = 0; l < part; ++l)
          tile[(i + l) * panel_width + j + (l ^ k)] += sums[k][l];
    }
}
