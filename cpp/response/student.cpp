#include "student.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "../fixed_math.hpp"
#include "../forest_settings.hpp"

namespace bayesvc {
namespace {

using fixed_math::lgamma, fixed_math::log;

constexpr double log_least_df = 0.0, log_most_df = 5.298317366548036;  // of 1 and 200
constexpr double prior_shape = 2.0, prior_rate = 0.1;

constexpr std::size_t n_lanes = 4, rows_per_lane = 4, chunk = n_lanes * rows_per_lane;
constexpr double largest_square = 1e50, largest_product = 1e100;  // (1e50)^4 * 1e100 is finite

// The sum of log(1 + squares_i * factor), by logarithms of products.
double sum_of_logs(const std::vector<double>& squares, double factor) {
  double sum = 0;
  std::array<double, n_lanes> product;
  product.fill(1.0);
  for (std::size_t start = 0; start < squares.size(); start += chunk) {
    for (std::size_t k = 0; k < rows_per_lane; ++k)
      for (std::size_t lane = 0; lane < n_lanes; ++lane)
        product[lane] *= 1.0 + squares[start + k * n_lanes + lane] * factor;
    if (*std::max_element(product.begin(), product.end()) < largest_product) continue;
    for (double& value : product) sum += log(std::exchange(value, 1.0));
  }
  for (const double value : product) sum += log(value);
  return sum;
}

}  // namespace

StudentResponse::StudentResponse(const ForestSettings& settings, const Redraws& redraws)
    : GaussianResponse(settings, redraws), row_weights_(settings.row_weights) {
  df_ = prior_shape / prior_rate;
}

void StudentResponse::set_learning(bool on) {
  learning_ = on;
  if (!on) precisions_ = row_weights_;
}

void StudentResponse::update(double sum_of_squares, Rng& rng) {
  GaussianResponse::update(sum_of_squares, rng);
  ++n_updates_;
}

void StudentResponse::redraw(const std::vector<double>& mean, Rng& rng) {
  const std::size_t n = mean.size();
  squares_.assign((n + chunk - 1) / chunk * chunk, 0.0);
  const double inverse = 1.0 / (sigma_ * sigma_);
  for (std::size_t i = 0; i < n; ++i) {
    const double error = working_[i] - mean[i];
    const double weight = row_weights_.empty() ? inverse : row_weights_[i] * inverse;
    squares_[i] = std::min(weight * error * error, largest_square);
  }
  draw_df(rng);
  draw_precisions(rng);
}

// A slice sampler (Neal 2003) that starts from the whole interval.
void StudentResponse::draw_df(Rng& rng) {
  const double current = log(df_), level = log_density(current) - rng.exponential();
  double low = log_least_df, high = log_most_df, drawn;
  for (;;) {
    drawn = low + rng.uniform() * (high - low);
    if (log_density(drawn) >= level) break;
    (drawn < current ? low : high) = drawn;
  }
  df_ = fixed_math::exp(drawn);
}

// Each lambda_i given its error is Gamma((df + 1) / 2, (df + squares_i) / 2).
void StudentResponse::draw_precisions(Rng& rng) {
  const std::size_t n = working_.size();
  const double shape = 0.5 * (likelihood_ ? df_ + 1.0 : df_);
  precisions_.resize(n);
  rng.fill_gamma(shape, precisions_);
  for (std::size_t i = 0; i < n; ++i) {
    const double lambda = 2.0 * precisions_[i] / (likelihood_ ? df_ + squares_[i] : df_);
    precisions_[i] = row_weights_.empty() ? lambda : row_weights_[i] * lambda;
  }
}

double StudentResponse::log_density(double log_df) const {
  const double df = fixed_math::exp(log_df), n = static_cast<double>(working_.size());
  const double log_prior = prior_shape * log_df - prior_rate * df;
  if (!likelihood_) return log_prior;
  const double log_scale = lgamma(0.5 * (df + 1.0)) - lgamma(0.5 * df) - 0.5 * log_df;
  return log_prior + n * log_scale - 0.5 * (df + 1.0) * sum_of_logs(squares_, 1.0 / df);
}

}  // namespace bayesvc
