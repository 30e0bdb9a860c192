// Seeds are fixed, so a test that passes keeps passing. The rates in statistics.hpp (about 1e-7 for
// Kolmogorov and Smirnov, 6e-7 for a normal score) are those at which a fresh seed would raise a
// false alarm.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "../rng.hpp"
#include "check.hpp"
#include "statistics.hpp"

using namespace statistics;
using bayesvc::Rng;

namespace {

Rng rng_of(std::uint64_t stream) {
  return Rng({0x243f6a8885a308d3ULL ^ stream, 0x13198a2e03707344ULL, 0xa4093822299f31d0ULL,
              0x082efa98ec4e6c89ULL * (stream + 1)});
}

template <typename Sampler>
std::vector<double> sample(std::size_t n, Sampler sampler) {
  std::vector<double> draws(n);
  for (double& draw : draws) draw = sampler();
  return draws;
}

void check_z(double z) { CHECK_NEAR(z, 0.0, z_limit); }

// Chi-square of integer draws in [low, high], with everything outside in the two end cells.
template <typename Probability>
double z_of_cells(const std::vector<double>& draws, double low, double high,
                  Probability probability) {
  const auto n_cells = static_cast<std::size_t>(high - low) + 1;
  std::vector<double> counts(n_cells, 0.0), cells(n_cells, 0.0);
  for (const double x : draws)
    counts[static_cast<std::size_t>(std::fmin(std::fmax(x, low), high) - low)] += 1.0;
  double inside = 0.0, left = 0.0;
  for (double k = 0.0; k < low; ++k) left += probability(k);
  for (std::size_t i = 0; i < n_cells; ++i)
    inside += cells[i] = probability(low + static_cast<double>(i));
  cells.front() += left;
  cells.back() += 1.0 - left - inside;
  return z_of_counts(counts, cells);
}

}  // namespace

TEST(xoshiro_matches_published_outputs) {
  Rng rng({1, 2, 3, 4});
  for (const std::uint64_t expected :
       {41943041ULL, 58720359ULL, 3588806011781223ULL, 3591011842654386ULL, 9228616714210784205ULL,
        9973669472204895162ULL})
    CHECK(rng.bits() == expected);
}

TEST(zero_seed_still_runs) {
  Rng rng({0, 0, 0, 0});
  const auto draws = sample(100'000, [&] { return rng.uniform(); });
  check_z(z_of_mean(draws, 0.5, 1.0 / 12));
}

TEST(uniform_is_uniform_and_open) {
  Rng rng = rng_of(1);
  const auto draws = sample(1'000'000, [&] { return rng.uniform(); });
  CHECK(ks_distance(draws, [](double x) { return x; }) < ks_limit);
  for (const double u : draws) CHECK(u > 0.0 && u < 1.0);
}

TEST(below_is_unbiased) {
  Rng rng = rng_of(2);
  for (const std::uint32_t n : {2u, 7u, 459u}) {
    std::vector<double> counts(n, 0.0);
    for (int i = 0; i < 500'000; ++i) counts[rng.below(n)] += 1.0;
    check_z(z_of_counts(counts, std::vector<double>(n, 1.0 / n)));
  }
  // Without rejection, multiples of three would be twice as frequent here.
  std::vector<double> residues(3, 0.0);
  for (int i = 0; i < 300'000; ++i) residues[rng.below(3u << 30) % 3] += 1.0;
  check_z(z_of_counts(residues, std::vector<double>(3, 1.0 / 3)));
  for (int i = 0; i < 100; ++i) CHECK(rng.below(1) == 0);
}

TEST(normal_is_normal) {
  Rng rng = rng_of(3);
  const std::size_t n = 1'000'000;
  const auto draws = sample(n, [&] { return rng.normal(); });
  CHECK(ks_distance(draws, normal_cdf) < ks_limit);
  check_z(z_of_mean(draws, 0.0, 1.0));
  check_z(z_of_variance(draws, 0.0, 1.0));
  // Counts by width and sign: a wrong strip edge shows in a narrow cell before it shows in the
  // total.
  std::vector<double> counts(400, 0.0), cells(400);
  for (const double x : draws)
    counts[static_cast<std::size_t>(std::floor(std::fmin(std::fmax(x, -3.99), 3.99) * 50.0) +
                                    200.0)] += 1.0;
  for (std::size_t i = 0; i < 400; ++i) {
    const double left = i == 0 ? -40.0 : (static_cast<double>(i) - 200.0) / 50.0;
    const double right = i == 399 ? 40.0 : (static_cast<double>(i) - 199.0) / 50.0;
    cells[i] = right <= 0.0 ? normal_cdf(right) - normal_cdf(left)
                            : normal_cdf(-left) - normal_cdf(-right);
  }
  check_z(z_of_counts(counts, cells));
}

TEST(normal_tail_is_exact) {
  Rng rng = rng_of(4);
  constexpr double n = 60e6, tail_start = 3.6541528853610088;  // where the ziggurat's tail begins
  std::vector<double> near, tail;
  double left = 0.0;
  for (double i = 0.0; i < n; ++i) {
    const double x = rng.normal();
    if (std::fabs(x) > 3.6) (std::fabs(x) > tail_start ? tail : near).push_back(std::fabs(x));
    if (x < -tail_start) ++left;
  }
  const auto above = [](double x) { return std::erfc(x / std::sqrt(2.0)); };
  const double size = static_cast<double>(tail.size()), p = above(tail_start);
  const double p_near = above(3.6) - p;
  check_z((static_cast<double>(near.size()) - n * p_near) / std::sqrt(n * p_near));
  check_z((size - n * p) / std::sqrt(n * p));
  check_z((left - 0.5 * size) / std::sqrt(0.25 * size));
  CHECK(ks_distance(tail, [&](double x) { return 1.0 - above(x) / p; }) < ks_limit);
  const double density =
      2.0 * std::exp(-0.5 * tail_start * tail_start) / std::sqrt(2.0 * std::acos(-1.0));
  const double expected = density / p, variance = 1.0 + tail_start * expected - expected * expected;
  check_z(z_of_mean(tail, expected, variance));
}

TEST(exponential_is_exponential) {
  Rng rng = rng_of(5);
  const auto draws = sample(1'000'000, [&] { return rng.exponential(); });
  CHECK(ks_distance(draws, [](double x) { return -std::expm1(-x); }) < ks_limit);
}

TEST(gamma_follows_its_distribution) {
  Rng rng = rng_of(6);
  for (const double shape : {0.05, 0.5, 1.0, 1.3, 4.0, 60.0}) {
    const auto draws = sample(200'000, [&] { return rng.gamma(shape); });
    CHECK(ks_distance(draws, [&](double x) { return x > 0.0 ? gamma_cdf(shape, x) : 0.0; }) <
          ks_limit);
    check_z(z_of_mean(draws, shape, shape));
  }
}

TEST(gamma_variates_are_the_same_one_by_one) {
  for (const double shape : {0.5, 3.0}) {
    Rng together = rng_of(61), alone = rng_of(61);
    std::vector<double> variates(1000);
    together.fill_gamma(shape, variates);
    for (const double variate : variates) CHECK(variate == alone.gamma(shape));
  }
}

TEST(gamma_of_large_shape) {
  Rng rng = rng_of(7);
  for (const double shape : {1e6, 1e12}) {
    const auto draws =
        sample(200'000, [&] { return (rng.gamma(shape) - shape) / std::sqrt(shape); });
    check_z(z_of_mean(draws, 0.0, 1.0));
    check_z(z_of_variance(draws, 0.0, 1.0));
    // The skewness, 2 / sqrt(shape), moves the distribution function by 1e-4 at the first shape.
    CHECK(ks_distance(draws, normal_cdf) < ks_limit + 0.1);
  }
}

TEST(log_gamma_of_any_shape) {
  Rng rng = rng_of(8);
  for (const double shape : {1e-300, 1e-100, 1e-6, 1e-3, 0.2, 0.999, 1.0, 7.0, 1e5}) {
    // Shape times the logarithm has a limit, minus an exponential, as the shape goes to zero.
    const double unit = shape < 1.0 ? shape : 1.0;
    const auto draws = sample(200'000, [&] { return unit * rng.log_gamma_variate(shape); });
    const double expected = unit * digamma(shape);
    const double variance = shape < 1e-100 ? 1.0 : unit * unit * trigamma(shape);
    check_z(z_of_mean(draws, expected, variance));
    check_z(z_of_variance(draws, expected, variance));
  }
  CHECK_NEAR(rng.log_gamma_variate(1e300), std::log(1e300), 1e-10);
}

TEST(log_beta_follows_its_distribution) {
  Rng rng = rng_of(9);
  for (const auto& [a, b] :
       {std::pair{0.5, 0.5}, {1e-3, 2e-3}, {1e-3, 50.0}, {3.0, 1e-4}, {20.0, 1000.0}}) {
    std::vector<double> log_x(200'000), log_1mx(200'000);
    for (std::size_t i = 0; i < log_x.size(); ++i)
      rng.log_beta(std::log(a), std::log(b), log_x[i], log_1mx[i]);
    check_z(z_of_mean(log_x, digamma(a) - digamma(a + b), trigamma(a) - trigamma(a + b)));
    check_z(z_of_mean(log_1mx, digamma(b) - digamma(a + b), trigamma(b) - trigamma(a + b)));
    for (std::size_t i = 0; i < 1000; ++i)
      CHECK_NEAR(std::exp(log_x[i]) + std::exp(log_1mx[i]), 1.0, 1e-15);
  }
  const auto arcsine = sample(200'000, [&] {
    double log_x, log_1mx;
    rng.log_beta(std::log(0.5), std::log(0.5), log_x, log_1mx);
    return std::exp(log_x);
  });
  const double pi = std::acos(-1.0);
  CHECK(ks_distance(arcsine, [&](double x) { return 2.0 / pi * std::asin(std::sqrt(x)); }) <
        ks_limit);
}

TEST(log_beta_keeps_both_ends) {
  Rng rng = rng_of(10);
  double log_x, log_1mx;
  for (int i = 0; i < 1000; ++i) {
    rng.log_beta(std::log(1e-300), std::log(1.0), log_x, log_1mx);
    CHECK(std::isfinite(log_x) && log_1mx == 0.0);
    rng.log_beta(std::log(1.0), std::log(1e-300), log_x, log_1mx);
    CHECK(std::isfinite(log_1mx) && log_x == 0.0);
    rng.log_beta(std::log(1e-300), std::log(1e-300), log_x, log_1mx);
    CHECK(std::isfinite(log_x) && std::isfinite(log_1mx));
    rng.log_beta(std::log(2.0), std::log(0.01), log_x, log_1mx);
    if (log_1mx < -50.0 && log_1mx > -700.0) CHECK_NEAR(log_x / -std::exp(log_1mx), 1.0, 1e-12);
  }
}

TEST(geometric_follows_its_distribution) {
  Rng rng = rng_of(11);
  const double theta = 0.3;
  const auto draws = sample(500'000, [&] { return rng.geometric(std::log(theta)); });
  check_z(z_of_cells(draws, 0.0, 25.0, [&](double k) { return theta * std::pow(1.0 - theta, k); }));
  // The least likely failures: theta = 1 - 1e-3, known by its logarithm.
  const auto rare = sample(1'000'000, [&] { return rng.geometric(std::log1p(-1e-3)); });
  check_z(z_of_mean(rare, 1e-3 / (1.0 - 1e-3), 1e-3 / std::pow(1.0 - 1e-3, 2)));
  for (const double tiny : {1e-12, 1e-30, 1e-250}) {
    const auto large = sample(200'000, [&] { return rng.geometric(std::log(tiny)) * tiny; });
    CHECK(ks_distance(large, [](double x) { return -std::expm1(-x); }) < ks_limit);
  }
}

TEST(geometric_at_its_limits) {
  Rng rng = rng_of(12);
  CHECK(rng.geometric(0.0) == 0.0);
  CHECK(rng.geometric(-1e-20) == 0.0);
  CHECK(rng.geometric(-1e5) == 1e300);
  CHECK(rng.geometric(-HUGE_VAL) == 1e300);
  const double moderate = rng.geometric(-20.0);
  CHECK(moderate == std::floor(moderate));
}

TEST(binomial_of_small_and_moderate_size) {
  Rng rng = rng_of(13);
  struct Case {
    double n, p, low, high;
  };
  for (const auto& [n, p, low, high] : {Case{10, 0.3, 0, 8},
                                        {16, 0.9, 10, 16},
                                        {17, 0.5, 3, 14},
                                        {100, 0.05, 0, 14},
                                        {1000, 0.3, 240, 360},
                                        {1000, 0.97, 945, 990},
                                        {5000, 0.5, 2350, 2650}}) {
    const auto draws = sample(200'000, [&] { return rng.binomial(n, p); });
    check_z(z_of_cells(draws, low, high, [&](double k) { return binomial_probability(k, n, p); }));
    check_z(z_of_mean(draws, n * p, n * p * (1.0 - p)));
  }
}

TEST(binomial_of_huge_size) {
  Rng rng = rng_of(14);
  for (const double n : {1e9, 1e15, 1e22})
    for (const double p : {1e-5, 0.2, 0.5, 0.875}) {
      const double mean_count = n * p, sd = std::sqrt(n * p * (1.0 - p));
      const auto draws = sample(100'000, [&] { return (rng.binomial(n, p) - mean_count) / sd; });
      check_z(z_of_mean(draws, 0.0, 1.0));
      check_z(z_of_variance(draws, 0.0, 1.0));
      CHECK(ks_distance(draws, normal_cdf) < ks_limit + 0.5);  // the step of a count is 0.01 sd
    }
  const auto poisson = [](double k) {
    return std::exp(k * std::log(10.0) - 10.0 - std::lgamma(k + 1.0));
  };
  const auto rare = sample(200'000, [&] { return rng.binomial(1e300, 1e-299); });
  check_z(z_of_cells(rare, 2.0, 24.0, poisson));
  const auto frequent =
      sample(200'000, [&] { return 1e15 - rng.binomial(1e15, 1.0 - 1e-14, 1e-14); });
  check_z(z_of_cells(frequent, 2.0, 24.0, poisson));
  const auto many = sample(100'000, [&] { return rng.binomial(1e300, 1e-290); });
  check_z(z_of_mean(many, 1e10, 1e10));
  check_z(z_of_variance(many, 1e10, 1e10));
}

TEST(binomial_at_its_limits) {
  Rng rng = rng_of(15);
  for (const double n : {0.0, 1.0, 20.0, 1e6, 1e300}) {
    CHECK(rng.binomial(n, 0.0) == 0.0);
    CHECK(rng.binomial(n, 1.0) == n);
    for (const double p : {1e-310, 0.25, 0.5, 1.0 - 1e-16}) {
      const double count = rng.binomial(n, p);
      CHECK(count >= 0.0 && count <= n && count == std::floor(count));
    }
  }
  CHECK_NEAR(rng.binomial(1e300, 0.25) / 1e300, 0.25, 1e-14);
}

TEST(normal_above_follows_its_distribution) {
  Rng rng = rng_of(16);
  for (const double lower : {-40.0, -3.0, 0.0, 0.39, 0.41, 2.0, 8.0, 30.0}) {
    const auto draws = sample(300'000, [&] { return rng.normal_above(lower); });
    const double total = std::erfc(lower / std::sqrt(2.0));
    const auto cdf = [&](double x) { return 1.0 - std::erfc(x / std::sqrt(2.0)) / total; };
    CHECK(ks_distance(draws, cdf) < ks_limit);
    for (const double x : draws) CHECK(x >= lower);
  }
  // Far out the excess times the bound is exponential.
  const auto excess = sample(300'000, [&] { return (rng.normal_above(1e5) - 1e5) * 1e5; });
  CHECK(ks_distance(excess, [](double x) { return -std::expm1(-x); }) < ks_limit);
  CHECK(rng.normal_above(1e200) == 1e200);
}

// The same bits on every platform and with every compiler. A change here alters results for a given
// seed and belongs in the changelog.
TEST(draws_are_the_same_everywhere) {
  Rng rng = rng_of(17);
  std::uint64_t hash = 0;
  for (int i = 0; i < 10'000; ++i) {
    double log_x, log_1mx;
    rng.log_beta(-4.5, 1.0, log_x, log_1mx);
    for (const double x :
         {rng.normal(), rng.exponential(), rng.gamma(0.3), rng.gamma(2.5), log_x, log_1mx,
          rng.log_gamma_variate(1e-3), rng.geometric(-9.0), rng.binomial(1e6, 0.3),
          rng.normal_above(1.5), static_cast<double>(rng.below(1000)),
          bayesvc::fixed_math::lgamma(rng.gamma(3.0))})
      hash = (std::rotl(hash, 5) ^ std::bit_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15ULL;
  }
  CHECK(hash == 0xda7b8a5bc17b348dULL);
}

// Uniform proposals, half-lines and the whole line, on either side of zero and across it.
TEST(normal_between_follows_the_truncated_normal) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto above = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); };
  const std::pair<double, double> intervals[] = {{-infinity, infinity},
                                                 {0.3, infinity},
                                                 {4.0, infinity},
                                                 {-1.0, infinity},
                                                 {0.5, 1.0},
                                                 {0.5, 6.0},
                                                 {6.0, 6.1},
                                                 {6.0, 7.0},
                                                 {-0.2, 0.9},
                                                 {-1.5, 2.5},
                                                 {-0.1, 5.0},
                                                 {8.0, 8.0001}};
  std::uint64_t stream = 60;
  for (const auto& [low, high] : intervals) {
    Rng rng = rng_of(stream), mirrored = rng_of(stream++);
    std::vector<double> draws;
    for (int k = 0; k < 20000; ++k) {
      const double x = rng.normal_between(low, high), y = mirrored.normal_between(-high, -low);
      CHECK(x >= low && x <= high && y <= -low && y >= -high);
      draws.push_back(k % 2 == 0 ? x : -y);
    }
    const double first = above(low), all = first - above(high);
    CHECK(ks_distance(draws, [&](double x) { return (first - above(x)) / all; }) < ks_limit);
  }
  Rng rng = rng_of(80);
  CHECK(rng.normal_between(2.0, 2.0) == 2.0);
  CHECK(rng.normal_between(-1e6, -1e6 + 1e-9) <= -1e6 + 1e-9);
  CHECK(rng.normal_between(1e9, infinity) >= 1e9);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [low, high] : {std::pair{nan, nan}, {0.5, nan}, {nan, 0.5}, {nan, infinity}})
    rng.normal_between(low, high);  // returns
}
