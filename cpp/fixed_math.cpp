#include "fixed_math.hpp"

#include <cstddef>
#include <iterator>
#include <utility>

namespace bayesvc::fixed_math {

namespace {

// log Gamma(2 + z) for |z| <= 1/2: z (1 - Euler's constant) + sum over k >= 2 of
// (-1)^k (zeta(k) - 1) z^k / k; highest power first.
constexpr double lgamma_series[] = {
    -2.7595228851242334e-10, 5.731367241678862e-10,  -1.1921401405860912e-09,
    2.4836745438024785e-09,  -5.183475041970047e-09, 1.0838659214896955e-08,
    -2.2711094608943164e-08, 4.7698101693639804e-08, -1.0043224823968099e-07,
    2.1207184805554665e-07,  -4.492469198764566e-07, 9.55141213040742e-07,
    -2.039215753801366e-06,  4.374866789907488e-06,  -9.439488275268397e-06,
    2.050721277567069e-05,   -4.492623673813314e-05, 9.945751278180853e-05,
    -0.00022315475845357939, 0.0005096695247430425,  -0.001192753911703261,
    0.0028905103307415234,   -0.007385551028673986,  0.020580808427784546,
    -0.0673523010531981,     0.3224670334241132,     0.42278433509846713};

double lgamma_around_two(double z) {
  // Even and odd powers apart: two short chains run side by side.
  const double z2 = z * z;
  double odd = lgamma_series[0], even = 0.0;
  for (std::size_t k = 1; k < std::size(lgamma_series); k += 2) {
    even = even * z2 + lgamma_series[k];
    odd = odd * z2 + lgamma_series[k + 1];
  }
  return odd * z + even * z2;
}

double lgamma_stirling(double x) {
  const double inverse = 1.0 / x, square = inverse * inverse;
  double series = 1.0 / 156;
  for (const double coefficient :
       {-691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12})
    series = series * square + coefficient;
  constexpr double half_log_two_pi_minus_half = 0.4189385332046727;
  return (x - 0.5) * (log(x) - 1.0) + (half_log_two_pi_minus_half + series * inverse);
}

}  // namespace

double lgamma(double x) {
  if (x == detail::infinity) return x;
  if (!(x >= 0.0)) return detail::nan;
  if (x >= 10.0) return lgamma_stirling(x);
  if (x < 0.5) return lgamma_around_two(x) - log1p(x) - log(x);
  if (x < 1.5) return lgamma_around_two(x - 1.0) - log1p(x - 1.0);
  double product = 1.0;
  while (x >= 2.5) product *= (x -= 1.0);
  return lgamma_around_two(x - 2.0) + log(product);
}

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  if (a == b) return a + detail::ln2_high + detail::ln2_low;
  return a + log1p(exp(b - a));
}

double log1mexp(double x) { return x > -0.5 ? log(-expm1(x)) : log1p(-exp(x)); }

}  // namespace bayesvc::fixed_math
