// A continuous response: y_i ~ N(f(x_i), sigma^2 / w_i), sigma^2 ~ nu lambda / chi2_nu, or fixed.
#pragma once

#include "response_model.hpp"

namespace bayesvc {

class GaussianResponse : public ResponseModel {
 public:
  explicit GaussianResponse(const ForestSettings& settings)
      : GaussianResponse(settings, own_redraws) {}

  void observe(const double* y, const std::vector<double>& sum_of_trees) override;
  void update(double sum_of_squares, Rng& rng) override;

 protected:
  static constexpr Redraws own_redraws{};

  // For a response model with more to redraw.
  GaussianResponse(const ForestSettings& settings, const Redraws& redraws);

  const bool likelihood_;

 private:
  double nu_, lambda_;
  bool sampled_;
};

}  // namespace bayesvc
