// The prior of a tree's shape: a node at depth d splits with probability gamma (1 + d)^-beta if
// some variable is eligible there.
#pragma once

#include <array>
#include <cstddef>

#include "fixed_math.hpp"

namespace bayesvc {

class TreePrior {
 public:
  TreePrior(double gamma, double beta) : gamma_(gamma), beta_(beta) {
    for (unsigned depth = 0; depth < n_tabulated; ++depth) {
      split_probability_[depth] = computed(depth);
      log_terminal_[depth] = fixed_math::log(1.0 - split_probability_[depth]);
    }
  }

  double split_probability(unsigned depth) const {
    return depth < n_tabulated ? split_probability_[depth] : computed(depth);
  }
  // log of the probability that a leaf is one.
  double log_terminal(bool splittable, unsigned depth) const {
    if (!splittable) return 0.0;
    return depth < n_tabulated ? log_terminal_[depth] : fixed_math::log(1.0 - computed(depth));
  }

 private:
  double computed(unsigned depth) const {
    return gamma_ * fixed_math::exp(-beta_ * fixed_math::log(1.0 + depth));
  }

  static constexpr std::size_t n_tabulated = 64;
  double gamma_, beta_;
  std::array<double, n_tabulated> split_probability_{}, log_terminal_{};
};

}  // namespace bayesvc
