// Test statistics with stated false-alarm rates, and exact distribution functions from the C
// library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace statistics {

// sqrt(n) times Kolmogorov and Smirnov's distance. Above 2.9 by chance: once in 10 million.
constexpr double ks_limit = 2.9;
template <typename Cdf>
double ks_distance(std::vector<double> draws, Cdf cdf) {
  std::sort(draws.begin(), draws.end());
  const double n = static_cast<double>(draws.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double expected = cdf(draws[i]), below = static_cast<double>(i) / n;
    distance = std::max({distance, expected - below, below + 1.0 / n - expected});
  }
  return std::sqrt(n) * distance;
}

// Standard normal scores. Beyond 5 in absolute value by chance: once in 1.7 million.
constexpr double z_limit = 5.0;
inline double mean(const std::vector<double>& draws) {
  return std::accumulate(draws.begin(), draws.end(), 0.0) / static_cast<double>(draws.size());
}
inline double z_of_mean(const std::vector<double>& draws, double expected, double variance) {
  return (mean(draws) - expected) / std::sqrt(variance / static_cast<double>(draws.size()));
}
// Of the mean squared deviation from the known mean, scored by its own estimated error.
inline double z_of_variance(const std::vector<double>& draws, double expected_mean,
                            double expected) {
  std::vector<double> squares(draws.size());
  std::transform(draws.begin(), draws.end(), squares.begin(),
                 [&](double x) { return (x - expected_mean) * (x - expected_mean) / expected; });
  double spread = 0.0;
  for (const double s : squares) spread += (s - 1.0) * (s - 1.0);
  return z_of_mean(squares, 1.0, spread / static_cast<double>(draws.size()));
}
// Chi-square of counts against probabilities, as a normal score (Wilson and Hilferty).
inline double z_of_counts(const std::vector<double>& counts,
                          const std::vector<double>& probability) {
  const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
  double chi_square = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = n * probability[i];
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  const double freedom = static_cast<double>(counts.size()) - 1.0, v = 2.0 / (9.0 * freedom);
  return (std::cbrt(chi_square / freedom) - (1.0 - v)) / std::sqrt(v);
}

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// Regularised lower incomplete gamma function by its power series.
inline double gamma_cdf(double shape, double x) {
  double term = std::exp(shape * std::log(x) - x - std::lgamma(shape + 1.0)), sum = term;
  for (double k = shape + 1.0; term > 1e-17 * sum && k < shape + 5000.0; ++k) sum += term *= x / k;
  return sum;
}

inline double digamma(double x) {
  double sum = 0.0;
  for (; x < 10.0; ++x) sum -= 1.0 / x;
  const double v = 1.0 / (x * x);
  return sum + std::log(x) - 0.5 / x - v * (1.0 / 12 - v * (1.0 / 120 - v * (1.0 / 252 - v / 240)));
}

inline double trigamma(double x) {
  double sum = 0.0;
  for (; x < 10.0; ++x) sum += 1.0 / (x * x);
  const double v = 1.0 / (x * x);
  return sum + (1.0 + 0.5 / x + v * (1.0 / 6 - v * (1.0 / 30 - v * (1.0 / 42 - v / 30)))) / x;
}

inline double binomial_probability(double k, double n, double p) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                  k * std::log(p) + (n - k) * std::log1p(-p));
}

}  // namespace statistics
