// Approximate Bayesian computation under the spike-and-forest prior: one sample from start to end.
//
// A sample is a random subset of the variables, a random half of the rows, one draw of a BART
// forest fitted to them, and its distance from the other rows in simulated responses.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "columns.hpp"
#include "fit.hpp"
#include "least_squares.hpp"

namespace bayesvc {

struct AbcSettings {
  // Lambda, offset and precision follow from the training rows of each sample. Sigma is in the
  // units of y here, and the weights are those of all variables.
  ForestSettings forest;
  std::size_t burn_in = 200;
  std::size_t n_train = 0;                                      // rows to fit to; fewer than all
  double a0 = 1, b0 = 1;                                        // of the share of variables
  double sigma_hat = std::numeric_limits<double>::quiet_NaN();  // units of y; nan: linear model's
  bool corrected = true;        // its divisor: the degrees of freedom, or n - 1
  double lambda_unit = 1;       // lambda for a sigma_hat of 1
  std::vector<double> offsets;  // probit: by the number of ones among the training rows
  // The columns of the linear model's matrix for each variable; empty: column j for variable j.
  std::vector<std::vector<std::uint32_t>> design;
};

// What a sample draws before its fit; all lists ascending.
struct AbcPlan {
  std::array<std::uint64_t, 4> seed{};  // of the forest
  std::vector<std::uint32_t> subset;
  std::vector<std::uint32_t> train, held_out;
};

struct AbcSample {
  AbcPlan plan;
  FitResult fit;                 // variables numbered as in the subset; sigma in the units of y
  std::vector<double> pseudo_y;  // of the held-out rows
  double discrepancy = 0;        // root of the sum of squares of y - pseudo_y
};

class AbcSampler {
 public:
  // Columns and the matrix of the linear model must stay alive. A binary y is 0 or 1.
  AbcSampler(const Columns& columns, const MatrixView& x, const double* y, AbcSettings settings);

  const AbcSettings& settings() const { return settings_; }
  // Throws Cancelled soon after control.cancelled is set.
  AbcSample sample(const std::array<std::uint64_t, 4>& seed, Control& control) const;

 private:
  struct Half {  // the training rows
    std::vector<double> y;
    double low = 0, range = 1;  // y = low + (scaled y + 0.5) * range
    bool constant = false;
    ForestSettings settings;
  };

  AbcPlan draw_plan(Rng& rng) const;
  Half calibrated(const AbcPlan& plan, const Control& control) const;
  double sigma_hat(const AbcPlan& plan, const Half& half, const Control& control) const;
  FitResult fit_and_predict(const Half& half, const AbcPlan& plan, Control& control,
                            std::vector<double>& f) const;
  std::vector<double> predicted(const Forest& forest, const AbcPlan& plan) const;
  std::vector<double> simulated(const std::vector<double>& f, const Half& half, double sigma,
                                Rng& rng) const;
  double discrepancy(const AbcPlan& plan, const std::vector<double>& pseudo_y) const;

  const Columns& columns_;
  MatrixView x_;
  std::vector<double> y_;
  double y_range_ = 1;
  AbcSettings settings_;
};

}  // namespace bayesvc
