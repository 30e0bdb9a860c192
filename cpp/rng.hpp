// Random numbers: xoshiro256++ and exact samplers with the same bits on every platform.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fixed_math.hpp"

namespace bayesvc {

namespace detail {

// Marsaglia and Tsang's ziggurat: strips of equal area under exp(-x^2/2), widest first.
struct Ziggurat {
  static constexpr std::size_t n_strips = 256;
  struct Strip {
    double outer;  // right edge
    double inner;  // right edge of the strip above: left of it every point is under the curve
  };
  std::array<Strip, n_strips> strips;
  std::array<double, n_strips + 1> height;  // of the curve at each strip's right edge
};
extern const Ziggurat ziggurat;

}  // namespace detail

class Rng {
 public:
  explicit Rng(const std::array<std::uint64_t, 4>& seed);

  std::uint64_t bits() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform on the midpoints of 2^52 equal cells: never 0, never 1.
  double uniform() {
    constexpr auto one = std::bit_cast<std::uint64_t>(1.0);
    return std::bit_cast<double>(one | (bits() >> 12)) - (1.0 - 0x1p-53);  // exact
  }

  // Uniform on 0, ..., n - 1 for n >= 1, without bias (Lemire 2019).
  std::uint32_t below(std::uint32_t n) {
    std::uint64_t product = (bits() >> 32) * n;
    if (static_cast<std::uint32_t>(product) < n) [[unlikely]] {
      const std::uint32_t threshold = (0u - n) % n;
      while (static_cast<std::uint32_t>(product) < threshold) product = (bits() >> 32) * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  double normal() {
    const std::uint64_t word = bits();
    const std::size_t strip = word & 0xff;
    // The upper 52 bits choose the middle of a cell of (-1, 1); the strip is independent of them.
    constexpr auto two = std::bit_cast<std::uint64_t>(2.0);
    const double position = std::bit_cast<double>(two | (word >> 12)) - (3.0 - 0x1p-52);
    const double x = position * detail::ziggurat.strips[strip].outer;
    if (std::fabs(x) < detail::ziggurat.strips[strip].inner) [[likely]]
      return x;
    return normal_at_edge(strip, x);
  }

  double exponential() { return -fixed_math::log(uniform()); }

  double gamma(double shape);  // Gamma(shape, 1)
  void fill_gamma(double shape, std::vector<double>& variates);
  double log_gamma_variate(double shape);  // its logarithm, for shapes from 1e-300 up

  double log_gamma_of_log(double log_shape);  // the same for a shape beyond the range of doubles

  // Logarithms of a Beta(a, b) variate and of one minus it, each with full relative accuracy.
  void log_beta(double log_a, double log_b, double& log_x, double& log_1mx);

  // Failures before the first success of probability exp(log_theta), at most 1e300.
  double geometric(double log_theta);

  // Successes in n trials (an integer up to 1e300) of probability p, with q = 1 - p.
  double binomial(double n, double p, double q);
  double binomial(double n, double p) { return binomial(n, p, 1.0 - p); }

  double normal_above(double lower);  // standard normal given that it exceeds lower
  // Standard normal given that it lies between them; either may be infinite.
  double normal_between(double lower, double upper);

 private:
  struct GammaConstants {
    explicit GammaConstants(double shape) : d(shape - 1.0 / 3), c(1.0 / (3.0 * std::sqrt(d))) {}
    double d, c;
  };
  double gamma_from_one_up(const GammaConstants& constants);
  double normal_at_edge(std::size_t strip, double x);
  bool happens(double cost);

  std::array<std::uint64_t, 4> state_;
};

}  // namespace bayesvc
