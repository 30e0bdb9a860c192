#include "variance_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "marginals.hpp"

namespace bayesvc {

namespace {

constexpr std::size_t n_lanes = 8;

// sum a[i] b[i], in an order that does not depend on the compiler.
double dot(const double* a, const double* b, std::size_t n) {
  double lanes[n_lanes] = {};
  std::size_t i = 0;
  for (; i + n_lanes <= n; i += n_lanes)
    for (std::size_t k = 0; k < n_lanes; ++k) lanes[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) lanes[i % n_lanes] += a[i] * b[i];
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// Adds what pairs of leaves of two draws contribute to the three covariances.
class PairSums {
 public:
  PairSums(const LeafTable& leaves, const LeafTable& others, double* first_order, double* total)
      : leaves_(leaves),
        others_(others),
        first_order_(first_order),
        total_(total),
        weight_(others.size()) {
    for (std::size_t l = 0; l < others.size(); ++l)
      weight_[l] = others.value[l] * others.probability[l];
    for (const double weight : weight_) mean_ += weight;
  }

  double covariance() {
    double sum = 0;
    for (std::size_t l = 0; l < leaves_.size(); ++l) sum += leaves_.value[l] * with(l);
    return sum;
  }

 private:
  // sum_l' w_l' (prod_k ratio_k - R_l) where ratio_k = q_ll'k / p_l'k; for the indices alike.
  double with(std::size_t l) {
    const auto& own = leaves_.constrained[l];
    const std::size_t n = others_.size();
    if (own.empty()) return 0;
    while (ratios_.size() < own.size()) ratios_.emplace_back(n);
    for (std::size_t k = 0; k < own.size(); ++k)
      others_.ratios(leaves_, l, own[k], ratios_[k].data());
    const double all = dot(weight_.data(), product_without(own.size(), own.size()), n);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const double p = leaves_.of(own[k]).probability[l];
      const double alone = dot(weight_.data(), ratios_[k].data(), n);
      const double others =
          own.size() == 1 ? mean_ : dot(weight_.data(), product_without(k, own.size()), n);
      const double rest = leaves_.probability[l] / p;
      first_order_[own[k]] += leaves_.value[l] * rest * (alone - p * mean_);
      total_[own[k]] += leaves_.value[l] * (all - p * others);
    }
    return all - leaves_.probability[l] * mean_;
  }

  // The product of the ratios of all constrained variables but one, or of all if that is `size`.
  const double* product_without(std::size_t left_out, std::size_t size) {
    const std::size_t first = left_out == 0 && size > 1 ? 1 : 0;
    const std::size_t factors = size - (left_out < size ? 1 : 0);
    if (factors == 1) return ratios_[first].data();
    product_ = ratios_[first];
    for (std::size_t k = first + 1; k < size; ++k) {
      if (k == left_out) continue;
      for (std::size_t i = 0; i < product_.size(); ++i) product_[i] *= ratios_[k][i];
    }
    return product_.data();
  }

  const LeafTable &leaves_, &others_;
  double *first_order_, *total_;
  std::vector<double> weight_;  // value times probability of each other leaf
  double mean_ = 0;
  std::vector<std::vector<double>> ratios_;
  std::vector<double> product_;
};

}  // namespace

VarianceShares variance_shares(const DrawPairs& draws, const JointRows& rows, const double* weights,
                               std::size_t n_threads) {
  const Marginals marginals(rows);
  const std::size_t d = rows.numeric.size();
  VarianceShares out{std::vector<double>(draws.n), std::vector<double>(draws.n * d),
                     std::vector<double>(draws.n * d)};
  n_threads = std::max<std::size_t>(1, std::min(n_threads, draws.n));
  const auto work = [&](std::size_t start) {
    for (std::size_t s = start; s < draws.n; s += n_threads) {
      const WeightedMarginals own(marginals, weights + s * rows.n);
      const std::size_t first = draws.first + s;
      const std::size_t other = (draws.first_other + s) % draws.others.n_draws();
      const LeafTable leaves(draws.forests, first, own), others(draws.others, other, own);
      PairSums sums(leaves, others, out.first_order.data() + s * d, out.total.data() + s * d);
      out.variance[s] = sums.covariance();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t k = 1; k < n_threads; ++k) threads.emplace_back(work, k);
  work(0);
  for (std::thread& thread : threads) thread.join();
  return out;
}

}  // namespace bayesvc
