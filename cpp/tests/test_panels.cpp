#include <vector>

#include "../kernels.hpp"
#include "brute_force.hpp"
#include "check.hpp"

using bayesvc::Kernels;
using bayesvc::Rng;
using brute_force::rng_of;

TEST(panel_products_are_exact_and_the_same_in_every_build) {
  constexpr std::size_t width = bayesvc::panel_width;
  Rng rng = rng_of(26);
  for (const std::size_t n : {0u, 1u, 2u, 5u, 64u, 255u, 256u}) {
    std::vector<double> a(n * width), b(n * width), start(width * width);
    for (auto* values : {&a, &b, &start})
      for (double& value : *values) value = rng.normal();
    for (const Kernels* kernels : bayesvc::available_kernels()) {
      std::vector<double> tile = start, expected = start;
      kernels->add_products(a.data(), b.data(), n, tile.data());
      for (std::size_t k = 0; k < width * width; ++k) {
        double sum = 0;
        for (std::size_t r = 0; r < n; ++r)
          sum += a[r * width + k / width] * b[r * width + k % width];
        expected[k] += sum;
      }
      CHECK(tile == expected);
    }
  }
}
