#include <cmath>

#include "../correlation.hpp"
#include "brute_force.hpp"
#include "check.hpp"

using brute_force::Matrix;

TEST(correlations_of_codes) {
  bayesvc::Rng rng = brute_force::rng_of(71);
  const std::size_t n = 501;
  Matrix m{n};
  m.add_untied(rng);
  for (std::size_t i = 0; i < n; ++i) m.x.push_back(std::exp(m.x[i]));  // the same ranks
  for (std::size_t i = 0; i < n; ++i) m.x.push_back(-m.x[i]);
  m.add_tied(rng, 5);
  m.add_indicator(n);  // constant
  const auto columns = m.encode();
  const auto found = bayesvc::code_correlations(columns, {0, 3, 4});
  CHECK(found.size() == 15);
  CHECK_NEAR(found[0], 1, 1e-12);
  CHECK_NEAR(found[1], 1, 1e-12);
  CHECK_NEAR(found[2], -1, 1e-12);
  CHECK_NEAR(found[3], found[5], 1e-12);  // either way round
  CHECK_NEAR(found[8], 1, 1e-12);
  for (const std::size_t k : {4u, 9u, 10u, 11u, 14u}) CHECK(found[k] == 0);
  double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = columns.code(0, i), b = columns.code(3, i);
    sa += a, sb += b, saa += a * a, sbb += b * b, sab += a * b;
  }
  const double expected =
      (sab - sa * sb / n) / std::sqrt((saa - sa * sa / n) * (sbb - sb * sb / n));
  CHECK_NEAR(found[3], expected, 1e-10);
}
