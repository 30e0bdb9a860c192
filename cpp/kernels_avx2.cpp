// The AVX2 build. The sums of up to eight leaves stay in registers: compare, mask, add. A table of
// up to eight leaf values is a register permute.
#include "kernels.hpp"

#if defined(BAYESVC_HAVE_AVX2)

#include <immintrin.h>

#include <type_traits>
#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace bayesvc {
namespace {

#include "kernels_body.hpp"

__m256i widen(const std::uint8_t* x) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)));
}
__m256i widen(const std::uint16_t* x) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
}
__m256i widen(const std::uint32_t* x) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
}

// Eight residuals as one (float) or two (double) registers.
template <class Real>
struct Eight;

template <>
struct Eight<float> {
  __m256 v;
  static Eight zero() { return {_mm256_setzero_ps()}; }
  static Eight load(const float* x) { return {_mm256_loadu_ps(x)}; }
  void store(float* x) const { _mm256_storeu_ps(x, v); }
  Eight operator+(Eight o) const { return {_mm256_add_ps(v, o.v)}; }
  Eight operator*(Eight o) const { return {_mm256_mul_ps(v, o.v)}; }
  Eight where(__m256i mask) const { return {_mm256_and_ps(v, _mm256_castsi256_ps(mask))}; }
  Eight looked_up(__m256i index) const { return {_mm256_permutevar8x32_ps(v, index)}; }
};

template <>
struct Eight<double> {
  __m256d a, b;
  static Eight zero() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
  static Eight load(const double* x) { return {_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4)}; }
  void store(double* x) const {
    _mm256_storeu_pd(x, a);
    _mm256_storeu_pd(x + 4, b);
  }
  Eight operator+(Eight o) const { return {_mm256_add_pd(a, o.a), _mm256_add_pd(b, o.b)}; }
  Eight operator*(Eight o) const { return {_mm256_mul_pd(a, o.a), _mm256_mul_pd(b, o.b)}; }
  Eight where(__m256i mask) const {
    const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(mask));
    const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(mask, 1));
    return {_mm256_and_pd(a, _mm256_castsi256_pd(low)),
            _mm256_and_pd(b, _mm256_castsi256_pd(high))};
  }
  Eight looked_up(__m256i index) const {
    alignas(32) double table[8];
    alignas(32) std::uint32_t at[8];
    alignas(32) double out[8];
    store(table);
    _mm256_store_si256(reinterpret_cast<__m256i*>(at), index);
    for (std::size_t k = 0; k < 8; ++k) out[k] = table[at[k]];
    return load(out);
  }
};

__m256i left_rows(__m256i id, __m256i first, __m256i second, __m256i code, __m256i cutpoint) {
  const __m256i inside =
      _mm256_or_si256(_mm256_cmpeq_epi32(id, first), _mm256_cmpeq_epi32(id, second));
  return _mm256_andnot_si256(_mm256_cmpgt_epi32(code, cutpoint), inside);
}

std::uint32_t total_of(__m256i counts) {
  alignas(32) std::uint32_t lane[lanes];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lane), counts);
  std::uint32_t total = 0;
  for (const std::uint32_t count : lane) total += count;
  return total;
}

template <class Real, class Code, std::size_t L>
void advance_registers(Advance<Real>& task, const Code* codes) {
  using V = Eight<Real>;
  const V previous_table = V::load(task.previous_shift);
  const V current_table = V::load(task.current_shift);
  const __m256i first = _mm256_set1_epi32(task.first);
  const __m256i second = _mm256_set1_epi32(task.second);
  const __m256i cutpoint = _mm256_set1_epi32(static_cast<int>(task.cutpoint));
  double totals[L][lanes] = {};
  double left_total[lanes] = {};
  __m256i count = _mm256_setzero_si256();
  task.left_count = 0;
  const std::size_t whole = task.n / lanes * lanes;
  for (std::size_t begin = 0; begin < task.n; begin += block_rows) {
    const std::size_t end = smaller(begin + block_rows, whole);
    V sum[L];
    for (V& s : sum) s = V::zero();
    V left = V::zero();
    for (std::size_t i = begin; i < end; i += lanes) {
      const __m256i id = widen(task.current_ids + i);
      const V r = V::load(task.residual + i) +
                  previous_table.looked_up(widen(task.previous_ids + i)) +
                  current_table.looked_up(id);
      r.store(task.residual + i);
      for (std::size_t k = 0; k < L; ++k)
        sum[k] = sum[k] + r.where(_mm256_cmpeq_epi32(id, _mm256_set1_epi32(static_cast<int>(k))));
      if constexpr (!std::is_void_v<Code>) {
        const __m256i is_left = left_rows(id, first, second, widen(codes + i), cutpoint);
        left = left + r.where(is_left);
        count = _mm256_sub_epi32(count, is_left);
      }
    }
    Real lane[lanes];
    for (std::size_t k = 0; k < L; ++k) sum[k].store(task.lane_buffer + k * lanes);
    left.store(lane);
    // The last rows go to their lanes one by one.
    if (begin + block_rows > whole) advance_rows(task, codes, end, task.n, lane);
    flush_lanes(task.lane_buffer, &totals[0][0], L * lanes);
    flush_lanes(lane, left_total, lanes);
  }
  for (std::size_t k = 0; k < L; ++k) task.sums[k] = combine_lanes(totals[k]);
  task.left_sum = combine_lanes(left_total);
  task.left_count += total_of(count);
}

// A table of leaf values of any size: up to four registers and their blends, or a gather.
template <class Real>
class Table;

template <>
class Table<float> {
 public:
  Table(const float* values, std::size_t size) : values_(values), size_(size) {
    for (std::size_t k = 0; k < 4; ++k)
      part_[k] = 8 * k < size ? _mm256_loadu_ps(values + 8 * k) : _mm256_setzero_ps();
  }
  Eight<float> operator[](__m256i index) const {
    if (size_ > 32) {
      const __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
      return {_mm256_mask_i32gather_ps(_mm256_setzero_ps(), values_, index, all, 4)};
    }
    const __m256 by8 = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));  // bit 3 as the sign
    const __m256 low = pick(0, index, by8);
    if (size_ <= 16) return {low};
    const __m256 by16 = _mm256_castsi256_ps(_mm256_slli_epi32(index, 27));
    return {_mm256_blendv_ps(low, pick(2, index, by8), by16)};
  }

 private:
  __m256 pick(std::size_t k, __m256i index, __m256 second) const {
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(part_[k], index),
                            _mm256_permutevar8x32_ps(part_[k + 1], index), second);
  }
  const float* values_;
  std::size_t size_;
  __m256 part_[4];
};

template <>
class Table<double> {
 public:
  Table(const double* values, std::size_t) : values_(values) {}
  Eight<double> operator[](__m256i index) const {
    return {gathered(_mm256_castsi256_si128(index)), gathered(_mm256_extracti128_si256(index, 1))};
  }

 private:
  // The form with a mask, because the other has GCC warn of its own header.
  __m256d gathered(__m128i index) const {
    const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi32(-1));
    return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), values_, index, all, 8);
  }
  const double* values_;
};

// Any number of leaves: each residual is added to its leaf's lane in memory.
template <class Real, class Code>
void advance_scattered(Advance<Real>& task, const Code* codes) {
  using V = Eight<Real>;
  const Table<Real> previous_table(task.previous_shift, task.n_previous);
  const Table<Real> current_table(task.current_shift, task.n_current);
  const __m256i first = _mm256_set1_epi32(task.first);
  const __m256i second = _mm256_set1_epi32(task.second);
  const __m256i cutpoint = _mm256_set1_epi32(static_cast<int>(task.cutpoint));
  const std::size_t width = task.n_current * lanes;
  for (std::size_t k = 0; k < width; ++k) task.lane_sums[k] = 0.0;
  double left_total[lanes] = {};
  __m256i count = _mm256_setzero_si256();
  task.left_count = 0;
  Real* const buffer = task.lane_buffer;
  const std::size_t whole = task.n / lanes * lanes;
  for (std::size_t begin = 0; begin < task.n; begin += block_rows) {
    const std::size_t end = smaller(begin + block_rows, whole);
    V left = V::zero();
    for (std::size_t i = begin; i < end; i += lanes) {
      const LeafId* const ids = task.current_ids + i;
      const __m256i id = widen(ids);
      const V r = V::load(task.residual + i) + previous_table[widen(task.previous_ids + i)] +
                  current_table[id];
      r.store(task.residual + i);
      for (std::size_t lane = 0; lane < lanes; ++lane)
        buffer[ids[lane] * lanes + lane] += task.residual[i + lane];
      if constexpr (!std::is_void_v<Code>) {
        const __m256i is_left = left_rows(id, first, second, widen(codes + i), cutpoint);
        left = left + r.where(is_left);
        count = _mm256_sub_epi32(count, is_left);
      }
    }
    Real lane[lanes];
    left.store(lane);
    if (begin + block_rows > whole) advance_rows(task, codes, end, task.n, lane);
    flush_lanes(buffer, task.lane_sums, width);
    flush_lanes(lane, left_total, lanes);
  }
  for (std::size_t k = 0; k < task.n_current; ++k)
    task.sums[k] = combine_lanes(task.lane_sums + k * lanes);
  task.left_sum = combine_lanes(left_total);
  task.left_count += total_of(count);
}

template <class Real, class Code>
void advance_coded(Advance<Real>& task, const Code* codes) {
  if (task.n_current > 8 || task.n_previous > 8) return advance_scattered(task, codes);
  switch (task.n_current) {
    case 1:
      return advance_registers<Real, Code, 1>(task, codes);
    case 2:
      return advance_registers<Real, Code, 2>(task, codes);
    case 3:
      return advance_registers<Real, Code, 3>(task, codes);
    case 4:
      return advance_registers<Real, Code, 4>(task, codes);
    case 5:
      return advance_registers<Real, Code, 5>(task, codes);
    case 6:
      return advance_registers<Real, Code, 6>(task, codes);
    case 7:
      return advance_registers<Real, Code, 7>(task, codes);
    default:
      return advance_registers<Real, Code, 8>(task, codes);
  }
}

template <class Real>
void advance(Advance<Real>& task) {
  if (!task.column.codes) return advance_coded<Real, void>(task, nullptr);
  with_codes(task.column, [&](const auto* codes) {
    advance_coded<Real, std::remove_cvref_t<decltype(*codes)>>(task, codes);
  });
}

template <class Real>
double finish(Real* residual, std::size_t n, const LeafId* ids, const Real* shift,
              std::size_t n_leaves) {
  if (n_leaves > 8) return finish_general(residual, n, ids, shift, n_leaves);
  using V = Eight<Real>;
  const V table = V::load(shift);
  double total[lanes] = {};
  const std::size_t whole = n / lanes * lanes;
  for (std::size_t begin = 0; begin < n; begin += block_rows) {
    const std::size_t end = smaller(begin + block_rows, whole);
    V sum = V::zero();
    for (std::size_t i = begin; i < end; i += lanes) {
      const V r = V::load(residual + i) + table.looked_up(widen(ids + i));
      r.store(residual + i);
      sum = sum + r * r;
    }
    Real lane[lanes];
    sum.store(lane);
    if (begin + block_rows > whole) finish_rows(residual, ids, shift, end, n, lane);
    flush_lanes(lane, total, lanes);
  }
  return combine_lanes(total);
}

void add_products_avx2(const double* a, const double* b, std::size_t n_rows, double* tile) {
  __m256d sums[panel_width];
  for (__m256d& sum : sums) sum = _mm256_setzero_pd();
  for (std::size_t r = 0; r < n_rows; ++r, a += panel_width, b += panel_width) {
    const __m256d row = _mm256_loadu_pd(b);
    for (std::size_t k = 0; k < panel_width; ++k)
      sums[k] = _mm256_add_pd(sums[k], _mm256_mul_pd(_mm256_broadcast_sd(a + k), row));
  }
  for (std::size_t k = 0; k < panel_width; ++k) {
    double* out = tile + k * panel_width;
    _mm256_storeu_pd(out, _mm256_add_pd(_mm256_loadu_pd(out), sums[k]));
  }
}

bool cpu_has_avx2() {
#if defined(_MSC_VER) && !defined(__clang__)
  int leaf1[4], leaf7[4];
  __cpuid(leaf1, 1);
  __cpuidex(leaf7, 7, 0);
  const bool os_saves = (leaf1[2] & (1 << 27)) && (_xgetbv(0) & 6) == 6;
  return os_saves && (leaf7[1] & (1 << 5));
#else
  return __builtin_cpu_supports("avx2");
#endif
}

}  // namespace

const Kernels* avx2_kernels() {
  static constexpr Kernels table{"avx2",
                                 advance<float>,
                                 advance<double>,
                                 advance_weighted<float>,
                                 advance_weighted<double>,
                                 finish<float>,
                                 finish<double>,
                                 finish_weighted<float>,
                                 finish_weighted<double>,
                                 split_rows,
                                 merge_rows,
                                 mark_sides,
                                 count_left,
                                 has_two_values,
                                 count_code,
                                 present_codes,
                                 add_products_avx2,
                                 nth_row};
  static const bool available = cpu_has_avx2();
  return available ? &table : nullptr;
}

}  // namespace bayesvc

#else

namespace bayesvc {
const Kernels* avx2_kernels() { return nullptr; }
}  // namespace bayesvc

#endif
