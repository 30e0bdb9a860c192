// Elementary functions whose bits depend on nothing but their argument.
//
// The C library picks a variant by CPU and differs between platforms; these use only IEEE
// additions, multiplications and divisions, so a chain gives the same draws everywhere. Every
// caller must be compiled without contraction into fused multiply-adds (-ffp-contract=off).
#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>
#include <limits>

#if defined(__FAST_MATH__)
#error "bayesvc must be compiled without -ffast-math: results would depend on the compiler"
#endif
static_assert(std::numeric_limits<double>::is_iec559 && FLT_EVAL_METHOD == 0,
              "bayesvc needs IEEE doubles evaluated in their own precision");

namespace bayesvc::fixed_math {

double lgamma(double x);             // log of the gamma function, x >= 0
double log_add(double a, double b);  // log(exp(a) + exp(b))
double log1mexp(double x);           // log(1 - exp(x)), x <= 0

namespace detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// ln2_high has 21 trailing zero bits: a product with any exponent is exact.
inline constexpr double ln2_high = 0x1.62e42feep-1;
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;
inline constexpr double sqrt_half = 0x1.6a09e667f3bcdp-1;

constexpr double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

// exp(r) - 1 for |r| <= log(2)/2 by Taylor's series to degree 13 (remainder below 5e-18).
constexpr double expm1_reduced(double r) {
  const double r2 = r * r, r4 = r2 * r2;
  const double low = (1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
  const double middle = (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
  const double high =
      (1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600 + r * (1.0 / 6227020800.0));
  return r + r2 * (low + r4 * (middle + r4 * high));
}

// Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits of the sum.
inline constexpr double rounder = 0x1.8p52;

constexpr double exp_near_limits(double x) {
  if (x != x) return x;
  if (x > 709.79) return infinity;
  if (x < -745.14) return 0.0;
  const double k = (x * 0x1.71547652b82fep0 + rounder) - rounder;
  const double mantissa = 1.0 + expm1_reduced((x - k * ln2_high) - k * ln2_low);
  const int exponent = static_cast<int>(k), half = exponent / 2;
  return mantissa * power_of_two(half) * power_of_two(exponent - half);
}

// log(1 + f) + k log(2) for 1 + f in [sqrt(1/2), sqrt(2)), by the series of atanh in f / (2 + f).
constexpr double log_reduced(double f, double k) {
  const double s = f / (2.0 + f), z = s * s, z2 = z * z, z4 = z2 * z2;
  const double low = (2.0 / 3 + z * (2.0 / 5)) + z2 * (2.0 / 7 + z * (2.0 / 9));
  const double middle = (2.0 / 11 + z * (2.0 / 13)) + z2 * (2.0 / 15 + z * (2.0 / 17));
  const double high = 2.0 / 19 + z * (2.0 / 21);
  const double tail = z * (low + z4 * (middle + z4 * high));
  // 2s = f - f^2/2 + s f^2/2: the leading term f stays exact.
  const double half_square = 0.5 * f * f;
  return k * ln2_high - ((half_square - (s * (half_square + tail) + k * ln2_low)) - f);
}

constexpr double log_normal_range(double x, double extra_exponent) {
  constexpr auto low_edge = std::bit_cast<std::uint64_t>(sqrt_half);
  constexpr auto one = std::bit_cast<std::uint64_t>(1.0);
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (one - low_edge);
  const double k = static_cast<double>(static_cast<int>(shifted >> 52) - 1023);
  const double m = std::bit_cast<double>((shifted & 0x000fffffffffffffULL) + low_edge);
  return log_reduced(m - 1.0, k + extra_exponent);
}

constexpr double log_near_limits(double x) {
  if (x == 0.0) return -infinity;
  if (!(x > 0.0)) return nan;
  if (x == infinity) return x;
  return log_normal_range(x * 0x1p54, -54.0);
}

}  // namespace detail

constexpr double exp(double x) {
  using namespace detail;
  if (!(x > -708.0 && x < 709.0)) [[unlikely]]
    return exp_near_limits(x);
  const double shifted = x * 0x1.71547652b82fep0 + rounder, k = shifted - rounder;
  const double mantissa = 1.0 + expm1_reduced((x - k * ln2_high) - k * ln2_low);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(mantissa) +
                               (std::bit_cast<std::uint64_t>(shifted) << 52));
}

constexpr double expm1(double x) {
  return x > -0.34 && x < 0.34 ? detail::expm1_reduced(x) : exp(x) - 1.0;
}

constexpr double log(double x) {
  if (!(x >= DBL_MIN && x <= DBL_MAX)) [[unlikely]]
    return detail::log_near_limits(x);
  return detail::log_normal_range(x, 0.0);
}

constexpr double log1p(double x) {
  const double u = 1.0 + x;
  if (u == 1.0 || u == detail::infinity || !(u > 0.0)) return u == 1.0 ? x : log(u);
  const double lost = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);  // 1 + x - u, exactly
  return log(u) + lost / u;
}

}  // namespace bayesvc::fixed_math
