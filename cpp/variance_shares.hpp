// Which part of the variance of a forest each variable explains, exactly.
//
// The variables are independent of each other, and each has the distribution that it has over the
// rows: numbers one by one, categories and columns of a group together. A leaf l of value v_l is
// then reached with probability R_l = prod_j p_lj, where p_lj is the probability of the values that
// lead there, and with q_llj for the values that lead to both of two leaves the variance of the sum
// of trees is sum_ll' v_l v_l' (prod_j q_ll'j - R_l R_l'). The variance of the mean given variable
// j and the mean of the variance given all others are sums over pairs of leaves too, in which all
// variables but j, or j alone, are independent copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "saved_forests.hpp"

namespace bayesvc {

// Rows of p columns, column after column, and the variable that each column belongs to.
struct JointRows {
  const double* x = nullptr;
  std::size_t n = 0;
  std::vector<std::uint32_t> variable_of;  // by column
  std::vector<std::uint8_t> numeric;       // by variable: one column, split at cutpoints
};

// By draw, and for the indices by draw and variable.
struct VarianceShares {
  std::vector<double> variance, first_order, total;
};

// Consecutive draws, and other forests of which as many draws, from `first_other` on and after the
// last one from the first on, are paired with them. A draw may be paired with itself.
struct DrawPairs {
  const SavedForests& forests;
  const SavedForests& others;
  std::size_t first = 0, first_other = 0, n = 0;
};

// The variances of the sum of trees: its own, that of its mean given each variable, and the mean of
// that given all others; of draws that are paired with others, the covariances in their place.
// `weights` has one row of n weights of sum 1 for each draw.
VarianceShares variance_shares(const DrawPairs& draws, const JointRows& rows, const double* weights,
                               std::size_t n_threads);

}  // namespace bayesvc
