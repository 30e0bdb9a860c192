// The AVX-512 build: a group of rows is one register of residuals, and a set of them a mask.
#include "kernels.hpp"

#if defined(BAYESVC_HAVE_AVX512)

#include <immintrin.h>

#include <type_traits>
#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace bayesvc {
namespace {

#include "kernels_body.hpp"

constexpr std::size_t small_table = 16;

using Mask = __mmask16;

struct Whole {};
struct Part {
  std::size_t size;
};
Mask all(Whole) { return 0xffff; }
Mask all(Part part) { return static_cast<Mask>((1u << part.size) - 1u); }

struct Ids {
  __m256i v;
};
Ids load_ids(const LeafId* x, Whole) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x))};
}
Ids load_ids(const LeafId* x, Part part) {
  return {_mm256_mask_loadu_epi16(_mm256_set1_epi16(-1), all(part), x)};
}
Mask equal(Ids ids, LeafId id) {
  return _mm256_cmpeq_epi16_mask(ids.v, _mm256_set1_epi16(static_cast<short>(id)));
}

Mask either(Ids ids, LeafId first, LeafId second) {
  if (first == second) return equal(ids, first);
  return static_cast<Mask>(equal(ids, first) | equal(ids, second));
}

// Loads of all but the last rows need no mask, and the compiler sees that.
template <class Extent>
Mask at_most(Mask among, const std::uint8_t* codes, std::uint32_t cutpoint, Extent extent) {
  return _mm_mask_cmple_epu8_mask(among, _mm_maskz_loadu_epi8(all(extent), codes),
                                  _mm_set1_epi8(static_cast<char>(cutpoint)));
}
template <class Extent>
Mask at_most(Mask among, const std::uint16_t* codes, std::uint32_t cutpoint, Extent extent) {
  return _mm256_mask_cmple_epu16_mask(among, _mm256_maskz_loadu_epi16(all(extent), codes),
                                      _mm256_set1_epi16(static_cast<short>(cutpoint)));
}
template <class Extent>
Mask at_most(Mask among, const std::uint32_t* codes, std::uint32_t cutpoint, Extent extent) {
  return _mm512_mask_cmple_epu32_mask(among, _mm512_maskz_loadu_epi32(all(extent), codes),
                                      _mm512_set1_epi32(static_cast<int>(cutpoint)));
}

class Count {
 public:
  void add(Mask rows) { total_ += static_cast<std::uint32_t>(_mm_popcnt_u32(rows)); }
  std::uint32_t total() const { return total_; }

 private:
  std::uint32_t total_ = 0;
};

template <class Real>
struct Pack;

template <>
struct Pack<float> {
  __m512 v;
  static Pack zero() { return {_mm512_setzero_ps()}; }
  static Pack repeat(float x) { return {_mm512_set1_ps(x)}; }
  static Pack load(const float* x, Whole) { return {_mm512_loadu_ps(x)}; }
  static Pack load(const float* x, Part part) { return {_mm512_maskz_loadu_ps(all(part), x)}; }
  void store(float* x, Whole) const { _mm512_storeu_ps(x, v); }
  void store(float* x, Part part) const { _mm512_mask_storeu_ps(x, all(part), v); }
  Pack operator+(Pack o) const { return {_mm512_add_ps(v, o.v)}; }
  Pack operator*(Pack o) const { return {_mm512_mul_ps(v, o.v)}; }
  Pack plus(Pack o, Mask rows) const { return {_mm512_mask_add_ps(v, rows, v, o.v)}; }
  Pack replaced(Pack o, Mask rows) const { return {_mm512_mask_mov_ps(v, rows, o.v)}; }
  void flush(double* total) const {
    const __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(v));
    const __m512d high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
    _mm512_storeu_pd(total, _mm512_add_pd(_mm512_add_pd(_mm512_loadu_pd(total), low), high));
  }
};

template <>
struct Pack<double> {
  __m512d a, b;
  static Mask high(Mask rows) { return static_cast<Mask>(rows >> 8); }
  static Pack zero() { return {_mm512_setzero_pd(), _mm512_setzero_pd()}; }
  static Pack repeat(double x) { return {_mm512_set1_pd(x), _mm512_set1_pd(x)}; }
  static Pack load(const double* x, Whole) { return {_mm512_loadu_pd(x), _mm512_loadu_pd(x + 8)}; }
  static Pack load(const double* x, Part part) {
    return {_mm512_maskz_loadu_pd(static_cast<__mmask8>(all(part)), x),
            _mm512_maskz_loadu_pd(static_cast<__mmask8>(high(all(part))), x + 8)};
  }
  void store(double* x, Whole) const {
    _mm512_storeu_pd(x, a);
    _mm512_storeu_pd(x + 8, b);
  }
  void store(double* x, Part part) const {
    _mm512_mask_storeu_pd(x, static_cast<__mmask8>(all(part)), a);
    _mm512_mask_storeu_pd(x + 8, static_cast<__mmask8>(high(all(part))), b);
  }
  Pack operator+(Pack o) const { return {_mm512_add_pd(a, o.a), _mm512_add_pd(b, o.b)}; }
  Pack operator*(Pack o) const { return {_mm512_mul_pd(a, o.a), _mm512_mul_pd(b, o.b)}; }
  Pack plus(Pack o, Mask rows) const {
    return {_mm512_mask_add_pd(a, static_cast<__mmask8>(rows), a, o.a),
            _mm512_mask_add_pd(b, static_cast<__mmask8>(high(rows)), b, o.b)};
  }
  void flush(double* total) const {
    _mm512_storeu_pd(total, _mm512_add_pd(_mm512_add_pd(_mm512_loadu_pd(total), a), b));
  }
};

template <class Real>
class Table;

template <>
class Table<float> {
 public:
  explicit Table(const float* values) : values_(_mm512_loadu_ps(values)) {}
  Pack<float> operator[](Ids ids) const {
    return {_mm512_permutexvar_ps(_mm512_cvtepu16_epi32(ids.v), values_)};
  }

 private:
  __m512 values_;
};

template <>
class Table<double> {
 public:
  explicit Table(const double* values)
      : low_(_mm512_loadu_pd(values)), high_(_mm512_loadu_pd(values + 8)) {}
  Pack<double> operator[](Ids ids) const {
    return {picked(_mm256_castsi256_si128(ids.v)), picked(_mm256_extracti128_si256(ids.v, 1))};
  }

 private:
  __m512d picked(__m128i ids) const {
    return _mm512_permutex2var_pd(low_, _mm512_cvtepu16_epi64(ids), high_);
  }
  __m512d low_, high_;
};

// Two registers, or a gather. (The form with a mask, because the other has GCC warn of its own
// header.)
template <class Real>
class LargeTable;

template <>
class LargeTable<float> {
 public:
  LargeTable(const float* values, std::size_t size)
      : values_(values),
        size_(size),
        low_(_mm512_loadu_ps(values)),
        high_(size > 16 ? _mm512_loadu_ps(values + 16) : _mm512_setzero_ps()) {}
  Pack<float> operator[](Ids ids) const {
    const __m512i index = _mm512_cvtepu16_epi32(ids.v);
    if (size_ <= 32) return {_mm512_permutex2var_ps(low_, index, high_)};
    return {_mm512_mask_i32gather_ps(_mm512_setzero_ps(), all(Whole{}), index, values_, 4)};
  }

 private:
  const float* values_;
  std::size_t size_;
  __m512 low_, high_;
};

template <>
class LargeTable<double> {
 public:
  LargeTable(const double* values, std::size_t) : values_(values) {}
  Pack<double> operator[](Ids ids) const {
    const __m512i index = _mm512_cvtepu16_epi32(ids.v);
    return {gathered(_mm512_castsi512_si256(index)), gathered(_mm512_extracti64x4_epi64(index, 1))};
  }

 private:
  __m512d gathered(__m256i index) const {
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, index, values_, 8);
  }
  const double* values_;
};

#include "kernels_vector.hpp"

// Passes over ids take 32 rows at a time.
constexpr std::size_t many = 32;

struct Sides {
  __mmask32 above, at;  // the cutpoint
};

Sides compared(const std::uint8_t* codes, __mmask32 among, std::uint32_t cutpoint) {
  const __m256i code = _mm256_maskz_loadu_epi8(among, codes);
  const __m256i limit = _mm256_set1_epi8(static_cast<char>(cutpoint));
  return {_mm256_mask_cmpgt_epu8_mask(among, code, limit),
          _mm256_mask_cmpeq_epu8_mask(among, code, limit)};
}
Sides compared(const std::uint16_t* codes, __mmask32 among, std::uint32_t cutpoint) {
  const __m512i code = _mm512_maskz_loadu_epi16(among, codes);
  const __m512i limit = _mm512_set1_epi16(static_cast<short>(cutpoint));
  return {_mm512_mask_cmpgt_epu16_mask(among, code, limit),
          _mm512_mask_cmpeq_epu16_mask(among, code, limit)};
}
Sides compared(const std::uint32_t* codes, __mmask32 among, std::uint32_t cutpoint) {
  const __m512i limit = _mm512_set1_epi32(static_cast<int>(cutpoint));
  Sides sides{0, 0};
  for (unsigned shift = 0; shift < many; shift += 16) {
    const auto rows = static_cast<__mmask16>(among >> shift);
    const __m512i code = _mm512_maskz_loadu_epi32(rows, codes + shift);
    sides.above |= __mmask32{_mm512_mask_cmpgt_epu32_mask(rows, code, limit)} << shift;
    sides.at |= __mmask32{_mm512_mask_cmpeq_epu32_mask(rows, code, limit)} << shift;
  }
  return sides;
}

RoutedRows split_rows_avx512(LeafId* ids, std::size_t n, LeafId from, LeafId to, ColumnView column,
                             std::uint32_t cutpoint) {
  const __m512i old_id = _mm512_set1_epi16(static_cast<short>(from));
  const __m512i new_id = _mm512_set1_epi16(static_cast<short>(to));
  return with_codes(column, [&](const auto* codes) {
    RoutedRows counts;
    const auto route = [&](std::size_t i, __mmask32 rows) {
      const __m512i id = _mm512_maskz_loadu_epi16(rows, ids + i);
      const Sides sides = compared(codes + i, rows, cutpoint);
      const __mmask32 inside = _mm512_mask_cmpeq_epi16_mask(rows, id, old_id);
      const __mmask32 moved = inside & sides.above;
      _mm512_mask_storeu_epi16(ids + i, rows, _mm512_mask_mov_epi16(id, moved, new_id));
      counts.moved += static_cast<std::uint32_t>(_mm_popcnt_u32(moved));
      counts.at_cutpoint += static_cast<std::uint32_t>(_mm_popcnt_u32(inside & sides.at));
    };
    std::size_t i = 0;
    for (; i + many <= n; i += many) route(i, ~__mmask32{0});
    if (i < n) route(i, (__mmask32{1} << (n - i)) - 1);
    return counts;
  });
}

std::size_t nth_row_avx512(std::size_t n, const RowSet& rows, std::uint32_t k) {
  const __m512i first = _mm512_set1_epi16(static_cast<short>(rows.first));
  const __m512i second = _mm512_set1_epi16(static_cast<short>(rows.second));
  for (std::size_t i = 0; i < n; i += many) {
    const __mmask32 in_range = n - i < many ? (__mmask32{1} << (n - i)) - 1 : ~__mmask32{0};
    const __m512i ids = _mm512_maskz_loadu_epi16(in_range, rows.ids + i);
    __mmask32 here = _mm512_mask_cmpeq_epi16_mask(in_range, ids, first) |
                     _mm512_mask_cmpeq_epi16_mask(in_range, ids, second);
    const auto count = static_cast<std::uint32_t>(_mm_popcnt_u32(here));
    if (k >= count) {
      k -= count;
      continue;
    }
    for (; k > 0; --k) here &= here - 1;
    const __mmask32 before = (here & (~here + 1)) - 1;
    return i + static_cast<std::size_t>(_mm_popcnt_u32(before));
  }
  return n;
}

void add_products_avx512(const double* a, const double* b, std::size_t n_rows, double* tile) {
  __m512d sums[panel_width];
  for (__m512d& sum : sums) sum = _mm512_setzero_pd();
  for (std::size_t r = 0; r < n_rows; ++r, a += panel_width, b += panel_width) {
    const __m512d row = _mm512_loadu_pd(b);
    for (std::size_t k = 0; k < panel_width; ++k)
      sums[k] = _mm512_add_pd(sums[k], _mm512_mul_pd(_mm512_set1_pd(a[k]), row));
  }
  for (std::size_t k = 0; k < panel_width; ++k) {
    double* const out = tile + k * panel_width;
    _mm512_storeu_pd(out, _mm512_add_pd(_mm512_loadu_pd(out), sums[k]));
  }
}

bool cpu_has_avx512() {
#if defined(_MSC_VER) && !defined(__clang__)
  int leaf1[4], leaf7[4];
  __cpuid(leaf1, 1);
  __cpuidex(leaf7, 7, 0);
  const bool os_saves = (leaf1[2] & (1 << 27)) && (_xgetbv(0) & 0xe6) == 0xe6;
  constexpr unsigned f = 1u << 16, dq = 1u << 17, bw = 1u << 30, vl = 1u << 31;
  constexpr unsigned wanted = f | dq | bw | vl;
  return os_saves && (static_cast<unsigned>(leaf7[1]) & wanted) == wanted;
#else
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
}

}  // namespace

const Kernels* avx512_kernels() {
  static constexpr Kernels table{"avx512",
                                 advance<false, float>,
                                 advance<false, double>,
                                 advance<true, float>,
                                 advance<true, double>,
                                 finish<false, float>,
                                 finish<false, double>,
                                 finish<true, float>,
                                 finish<true, double>,
                                 split_rows_avx512,
                                 merge_rows,
                                 mark_sides,
                                 count_left,
                                 has_two_values,
                                 count_code,
                                 present_codes,
                                 add_products_avx512,
                                 nth_row_avx512};
  static const bool available = cpu_has_avx512();
  return available ? &table : nullptr;
}

}  // namespace bayesvc

#else

namespace bayesvc {
const Kernels* avx512_kernels() { return nullptr; }
}  // namespace bayesvc

#endif
