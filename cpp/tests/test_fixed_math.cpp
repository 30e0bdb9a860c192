#include <cmath>
#include <limits>

#include "../fixed_math.hpp"
#include "check.hpp"

namespace fm = bayesvc::fixed_math;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// Largest relative error over a dense grid, against the wider type of the C library.
template <typename Function, typename Reference>
double worst_relative_error(double low, double high, Function function, Reference reference) {
  constexpr int n = 100'003;
  double worst = 0.0;
  for (int i = 0; i <= n; ++i) {
    const double x = low + (high - low) * (i / static_cast<double>(n));
    const long double truth = reference(static_cast<long double>(x));
    const long double error = std::fabs(static_cast<long double>(function(x)) - truth);
    if (error > 0) worst = std::fmax(worst, static_cast<double>(error / std::fabs(truth)));
  }
  return worst;
}

template <typename Reference>
auto at_power_of_ten(Reference reference) {
  return [reference](auto x) {
    return reference(static_cast<double>(std::pow(10.0, static_cast<double>(x))));
  };
}

long double long_exp(long double x) { return std::exp(x); }
long double long_log(long double x) { return std::log(x); }
long double long_log1p(long double x) { return std::log1p(x); }
long double long_expm1(long double x) { return std::expm1(x); }
long double long_lgamma(long double x) { return std::lgamma(x); }

}  // namespace

TEST(exp_is_accurate) {
  CHECK(worst_relative_error(-708.0, 709.7, fm::exp, long_exp) < 3.5e-16);
  CHECK(worst_relative_error(-2.0, 2.0, fm::exp, long_exp) < 3.5e-16);
  CHECK(worst_relative_error(-2.0, 2.0, fm::expm1, long_expm1) < 6e-16);
  CHECK(worst_relative_error(-1e-9, 1e-9, fm::expm1, long_expm1) < 3.5e-16);
}

TEST(exp_at_its_limits) {
  CHECK(fm::exp(0.0) == 1.0);
  CHECK(fm::exp(-800.0) == 0.0);
  CHECK(fm::exp(800.0) == inf);
  CHECK(fm::exp(inf) == inf);
  CHECK(fm::exp(-inf) == 0.0);
  CHECK(std::isnan(fm::exp(std::nan(""))));
  CHECK(fm::exp(709.782712893383) < inf);
  CHECK(fm::exp(709.782712893385) == inf);
  CHECK_NEAR(fm::exp(-744.0), std::exp(-744.0), 5e-324);
  CHECK_NEAR(fm::exp(-720.5), std::exp(-720.5), 5e-324);
  CHECK(fm::exp(-745.2) == 0.0);
  CHECK(fm::expm1(-inf) == -1.0);
}

TEST(log_is_accurate) {
  CHECK(worst_relative_error(0.5, 2.0, fm::log, long_log) < 3.5e-16);
  CHECK(worst_relative_error(0.999, 1.001, fm::log, long_log) < 3.5e-16);
  CHECK(worst_relative_error(-307.0, 308.0, at_power_of_ten(fm::log), at_power_of_ten(long_log)) <
        3.5e-16);
  CHECK(worst_relative_error(-0.9999, 4.0, fm::log1p, long_log1p) < 5e-16);
  CHECK(worst_relative_error(-300.0, 300.0, at_power_of_ten(fm::log1p),
                             at_power_of_ten(long_log1p)) < 5e-16);
  for (double x = 1e-18; x < 0.1; x *= 1.7)
    CHECK_NEAR(fm::log1p(-x), static_cast<double>(std::log1p(static_cast<long double>(-x))),
               5e-16 * x);
}

TEST(log_at_its_limits) {
  CHECK(fm::log(1.0) == 0.0);
  CHECK(fm::log(0.0) == -inf);
  CHECK(fm::log(-0.0) == -inf);
  CHECK(fm::log(inf) == inf);
  CHECK(std::isnan(fm::log(-1.0)));
  CHECK(std::isnan(fm::log(std::nan(""))));
  CHECK_NEAR(fm::log(5e-324), std::log(5e-324), 2e-13);
  CHECK_NEAR(fm::log(3e-310), std::log(3e-310), 2e-13);
  CHECK_NEAR(fm::log(1.7976931348623157e308), 709.782712893384, 2e-13);
  CHECK(fm::log1p(-1.0) == -inf);
  CHECK(fm::log1p(inf) == inf);
  CHECK(fm::log1p(1e-300) == 1e-300);
  CHECK(std::isnan(fm::log1p(-1.5)));
}

TEST(lgamma_is_accurate) {
  CHECK(worst_relative_error(0.01, 0.95, fm::lgamma, long_lgamma) < 1e-14);
  CHECK(worst_relative_error(2.1, 40.0, fm::lgamma, long_lgamma) < 1e-14);
  CHECK(worst_relative_error(-300.0, -2.0, at_power_of_ten(fm::lgamma),
                             at_power_of_ten(long_lgamma)) < 1e-14);
  CHECK(worst_relative_error(1.5, 300.0, at_power_of_ten(fm::lgamma),
                             at_power_of_ten(long_lgamma)) < 1e-14);
  for (int i = 0; i <= 2400; ++i) {
    const double x = 0.9 + i * 5e-4;
    CHECK_NEAR(fm::lgamma(x), static_cast<double>(std::lgamma(static_cast<long double>(x))), 2e-15);
  }
  CHECK_NEAR(fm::lgamma(1.0), 0.0, 0.0);
  CHECK_NEAR(fm::lgamma(2.0), 0.0, 0.0);
  CHECK_NEAR(fm::lgamma(1e-300), -fm::log(1e-300), 0.0);
  CHECK(fm::lgamma(0.0) == inf);
  CHECK(fm::lgamma(inf) == inf);
}

TEST(log_add_and_log1mexp) {
  CHECK_NEAR(fm::log_add(1.0, 2.0), std::log(std::exp(1.0) + std::exp(2.0)), 1e-15);
  CHECK_NEAR(fm::log_add(-1000.0, -1000.0), -1000.0 + std::log(2.0), 2e-13);
  CHECK(fm::log_add(-inf, -inf) == -inf);
  CHECK(fm::log_add(-inf, 3.0) == 3.0);
  CHECK(fm::log_add(3.0, -inf) == 3.0);
  CHECK(fm::log_add(inf, 3.0) == inf);
  CHECK(fm::log_add(inf, inf) == inf);
  CHECK_NEAR(fm::log_add(0.0, -40.0), std::exp(-40.0), 1e-32);
  CHECK(fm::log1mexp(0.0) == -inf);
  CHECK(fm::log1mexp(-inf) == 0.0);
  CHECK_NEAR(fm::log1mexp(-1e-20), std::log(1e-20), 2e-14);
  CHECK_NEAR(fm::log1mexp(-0.5), std::log(1.0 - std::exp(-0.5)), 1e-15);
  CHECK_NEAR(fm::log1mexp(-50.0), -std::exp(-50.0), 1e-36);
}

TEST(functions_are_constant_expressions) {
  static_assert(fm::exp(0.0) == 1.0 && fm::log(1.0) == 0.0 && fm::log1p(0.0) == 0.0);
  constexpr double at_compile_time = fm::exp(fm::log(3.25) * 0.7);
  volatile double three = 3.25;
  CHECK(fm::exp(fm::log(three) * 0.7) == at_compile_time);
}
