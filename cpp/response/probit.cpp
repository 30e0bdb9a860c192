#include "probit.hpp"

#include "../forest_settings.hpp"

namespace bayesvc {

ProbitResponse::ProbitResponse(const ForestSettings& settings)
    : ResponseModel({.working = true}, settings.offset, 1.0), likelihood_(settings.likelihood) {}

void ProbitResponse::observe(const double* y, const std::vector<double>& sum_of_trees) {
  y_.assign(y, y + sum_of_trees.size());
  working_.resize(y_.size());
  for (std::size_t i = 0; i < y_.size(); ++i) working_[i] = offset_ + sum_of_trees[i];
}

// z_i ~ N(mean_i, 1), above 0 where y_i = 1 and below 0 elsewhere.
void ProbitResponse::redraw(const std::vector<double>& mean, Rng& rng) {
  if (!likelihood_) {
    for (std::size_t i = 0; i < mean.size(); ++i) working_[i] = mean[i] + rng.normal();
    return;
  }
  for (std::size_t i = 0; i < mean.size(); ++i)
    working_[i] =
        y_[i] > 0.5 ? mean[i] + rng.normal_above(-mean[i]) : mean[i] - rng.normal_above(mean[i]);
}

}  // namespace bayesvc
