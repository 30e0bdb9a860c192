#include "concentration.hpp"

namespace bayesvc {

void LogRising::add(double a, const LogCount& count) {
  constexpr double huge = 1e7;
  const double n = count.value();
  if (n > 1e300) {  // may be infinite; Gamma(a + n) / Gamma(n) is n^a
    total_ += a * count.log() - fixed_math::lgamma(a);
  } else if (n > huge) {
    // The same by Stirling's formula: once n is the number of ghosts, the two logarithms would
    // cancel to noise.
    const double growth = (n + a - 0.5) * fixed_math::log1p(a / n) - a;
    total_ +=
        a * fixed_math::log(n) + growth + (1.0 / (n + a) - 1.0 / n) / 12.0 - fixed_math::lgamma(a);
  } else if (n > 40) {
    total_ += fixed_math::lgamma(a + n) - fixed_math::lgamma(a);
  } else {
    for (double i = 0; i < n; ++i) {
      product_ *= a + i;
      if (product_ < 1e-150 || product_ > 1e150) flush();
    }
  }
}

double log_rising_counts(const SplitCounts& counts, const VariableWeights& weights, double alpha) {
  LogRising sum;
  for (const std::uint32_t j : counts.used()) sum.add(alpha * weights[j], counts.seen(j));
  return sum.total();
}

}  // namespace bayesvc
