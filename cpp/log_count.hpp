// A number of draws, which may be larger than any double: counted one by one below `limit`, known
// by its logarithm from there on.
#pragma once

#include <cmath>
#include <limits>

#include "fixed_math.hpp"

namespace bayesvc {

class LogCount {
 public:
  static constexpr double limit = 0x1p40;

  LogCount(double number = 0)
      : count_(number < limit ? number : 0),
        log_(number < limit ? none : fixed_math::log(number)) {}
  static LogCount of_log(double log_number) {
    constexpr double log_limit = 40 * 0.6931471805599453;
    if (log_number < log_limit) return LogCount(std::floor(fixed_math::exp(log_number) + 0.5));
    LogCount large;
    large.log_ = log_number;
    return large;
  }

  bool counted() const { return log_ == none; }
  bool is_zero() const { return counted() && count_ == 0; }
  double count() const { return count_; }  // of one that is counted
  double value() const { return counted() ? count_ : fixed_math::exp(log_); }  // may be infinite
  double log() const {
    if (!counted()) return log_;
    return count_ > 0 ? fixed_math::log(count_) : none;
  }

  LogCount& operator+=(const LogCount& other) {
    if (other.is_zero()) return *this;
    if (is_zero() || !counted() || !other.counted())
      *this = is_zero() ? other : of_log(fixed_math::log_add(log(), other.log()));
    else
      *this = LogCount(count_ + other.count_);
    return *this;
  }
  bool operator==(const LogCount&) const = default;

 private:
  static constexpr double none = -std::numeric_limits<double>::infinity();
  double count_;
  double log_;
};

}  // namespace bayesvc
