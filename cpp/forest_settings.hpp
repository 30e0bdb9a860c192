// What a forest is to be: priors, moves, response and arithmetic. All on the scale of the working
// response; the caller has validated them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "splitting/splitting_prior.hpp"

namespace bayesvc {

enum class Move : std::uint8_t { birth, death, change, swap, perturb };
inline constexpr std::size_t n_moves = 5;

struct ForestSettings {
  std::size_t n_trees = 20;
  double gamma = 0.95, beta = 2.0;  // a node at depth d splits with probability gamma (1+d)^-beta
  std::uint32_t min_samples_leaf = 1;
  std::array<double, n_moves> moves{0.25, 0.25, 0.4, 0.1, 0};  // sum to 1
  double leaf_sd = 0.05;                                       // of the prior of the leaf values
  bool learn_leaf_sd = false;  // see LeafScale; leaf_sd is then the scale of its prior
  double leaf_sd_limit = 2.0;  // of a learned one, as a multiple of leaf_sd; at least 1

  std::string response = "gaussian";                        // see make_response_model
  double nu = 3.0, lambda = 1.0;                            // sigma^2 ~ nu lambda / chi2_nu
  double sigma = std::numeric_limits<double>::quiet_NaN();  // fixed sigma; nan: sampled
  double offset = 0.0;                                      // probit
  std::vector<double> lower, upper;                         // interval: bounds by the code of y_i
  std::vector<double> row_weights;  // y_i has variance sigma^2 / w_i; empty: all one

  std::string splitting = "fixed";  // see make_splitting_prior
  std::vector<double> weights;      // one per variable
  DirichletSettings dirichlet;

  bool likelihood = true;  // false: the prior alone
  bool single_precision = true;
  std::string kernel = "auto";
};

}  // namespace bayesvc
