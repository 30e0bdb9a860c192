// A binary response: P(y_i = 1) = Phi(offset + f(x_i)), by latent normals (Albert and Chib 1993).
#pragma once

#include "response_model.hpp"

namespace bayesvc {

class ProbitResponse final : public ResponseModel {
 public:
  explicit ProbitResponse(const ForestSettings& settings);

  void observe(const double* y, const std::vector<double>& sum_of_trees) override;
  void redraw(const std::vector<double>& mean, Rng& rng) override;

 private:
  std::vector<double> y_;  // 0 or 1
  bool likelihood_;
};

}  // namespace bayesvc
