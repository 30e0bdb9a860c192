// A response known to lie in an interval: y_i is the number of a pair (low, high) of
// `settings.lower` and `settings.upper`, and low <= z_i <= high for z_i with the errors of
// `Errors`, normal or Student's t. Rows with low = high are observed exactly; an infinite bound is
// that of a censored row, such as a survival time beyond the end of its observation.
//
// The latent z_i of the other rows are drawn given the sum of trees, sigma and the precision of
// their row (Tanner and Wong 1987), and everything else is as if they had been observed. Mixing
// weights follow them, in the same redraw: z given the old weights, then new weights given z.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "../forest_settings.hpp"
#include "gaussian.hpp"
#include "student.hpp"

namespace bayesvc {

template <class Errors>
class IntervalResponse final : public Errors {
 public:
  explicit IntervalResponse(const ForestSettings& settings)
      : Errors(settings, with_working(Errors::own_redraws)),
        lower_(settings.lower),
        upper_(settings.upper) {}

  bool redraw_is_due() const override { return !open_.empty() || errors_are_due(); }
  void observe(const double* y, const std::vector<double>& sum_of_trees) override;
  void redraw(const std::vector<double>& mean, Rng& rng) override;

 private:
  struct OpenRow {
    std::size_t row;
    double low, high;
  };

  bool errors_are_due() const { return Errors::own_redraws.any() && Errors::redraw_is_due(); }
  static constexpr ResponseModel::Redraws with_working(ResponseModel::Redraws redraws) {
    redraws.working = true;
    return redraws;
  }

  const std::vector<double> lower_, upper_;
  std::vector<OpenRow> open_;  // the rows that are not observed exactly
};

// An open row starts at a finite bound, until `redraw` follows.
template <class Errors>
void IntervalResponse<Errors>::observe(const double* y, const std::vector<double>& sum_of_trees) {
  std::vector<double> values(sum_of_trees.size());
  open_.clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto code = static_cast<std::size_t>(y[i]);
    const double low = lower_[code], high = upper_[code];
    values[i] = std::isfinite(low) ? low : high;
    if (low < high) open_.push_back({i, low, high});
  }
  Errors::observe(values.data(), sum_of_trees);
}

template <class Errors>
void IntervalResponse<Errors>::redraw(const std::vector<double>& mean, Rng& rng) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [i, low, high] : open_) {
    const double weight = this->precisions_.empty() ? 1.0 : this->precisions_[i];
    const double sd = this->sigma_ / std::sqrt(weight);
    const double below = this->likelihood_ ? (low - mean[i]) / sd : -infinity;
    const double above = this->likelihood_ ? (high - mean[i]) / sd : infinity;
    this->working_[i] = mean[i] + sd * rng.normal_between(below, above);
  }
  if (errors_are_due()) Errors::redraw(mean, rng);
}

}  // namespace bayesvc
