#include "gaussian.hpp"

#include <cmath>

#include "../forest_settings.hpp"

namespace bayesvc {

GaussianResponse::GaussianResponse(const ForestSettings& settings, const Redraws& redraws)
    : ResponseModel(redraws, 0.0,
                    std::isnan(settings.sigma) ? std::sqrt(settings.lambda) : settings.sigma),
      likelihood_(settings.likelihood),
      nu_(settings.nu),
      lambda_(settings.lambda),
      sampled_(std::isnan(settings.sigma)) {
  precisions_ = settings.row_weights;
}

void GaussianResponse::observe(const double* y, const std::vector<double>& sum_of_trees) {
  working_.assign(y, y + sum_of_trees.size());
}

void GaussianResponse::update(double sum_of_squares, Rng& rng) {
  if (!sampled_) return;
  double scale = nu_ * lambda_;
  double df = nu_;
  if (likelihood_) {
    scale += sum_of_squares;
    df += static_cast<double>(working_.size());
  }
  sigma_ = std::sqrt(scale / (2.0 * rng.gamma(0.5 * df)));
}

}  // namespace bayesvc
