#include "tallies.hpp"

#include <algorithm>
#include <cmath>

namespace bayesvc {

Tallies::Tallies(std::size_t p, std::size_t n_draws)
    : vc(p),
      vip(p),
      mpvip(p),
      mi(p),
      vip_of_sums(p),
      half_sums(2 * p),
      half_squares(2 * p),
      batch_squares(p),
      p_(p),
      n_draws_(n_draws),
      // Batches of about the square root of the length.
      batch_size_(static_cast<std::size_t>(std::sqrt(static_cast<double>(n_draws)))),
      n_batches_((n_draws + batch_size_ - 1) / batch_size_),
      batch_sums_(p),
      ratio_sums_(p) {}

void Tallies::add(const Forest& forest) {
  const SplitCounts& splits = forest.splitting().counts();
  const double n_splits = splits.n_splits();
  const double share = n_splits > 0 ? 1.0 / n_splits : 0.0;
  const std::size_t half = 2 * draw_ < n_draws_ ? 0 : p_;
  for (const std::uint32_t j : splits.used()) {
    const double count = splits.count(j);
    if (count == 0) continue;  // in use by ghosts alone
    vc[j] += count;
    vip[j] += count * share;
    mpvip[j] += 1;
    half_sums[half + j] += count;
    half_squares[half + j] += count * count;
    if (batch_sums_[j] == 0) in_batch_.push_back(j);
    batch_sums_[j] += count;
  }
  total_splits_ += n_splits;
  add_metropolis_importance(forest);
  if (++draw_ % batch_size_ == 0) close_batch();
}

// u_j = mean birth ratio of the nodes that split on j; the draw adds u_j over their sum.
void Tallies::add_metropolis_importance(const Forest& forest) {
  for (const AssignedTree& assigned : forest.trees()) {
    unsigned depth = 0;
    for (const Node& node : assigned.tree.nodes()) {
      depth = std::max<unsigned>(depth, node.depth);
      if (node.is_leaf()) continue;
      const std::uint32_t j = node.rule.variable;
      if (ratio_sums_[j] == 0) split_on_.push_back(j);
      ratio_sums_[j] += node.birth_ratio;
    }
    depth_sum_ += depth;
  }
  double total = 0;
  for (const std::uint32_t j : split_on_) {
    ratio_sums_[j] /= forest.splitting().counts().count(j);
    total += ratio_sums_[j];
  }
  for (const std::uint32_t j : split_on_) {
    if (total > 0) mi[j] += ratio_sums_[j] / total;
    ratio_sums_[j] = 0;
  }
  split_on_.clear();
}

void Tallies::close_batch(double scale) {
  for (const std::uint32_t j : in_batch_) {
    batch_squares[j] += scale * batch_sums_[j] * batch_sums_[j];
    batch_sums_[j] = 0;
  }
  in_batch_.clear();
}

void Tallies::finish() {
  const double draws = static_cast<double>(n_draws_);
  if (const std::size_t rest = n_draws_ % batch_size_)
    close_batch(static_cast<double>(batch_size_) / static_cast<double>(rest));
  for (std::size_t j = 0; j < p_; ++j) {
    vip_of_sums[j] = total_splits_ > 0 ? vc[j] / total_splits_ : 0.0;
    for (std::vector<double>* sums : {&vc, &vip, &mpvip, &mi}) (*sums)[j] /= draws;
  }
}

}  // namespace bayesvc
