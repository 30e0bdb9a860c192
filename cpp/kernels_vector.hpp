// The passes that add up residuals, written once for all vector builds, which include this inside
// an anonymous namespace after kernels_body.hpp and after their own
//   Ids, Mask, Count       ids of `lanes` rows; which of the rows; how many rows so far
//   Pack<Real>             `lanes` numbers
//   Table<Real>            up to `small_table` leaf values, in registers
//   LargeTable<Real>       any number of them
// Rows come in groups of `lanes`; `Whole` is a whole group, `Part` the beginning of one, of which
// the rest has the id of no leaf.

// Up to L leaf values. Up to three are told apart by the masks that the sums need anyway.
template <class Real, std::size_t L>
class Values {
 public:
  explicit Values(const Real* values) {
    for (std::size_t k = 0; k < L; ++k) value_[k] = Pack<Real>::repeat(values[k]);
  }
  Pack<Real> operator[](Ids ids) const {
    Pack<Real> found = value_[L - 1];
    for (std::size_t k = L - 1; k-- > 0;)
      found = found.replaced(value_[k], equal(ids, static_cast<LeafId>(k)));
    return found;
  }

 private:
  Pack<Real> value_[L];
};

template <class Real, std::size_t L>
  requires(L > 3)
class Values<Real, L> : public Table<Real> {
 public:
  using Table<Real>::Table;
};

// The sums of up to L leaves stay in registers: compare, mask, add. The copy of the task does too:
// for all the compiler knows, storing residuals could change what `out` refers to. The previous
// tree has up to P leaves.
template <bool Weighted, class Real, class Code, std::size_t L, std::size_t P>
void advance_registers(Advance<Real>& out, const Code* codes) {
  const Advance<Real> task = out;
  using V = Pack<Real>;
  constexpr std::size_t n_sums = L + 1, left = L;  // the last sum is that of the candidate
  const Values<Real, P> previous_values(task.previous_shift);
  const Values<Real, L> current_values(task.current_shift);
  double totals[n_sums][n_totals] = {}, weight_totals[n_sums][n_totals] = {};
  Count count;
  for (std::size_t begin = 0; begin < task.n; begin += block_rows) {
    V sum[n_sums], weight_sum[n_sums];
    for (V& s : sum) s = V::zero();
    for (V& s : weight_sum) s = V::zero();
    const auto add = [&](std::size_t i, auto extent) {
      const Ids ids = load_ids(task.current_ids + i, extent);  // of a stump nobody reads them
      const V r = V::load(task.residual + i, extent) +
                  previous_values[load_ids(task.previous_ids + i, extent)] + current_values[ids];
      r.store(task.residual + i, extent);
      const V weight = Weighted ? V::load(task.weights + i, extent) : r;
      const V product = Weighted ? weight * r : r;
      const auto add_where = [&](std::size_t k, Mask rows) {
        sum[k] = sum[k].plus(product, rows);
        if constexpr (Weighted) weight_sum[k] = weight_sum[k].plus(weight, rows);
      };
      for (std::size_t k = 0; k < L; ++k)
        add_where(k, L == 1 ? all(extent) : equal(ids, static_cast<LeafId>(k)));
      if constexpr (!std::is_void_v<Code>) {
        const Mask inside = L == 1 ? all(extent) : either(ids, task.first, task.second);
        const Mask is_left = at_most(inside, codes + i, task.cutpoint, extent);
        add_where(left, is_left);
        count.add(is_left);
      }
    };
    const std::size_t end = smaller(begin + block_rows, task.n);
    std::size_t i = begin;
    for (; i + lanes <= end; i += lanes) add(i, Whole{});
    if (i < end) add(i, Part{end - i});
    for (std::size_t k = 0; k < n_sums; ++k) sum[k].flush(totals[k]);
    if constexpr (Weighted)
      for (std::size_t k = 0; k < n_sums; ++k) weight_sum[k].flush(weight_totals[k]);
  }
  for (std::size_t k = 0; k < smaller(L, task.n_current); ++k) {
    out.sums[k] = combine_totals(totals[k]);
    if constexpr (Weighted) out.weight_sums[k] = combine_totals(weight_totals[k]);
  }
  out.left_sum = combine_totals(totals[left]);
  out.left_weight = combine_totals(weight_totals[left]);
  out.left_count = count.total();
}

// Any number of leaves: each residual is added to its leaf's lane in memory.
template <bool Weighted, class Real, class Code>
void advance_scattered(Advance<Real>& out, const Code* codes) {
  const Advance<Real> task = out;
  using V = Pack<Real>;
  const LargeTable<Real> previous_table(task.previous_shift, task.n_previous);
  const LargeTable<Real> current_table(task.current_shift, task.n_current);
  clear_totals<Weighted>(task);
  Real* const buffer = task.lane_buffer;
  Real* const weight_buffer = task.lane_buffer + task.n_current * lanes;
  LeftLanes<Real> left;
  Count count;
  for (std::size_t begin = 0; begin < task.n; begin += block_rows) {
    V left_sum = V::zero(), left_weight = V::zero();
    const std::size_t end = smaller(begin + block_rows, task.n);
    std::size_t i = begin;
    for (; i + lanes <= end; i += lanes) {
      const LeafId* const own = task.current_ids + i;
      const Ids ids = load_ids(own, Whole{});
      const V r = V::load(task.residual + i, Whole{}) +
                  previous_table[load_ids(task.previous_ids + i, Whole{})] + current_table[ids];
      r.store(task.residual + i, Whole{});
      const V weight = Weighted ? V::load(task.weights + i, Whole{}) : r;
      const V product = Weighted ? weight * r : r;
      Real products[lanes];
      product.store(products, Whole{});
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        buffer[own[lane] * lanes + lane] += products[lane];
        if constexpr (Weighted) weight_buffer[own[lane] * lanes + lane] += task.weights[i + lane];
      }
      if constexpr (!std::is_void_v<Code>) {
        const Mask is_left =
            at_most(either(ids, task.first, task.second), codes + i, task.cutpoint, Whole{});
        left_sum = left_sum.plus(product, is_left);
        if constexpr (Weighted) left_weight = left_weight.plus(weight, is_left);
        count.add(is_left);
      }
    }
    left_sum.store(left.sum, Whole{});
    left_weight.store(left.weight, Whole{});
    advance_rows<Weighted>(task, codes, i, end, left);  // the last rows, one by one
    flush_lanes(buffer, task.totals, task.n_current * (Weighted ? 2 : 1));
    left.flush();
  }
  left.count += count.total();
  report<Weighted>(out, left);
}

template <bool Weighted, class Real, class Code, std::size_t L>
void advance_common(Advance<Real>& task, const Code* codes) {
  if constexpr (!Weighted) {
    switch (task.n_previous) {
      case 1:
        return advance_registers<Weighted, Real, Code, L, 1>(task, codes);
      case 2:
        return advance_registers<Weighted, Real, Code, L, 2>(task, codes);
    }
  }
  advance_registers<Weighted, Real, Code, L, small_table>(task, codes);
}

// Sums of leaves that do not exist stay zero, so the rarer passes share sizes.
template <bool Weighted, class Real, class Code>
void advance_coded(Advance<Real>& task, const Code* codes) {
  constexpr bool common = sizeof(Real) == sizeof(float);
  if (task.n_current > 8 || task.n_previous > small_table || task.n_current > small_table)
    return advance_scattered<Weighted>(task, codes);
  if constexpr (common) {
    switch (task.n_current) {
      case 1:
        return advance_common<Weighted, Real, Code, 1>(task, codes);
      case 2:
        return advance_common<Weighted, Real, Code, 2>(task, codes);
      case 3:
        return advance_common<Weighted, Real, Code, 3>(task, codes);
      case 5:
      case 6:
        return advance_registers<Weighted, Real, Code, 6, small_table>(task, codes);
    }
  }
  if (task.n_current <= 4)
    return advance_registers<Weighted, Real, Code, 4, small_table>(task, codes);
  advance_registers<Weighted, Real, Code, 8, small_table>(task, codes);
}

template <bool Weighted, class Real>
void advance(Advance<Real>& task) {
  if (!task.column.codes)
    return advance_coded<Weighted, Real, void>(task, static_cast<const void*>(nullptr));
  with_codes(task.column, [&](const auto* codes) { advance_coded<Weighted>(task, codes); });
}

template <bool Weighted, class Real, class Values>
double finish_with(const Finish<Real> task, const Values& table) {
  using V = Pack<Real>;
  double total[n_totals] = {};
  for (std::size_t begin = 0; begin < task.n; begin += block_rows) {
    V sum = V::zero();
    const auto add = [&](std::size_t i, auto extent) {
      const V r = V::load(task.residual + i, extent) + table[load_ids(task.ids + i, extent)];
      r.store(task.residual + i, extent);
      const V square = Weighted ? V::load(task.weights + i, extent) * (r * r) : r * r;
      sum = sum.plus(square, all(extent));
    };
    const std::size_t end = smaller(begin + block_rows, task.n);
    std::size_t i = begin;
    for (; i + lanes <= end; i += lanes) add(i, Whole{});
    if (i < end) add(i, Part{end - i});
    sum.flush(total);
  }
  return combine_totals(total);
}

template <bool Weighted, class Real>
double finish(Finish<Real>& task) {
  if (task.n_leaves <= small_table) return finish_with<Weighted>(task, Table<Real>(task.shift));
  return finish_general<Weighted>(task);
}
