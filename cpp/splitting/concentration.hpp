// The concentration alpha of a Dirichlet prior on s: alpha / (alpha + rho) ~ Beta(a, b), or fixed.
#pragma once

#include <cmath>

#include "splitting_prior.hpp"

namespace bayesvc {

// Sum of log Gamma(a + n) - log Gamma(a) over many pairs, up to terms in n alone; short products
// need one log for many.
class LogRising {
 public:
  void add(double a, const LogCount& count);
  double total() {
    flush();
    return total_;
  }

 private:
  void flush() {
    total_ += fixed_math::log(product_);
    product_ = 1;
  }

  double total_ = 0;
  double product_ = 1;
};

// The part of alpha's likelihood that the variables in use contribute.
double log_rising_counts(const SplitCounts& counts, const VariableWeights& weights, double alpha);

class Concentration {
 public:
  // A sampled alpha starts where s is close to the prior weights.
  explicit Concentration(const DirichletSettings& settings)
      : settings_(settings), alpha_(std::isnan(settings.alpha) ? settings.rho : settings.alpha) {}

  double value() const { return alpha_; }
  void set(double alpha) { alpha_ = alpha; }
  bool sampled() const { return std::isnan(settings_.alpha); }

  // Density of log alpha, up to a constant.
  double log_prior(double log_alpha) const {
    return settings_.a * log_alpha -
           (settings_.a + settings_.b) *
               fixed_math::log(fixed_math::exp(log_alpha) + settings_.rho);
  }

  // Draws alpha anew, given the posterior log density of log alpha.
  template <class LogDensity>
  void update(Rng& rng, LogDensity&& log_density) {
    alpha_ = fixed_math::exp(slice_step(fixed_math::log(alpha_), rng, log_density));
  }

 private:
  // One step of slice sampling (Neal 2003) from x for the log density f, stepping out by `width`.
  template <class F>
  static double slice_step(double x, Rng& rng, F&& f) {
    constexpr int max_steps = 100;
    constexpr double width = 2.0;
    const double level = f(x) - rng.exponential();
    double low = x - width * rng.uniform();
    double high = low + width;
    for (int k = 0; k < max_steps && f(low) > level; ++k) low -= width;
    for (int k = 0; k < max_steps && f(high) > level; ++k) high += width;
    while (high - low > 1e-13 * (1.0 + std::fabs(x))) {
      const double candidate = low + (high - low) * rng.uniform();
      if (f(candidate) > level) return candidate;
      (candidate < x ? low : high) = candidate;
    }
    return x;  // the slice is narrower than rounding
  }

  DirichletSettings settings_;
  double alpha_;
};

}  // namespace bayesvc
