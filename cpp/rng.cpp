#include "rng.hpp"

#include <algorithm>
#include <utility>

namespace bayesvc {

namespace fm = fixed_math;

namespace detail {

namespace {

// Start of the tail and area of each strip (the tail included in the lowest) for 256 strips.
constexpr double tail_start = 3.6541528853610088;
constexpr double strip_area = 0.0049286732339746553;

constexpr double square_root(double x) { return fm::exp(0.5 * fm::log(x)); }

constexpr Ziggurat make_ziggurat() {
  Ziggurat z{};
  std::array<double, Ziggurat::n_strips + 1> edge{};
  z.height[1] = fm::exp(-0.5 * tail_start * tail_start);
  edge[0] = strip_area / z.height[1];  // as wide as a rectangle of the lowest strip's area
  edge[1] = tail_start;
  for (std::size_t i = 2; i < Ziggurat::n_strips; ++i) {
    z.height[i] = z.height[i - 1] + strip_area / edge[i - 1];
    edge[i] = square_root(-2.0 * fm::log(z.height[i]));
  }
  z.height[Ziggurat::n_strips] = 1.0;
  for (std::size_t i = 0; i < Ziggurat::n_strips; ++i) z.strips[i] = {edge[i], edge[i + 1]};
  return z;
}

}  // namespace

constinit const Ziggurat ziggurat = make_ziggurat();

}  // namespace detail

Rng::Rng(const std::array<std::uint64_t, 4>& seed) : state_(seed) {
  // Zero is the one state the generator never leaves.
  if (seed == std::array<std::uint64_t, 4>{}) state_[0] = 0x9e3779b97f4a7c15ULL;
}

double Rng::normal_at_edge(std::size_t strip, double x) {
  if (strip == 0) {  // beyond tail_start: Marsaglia's exponential rejection
    double excess, y;
    do {
      excess = exponential() / detail::tail_start;
      y = exponential();
    } while (2.0 * y < excess * excess);
    return std::copysign(detail::tail_start + excess, x);
  }
  const double bottom = detail::ziggurat.height[strip], top = detail::ziggurat.height[strip + 1];
  return bottom + uniform() * (top - bottom) < fm::exp(-0.5 * x * x) ? x : normal();
}

// Marsaglia and Tsang (2000) for shape >= 1: with t = x / sqrt(9 d), x standard normal, d (1 + t)^3
// is accepted with log probability d (3 log(1 + t) - 3 t + 3 t^2 / 2 - t^3).
double Rng::gamma_from_one_up(const GammaConstants& constants) {
  const auto [d, c] = constants;
  for (;;) {
    const double x = normal(), t = c * x;
    if (t <= -1.0) continue;
    const double variate = d * ((1.0 + t) * (1.0 + t) * (1.0 + t));
    const double u = uniform();
    if (u < 1.0 - 0.0331 * (x * x) * (x * x)) return variate;
    double log_ratio;
    if (std::fabs(t) < 0.01) {  // the series: for large d the terms above would cancel
      const double series = 3.0 / 4 - t * (3.0 / 5 - t * (3.0 / 6 - t * (3.0 / 7 - t * (3.0 / 8))));
      log_ratio = -(x * x / 9.0) * (t * t) * series;
    } else {
      log_ratio = d * (3.0 * (fm::log1p(t) - t * (1.0 - 0.5 * t)) - t * t * t);
    }
    if (fm::log(u) < log_ratio) return variate;
  }
}

double Rng::gamma(double shape) {
  return shape < 1.0 ? fm::exp(log_gamma_variate(shape)) : gamma_from_one_up(GammaConstants(shape));
}

void Rng::fill_gamma(double shape, std::vector<double>& variates) {
  if (shape < 1.0) {
    for (double& variate : variates) variate = gamma(shape);
    return;
  }
  const GammaConstants constants(shape);
  for (double& variate : variates) variate = gamma_from_one_up(constants);
}

double Rng::log_gamma_variate(double shape) {
  if (shape >= 1.0) return fm::log(gamma_from_one_up(GammaConstants(shape)));
  // Gamma(shape) is Gamma(shape + 1) times uniform^(1 / shape). Two statements, because compilers
  // may evaluate the operands of a difference in either order.
  const double log_above_one = fm::log(gamma_from_one_up(GammaConstants(shape + 1.0)));
  return log_above_one - exponential() / shape;
}

double Rng::log_gamma_of_log(double log_shape) {
  // Beyond 1e300 the variate is its mean to within one part in 1e150.
  return log_shape < 690.0 ? log_gamma_variate(fm::exp(log_shape)) : log_shape;
}

void Rng::log_beta(double log_a, double log_b, double& log_x, double& log_1mx) {
  const double log_first = log_gamma_of_log(log_a);
  const double log_odds = log_first - log_gamma_of_log(log_b);
  const double log_larger = -fm::log1p(fm::exp(-std::fabs(log_odds)));
  const double log_smaller = log_larger - std::fabs(log_odds);
  log_x = log_odds > 0.0 ? log_larger : log_smaller;
  log_1mx = log_odds > 0.0 ? log_smaller : log_larger;
}

double Rng::geometric(double log_theta) {
  constexpr double most = 1e300;
  if (log_theta >= 0.0) return 0.0;
  const double e = exponential();
  // P(failures >= k) = (1 - theta)^k; below exp(-40), -log(1 - theta) is theta.
  const double failures =
      log_theta < -40.0 ? e * fm::exp(-log_theta) : e / -fm::log1mexp(log_theta);
  return std::floor(std::min(failures, most));
}

// Ahrens and Dieter (1974): the order statistic of rank near n p among n uniforms tells how many of
// them lie on its side of p, and leaves a binomial with about the square root of the mean.
double Rng::binomial(double n, double p, double q) {
  const double n_trials = n;
  double count = 0.0, sign = 1.0;
  for (;;) {
    if (p > q) {
      count += sign * n;
      sign = -sign;
      std::swap(p, q);
    }
    if (n <= 16.0 || n * p < 8.0) break;
    const double rank = std::floor(n * p);
    const double left = gamma(rank), right = gamma(n - rank + 1.0);
    const double x = left / (left + right), above = right / (left + right);
    if (x <= p) {
      count += sign * rank;
      n -= rank;
      p = (p - x) / above;
      q = q / above;
    } else {
      n = rank - 1.0;
      q = (x - p) / x;
      p = p / x;
    }
  }
  double successes = 0.0;
  if (n <= 16.0) {
    for (double i = 0.0; i < n; ++i) successes += uniform() < p ? 1.0 : 0.0;
  } else {  // few successes among many trials: jump from one to the next
    const double rate = -fm::log1p(-p);
    double used = std::floor(exponential() / rate) + 1.0;
    for (; used <= n; used += std::floor(exponential() / rate) + 1.0) ++successes;
  }
  return std::clamp(count + sign * successes, 0.0, n_trials);
}

// Far out, Robert's (1995) exponential proposal at its best rate, for which rate - lower = 1 /
// rate.
double Rng::normal_above(double lower) {
  if (lower < 0.4) {
    double x;
    do x = normal();
    while (x <= lower);
    return x;
  }
  const double rate = 0.5 * (lower + std::sqrt(lower * lower + 4.0));
  double e, miss;
  do {
    e = exponential();
    miss = (e - 1.0) / rate;
  } while (2.0 * exponential() < miss * miss);
  return lower + e / rate;
}

// The density on the interval is even enough for uniform proposals, or the interval long enough for
// those of the half-line or of the whole line: at least two in five are accepted.
double Rng::normal_between(double lower, double upper) {
  if (std::fabs(lower) > std::fabs(upper) && lower < 0.0) return -normal_between(-upper, -lower);
  const double width = upper - lower, nearest = std::max(lower, 0.0);
  const double decline = 0.5 * (nearest + std::sqrt(nearest * nearest + 4.0));
  double x;
  if (width * decline < 2.0) {
    do x = lower + width * uniform();
    while (!happens(0.5 * (x - nearest) * (x + nearest)));
    return std::min(x, upper);  // which rounding may exceed
  }
  if (lower < 0.4) {
    do x = normal();
    while (x < lower || x > upper);
    return x;
  }
  for (;;) {  // as in normal_above
    const double e = exponential(), miss = (e - 1.0) / decline;
    x = lower + e / decline;
    if (!(x > upper) && happens(0.5 * miss * miss)) return x;
  }
}

// With probability exp(-cost): mostly decided by 1 - cost, which is at most as large. Always if the
// cost is not a number, so that no loop waits for it.
bool Rng::happens(double cost) {
  const double u = uniform();
  return !(u >= 1.0 - cost) || !(u >= fm::exp(-cost));
}

}  // namespace bayesvc
