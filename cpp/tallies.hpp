// Running sums over the kept draws of one fit: what the importance measures are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "forest.hpp"

namespace bayesvc {

class Tallies {
 public:
  Tallies(std::size_t p, std::size_t n_draws);

  void add(const Forest& forest);
  void finish();  // sums become means; call once after the last draw

  // Means over the draws (finished): splits; share of the splits; draws with a split; MI.
  std::vector<double> vc, vip, mpvip, mi;
  // All splits on the variable over all splits.
  std::vector<double> vip_of_sums;
  // For each half of the chain, sums over its draws of the count and of its square: [half * p + j].
  std::vector<double> half_sums, half_squares;
  // Sum over batches of the square of a batch's total count, for Monte Carlo errors; that of a
  // shorter last batch is scaled up to the length of the others.
  std::vector<double> batch_squares;
  std::size_t batch_size() const { return batch_size_; }
  std::size_t n_batches() const { return n_batches_; }
  double depth_sum() const { return depth_sum_; }  // over draws and trees

 private:
  void add_metropolis_importance(const Forest& forest);
  void close_batch(double scale = 1);

  std::size_t p_, n_draws_;
  std::size_t draw_ = 0;
  std::size_t batch_size_, n_batches_;
  double total_splits_ = 0;
  double depth_sum_ = 0;
  std::vector<double> batch_sums_, ratio_sums_;
  std::vector<std::uint32_t> in_batch_, split_on_;
};

}  // namespace bayesvc
