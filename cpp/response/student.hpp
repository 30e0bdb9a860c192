// A continuous response with heavy tails: y_i = f(x_i) + sigma / sqrt(w_i) t_i, where t_i has
// Student's t distribution with df degrees of freedom. sigma is the scale of the errors, with the
// prior that it has for normal errors; df ~ Gamma(2, 0.1) on [1, 200] (Juarez and Steel 2010).
//
// Given mixing weights lambda_i ~ Gamma(df/2, df/2), the errors are normal with precisions
// w_i lambda_i, which the trees see. df and all lambda_i are drawn together, df with the lambda_i
// integrated out, which leaves it free to move. That costs as much as a sweep over several trees,
// so it happens after every few sweeps: a schedule that does not depend on the state leaves the
// posterior alone.
//
// A chain starts with normal errors. With Student's t from the start, rows that the trees have not
// fitted yet, such as a rare group far from the others, look like outliers; they lose their weight,
// and then the trees never fit them.
#pragma once

#include "gaussian.hpp"

namespace bayesvc {

class StudentResponse : public GaussianResponse {
 public:
  explicit StudentResponse(const ForestSettings& settings)
      : StudentResponse(settings, own_redraws) {}

  Redraws due() const override {
    return {.precisions = learning_ && n_updates_ % redraw_interval == 0};
  }
  void set_learning(bool on) override;
  void update(double sum_of_squares, Rng& rng) override;
  void redraw(const std::vector<double>& mean, Rng& rng) override;

  static constexpr std::uint64_t redraw_interval = 4;  // sweeps

 protected:
  static constexpr Redraws own_redraws{.precisions = true};

  StudentResponse(const ForestSettings& settings, const Redraws& redraws);

 private:
  void draw_df(Rng& rng);
  void draw_precisions(Rng& rng);
  double log_density(double log_df) const;  // of log df, up to a constant

  std::vector<double> row_weights_;  // w; empty: all one
  std::vector<double> squares_;      // w_i (y_i - f(x_i))^2 / sigma^2, then zeros
  std::uint64_t n_updates_ = 0;
  bool learning_ = true;
};

}  // namespace bayesvc
