// A response known to lie in an interval: y_i is the number of a pair (low, high) of
// `settings.lower` and `settings.upper`, and low <= z_i <= high for z_i with the errors of
// `Errors`, normal or Student's t. Rows with low = high are observed exactly; an infinite bound is
// that of a censored row, such as a survival time beyond the end of its observation.
//
// The latent z_i of the other rows are drawn given the sum of trees, sigma and the precision of
// their row (Tanner and Wong 1987), and everything else is as if they had been observed. Mixing
// weights follow them, in the same redraw: z given the old weights, then new weights given z. All
// this happens after every few sweeps, as for Student-t errors.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
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

  ResponseModel::Redraws due() const override {
    return {.working = !open_.empty() && n_updates_ % redraw_interval == 0,
            .precisions = errors_are_due()};
  }
  void observe(const double* y, const std::vector<double>& sum_of_trees) override;
  void update(double sum_of_squares, Rng& rng) override {
    Errors::update(sum_of_squares, rng);
    ++n_updates_;
  }
  void redraw(const std::vector<double>& mean, Rng& rng) override;

  static constexpr std::uint64_t redraw_interval = 2;  // sweeps
  static_assert(StudentResponse::redraw_interval % redraw_interval == 0);

 private:
  struct OpenRow {
    std::size_t row;
    double low, high;
  };

  bool errors_are_due() const { return Errors::due().precisions; }
  static constexpr ResponseModel::Redraws with_working(ResponseModel::Redraws redraws) {
    redraws.working = true;
    return redraws;
  }

  const std::vector<double> lower_, upper_;
  std::vector<OpenRow> open_;  // the rows that are not observed exactly
  std::uint64_t n_updates_ = 0;
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
    const double root = this->precisions_.empty() ? 1.0 : std::sqrt(this->precisions_[i]);
    const double inverse = root / this->sigma_;
    const double below = this->likelihood_ ? (low - mean[i]) * inverse : -infinity;
    const double above = this->likelihood_ ? (high - mean[i]) * inverse : infinity;
    this->working_[i] = mean[i] + rng.normal_between(below, above) / inverse;
  }
  if (errors_are_due()) Errors::redraw(mean, rng);
}

}  // namespace bayesvc
