// The AVX2 build: a group of rows is two registers of residuals, and a set of them two masks.
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

constexpr std::size_t small_table = 8;

struct Whole {};
struct Part {
  std::size_t size;
};

// The beginning of a group and something to fill it up.
template <class T>
struct Filled {
  T values[lanes];
  Filled(const T* x, Part part, T rest) {
    for (std::size_t k = 0; k < lanes; ++k) values[k] = k < part.size ? x[k] : rest;
  }
};

__m256i widen(const std::uint8_t* x) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)));
}
__m256i widen(const std::uint16_t* x) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
}
__m256i widen(const std::uint32_t* x) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
}

// One 32-bit integer for each row: an id, a code, or all bits of one that is in the set.
struct Integers {
  __m256i low, high;
};
using Ids = Integers;
using Mask = Integers;

template <class Code>
Integers load_codes(const Code* x, Whole) {
  return {widen(x), widen(x + 8)};
}
// In pairs of which the last may be half dead, and without a loop.
Integers load_codes(const std::uint16_t* x, Part part) {
  const __m256i place = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m256i last = _mm256_set1_epi16(static_cast<short>(part.size - 1));
  const __m256i pairs = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(part.size / 2)),
                                           _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  __m256i v = _mm256_maskload_epi32(reinterpret_cast<const int*>(x), pairs);
  v = _mm256_blendv_epi8(v, _mm256_set1_epi16(static_cast<short>(x[part.size - 1])),
                         _mm256_cmpeq_epi16(place, last));
  v = _mm256_or_si256(v, _mm256_cmpgt_epi16(place, last));
  return {_mm256_cvtepu16_epi32(_mm256_castsi256_si128(v)),
          _mm256_cvtepu16_epi32(_mm256_extracti128_si256(v, 1))};
}
template <class Code>
Integers load_codes(const Code* x, Part part) {
  return load_codes(Filled<Code>(x, part, static_cast<Code>(-1)).values, Whole{});
}
template <class Extent>
Ids load_ids(const LeafId* x, Extent extent) {
  return load_codes(x, extent);
}
Mask equal(Ids ids, LeafId id) {
  const __m256i wanted = _mm256_set1_epi32(id);
  return {_mm256_cmpeq_epi32(ids.low, wanted), _mm256_cmpeq_epi32(ids.high, wanted)};
}
Mask either(Ids ids, LeafId first, LeafId second) {
  const Mask one = equal(ids, first), other = equal(ids, second);
  return {_mm256_or_si256(one.low, other.low), _mm256_or_si256(one.high, other.high)};
}
Mask all(Whole) { return {_mm256_set1_epi32(-1), _mm256_set1_epi32(-1)}; }
Mask all(Part part) {
  const __m256i size = _mm256_set1_epi32(static_cast<int>(part.size));
  return {_mm256_cmpgt_epi32(size, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
          _mm256_cmpgt_epi32(size, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15))};
}

// Codes are numbers of rows at most, so signed comparisons do.
template <class Code, class Extent>
Mask at_most(Mask among, const Code* codes, std::uint32_t cutpoint, Extent extent) {
  const __m256i most = _mm256_set1_epi32(static_cast<int>(cutpoint));
  const Integers code = load_codes(codes, extent);
  return {_mm256_andnot_si256(_mm256_cmpgt_epi32(code.low, most), among.low),
          _mm256_andnot_si256(_mm256_cmpgt_epi32(code.high, most), among.high)};
}

class Count {
 public:
  void add(Mask rows) {
    counts_ = _mm256_sub_epi32(counts_, _mm256_add_epi32(rows.low, rows.high));
  }
  std::uint32_t total() const {
    alignas(32) std::uint32_t count[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(count), counts_);
    std::uint32_t sum = 0;
    for (const std::uint32_t own : count) sum += own;
    return sum;
  }

 private:
  __m256i counts_ = _mm256_setzero_si256();
};

template <class Real>
struct Pack;

template <>
struct Pack<float> {
  __m256 a, b;
  static Pack zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  static Pack repeat(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
  static Pack load(const float* x, Whole) { return {_mm256_loadu_ps(x), _mm256_loadu_ps(x + 8)}; }
  static Pack load(const float* x, Part part) {
    const Mask rows = all(part);
    return {_mm256_maskload_ps(x, rows.low), _mm256_maskload_ps(x + 8, rows.high)};
  }
  void store(float* x, Whole) const {
    _mm256_storeu_ps(x, a);
    _mm256_storeu_ps(x + 8, b);
  }
  void store(float* x, Part part) const {
    const Mask rows = all(part);
    _mm256_maskstore_ps(x, rows.low, a);
    _mm256_maskstore_ps(x + 8, rows.high, b);
  }
  Pack operator+(Pack o) const { return {_mm256_add_ps(a, o.a), _mm256_add_ps(b, o.b)}; }
  Pack operator*(Pack o) const { return {_mm256_mul_ps(a, o.a), _mm256_mul_ps(b, o.b)}; }
  Pack plus(Pack o, Mask rows) const {
    return {_mm256_add_ps(a, _mm256_and_ps(o.a, _mm256_castsi256_ps(rows.low))),
            _mm256_add_ps(b, _mm256_and_ps(o.b, _mm256_castsi256_ps(rows.high)))};
  }
  Pack replaced(Pack o, Mask rows) const {
    return {_mm256_blendv_ps(a, o.a, _mm256_castsi256_ps(rows.low)),
            _mm256_blendv_ps(b, o.b, _mm256_castsi256_ps(rows.high))};
  }
  void flush(double* total) const {
    for (std::size_t half = 0; half < 2; ++half) {
      const __m128 low = half ? _mm256_extractf128_ps(a, 1) : _mm256_castps256_ps128(a);
      const __m128 high = half ? _mm256_extractf128_ps(b, 1) : _mm256_castps256_ps128(b);
      double* const out = total + 4 * half;
      _mm256_storeu_pd(out, _mm256_add_pd(_mm256_add_pd(_mm256_loadu_pd(out), _mm256_cvtps_pd(low)),
                                          _mm256_cvtps_pd(high)));
    }
  }
};

template <>
struct Pack<double> {
  __m256d v[4];
  static Pack zero() { return repeat(0.0); }
  static Pack repeat(double x) {
    const __m256d v = _mm256_set1_pd(x);
    return {{v, v, v, v}};
  }
  static Pack load(const double* x, Whole) {
    return {{_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4), _mm256_loadu_pd(x + 8),
             _mm256_loadu_pd(x + 12)}};
  }
  static Pack load(const double* x, Part part) {
    return load(Filled<double>(x, part, 0.0).values, Whole{});
  }
  void store(double* x, Whole) const {
    for (std::size_t k = 0; k < 4; ++k) _mm256_storeu_pd(x + 4 * k, v[k]);
  }
  void store(double* x, Part part) const {
    double values[lanes];
    store(values, Whole{});
    for (std::size_t k = 0; k < part.size; ++k) x[k] = values[k];
  }
  template <class F>
  static Pack each(F&& f) {
    return {{f(0), f(1), f(2), f(3)}};
  }
  Pack operator+(Pack o) const {
    return each([&](int k) { return _mm256_add_pd(v[k], o.v[k]); });
  }
  Pack operator*(Pack o) const {
    return each([&](int k) { return _mm256_mul_pd(v[k], o.v[k]); });
  }
  Pack plus(Pack o, Mask rows) const {
    return each([&](int k) {
      const __m256i half = k < 2 ? rows.low : rows.high;
      const __m128i part = k % 2 ? _mm256_extracti128_si256(half, 1) : _mm256_castsi256_si128(half);
      const __m256d mask = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(part));
      return _mm256_add_pd(v[k], _mm256_and_pd(o.v[k], mask));
    });
  }
  void flush(double* total) const {
    for (std::size_t k = 0; k < 2; ++k) {
      const __m256d sum = _mm256_add_pd(_mm256_loadu_pd(total + 4 * k), v[k]);
      _mm256_storeu_pd(total + 4 * k, _mm256_add_pd(sum, v[k + 2]));
    }
  }
};

template <class Real>
class Table;

template <>
class Table<float> {
 public:
  explicit Table(const float* values) : values_(_mm256_loadu_ps(values)) {}
  Pack<float> operator[](Ids ids) const {
    return {_mm256_permutevar8x32_ps(values_, ids.low),
            _mm256_permutevar8x32_ps(values_, ids.high)};
  }

 private:
  __m256 values_;
};

// Up to four registers and their blends, or a gather. (The form with a mask, because the other has
// GCC warn of its own header.)
template <class Real>
class LargeTable;

template <>
class LargeTable<float> {
 public:
  LargeTable(const float* values, std::size_t size) : values_(values), size_(size) {
    for (std::size_t k = 0; k < 4; ++k)
      part_[k] = 8 * k < size ? _mm256_loadu_ps(values + 8 * k) : _mm256_setzero_ps();
  }
  Pack<float> operator[](Ids ids) const { return {picked(ids.low), picked(ids.high)}; }

 private:
  __m256 picked(__m256i index) const {
    if (size_ > 32) {
      const __m256 every = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
      return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), values_, index, every, 4);
    }
    const __m256 by8 = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));  // bit 3 as the sign
    const __m256 low = pick(0, index, by8);
    if (size_ <= 16) return low;
    const __m256 by16 = _mm256_castsi256_ps(_mm256_slli_epi32(index, 27));
    return _mm256_blendv_ps(low, pick(2, index, by8), by16);
  }
  __m256 pick(std::size_t k, __m256i index, __m256 second) const {
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(part_[k], index),
                            _mm256_permutevar8x32_ps(part_[k + 1], index), second);
  }
  const float* values_;
  std::size_t size_;
  __m256 part_[4];
};

template <>
class LargeTable<double> {
 public:
  LargeTable(const double* values, std::size_t) : values_(values) {}
  Pack<double> operator[](Ids ids) const {
    return {{gathered(_mm256_castsi256_si128(ids.low)),
             gathered(_mm256_extracti128_si256(ids.low, 1)),
             gathered(_mm256_castsi256_si128(ids.high)),
             gathered(_mm256_extracti128_si256(ids.high, 1))}};
  }

 private:
  __m256d gathered(__m128i index) const {
    const __m256d every = _mm256_castsi256_pd(_mm256_set1_epi32(-1));
    return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), values_, index, every, 8);
  }
  const double* values_;
};

// The beginning of a group gathers too, where ids of no leaf must not be followed.
template <>
class Table<double> : public LargeTable<double> {
 public:
  explicit Table(const double* values) : LargeTable(values, small_table) {}
  Pack<double> operator[](Ids ids) const {
    const __m256i most = _mm256_set1_epi32(small_table - 1);
    return LargeTable::operator[](
        {_mm256_min_epi32(ids.low, most), _mm256_min_epi32(ids.high, most)});
  }
};

#include "kernels_vector.hpp"

// Half of the tile at a time: all of its sums would not fit into the registers.
void add_products_avx2(const double* a, const double* b, std::size_t n_rows, double* tile) {
  constexpr std::size_t half = panel_width / 2;
  for (std::size_t i = 0; i < panel_width; i += half) {
    __m256d sums[half][2];
    for (auto& sum : sums) sum[0] = sum[1] = _mm256_setzero_pd();
    const double *left = a + i, *right = b;
    for (std::size_t r = 0; r < n_rows; ++r, left += panel_width, right += panel_width) {
      const __m256d row[2] = {_mm256_loadu_pd(right), _mm256_loadu_pd(right + 4)};
      for (std::size_t k = 0; k < half; ++k) {
        const __m256d factor = _mm256_broadcast_sd(left + k);
        for (std::size_t h = 0; h < 2; ++h)
          sums[k][h] = _mm256_add_pd(sums[k][h], _mm256_mul_pd(factor, row[h]));
      }
    }
    for (std::size_t k = 0; k < half; ++k)
      for (std::size_t h = 0; h < 2; ++h) {
        double* const out = tile + (i + k) * panel_width + 4 * h;
        _mm256_storeu_pd(out, _mm256_add_pd(_mm256_loadu_pd(out), sums[k][h]));
      }
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
                                 advance<false, float>,
                                 advance<false, double>,
                                 advance<true, float>,
                                 advance<true, double>,
                                 finish<false, float>,
                                 finish<false, double>,
                                 finish<true, float>,
                                 finish<true, double>,
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
