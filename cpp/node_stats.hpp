// Sufficient statistics of the rows of a node, from the sums by leaf that the kernels make.
#pragma once

#include <cstdint>

#include "residual.hpp"
#include "tree.hpp"

namespace bayesvc {

struct NodeStats {
  double sum = 0;     // of the rows' residuals, each times its weight
  double weight = 0;  // of the rows; their number where each has weight one
  std::uint32_t n_rows = 0;
  bool splittable = true;
};

inline NodeStats leaf_stats(const Node& leaf, const LeafSums& sums) {
  const double weight = sums.weighted ? sums.weight[leaf.leaf] : leaf.n_rows;
  return {sums.sum[leaf.leaf], weight, leaf.n_rows, leaf.splittable};
}

// Of all leaves below node k together.
inline NodeStats stats_below(const Tree& tree, std::int32_t k, const LeafSums& sums) {
  NodeStats stats{0, 0, tree.node(k).n_rows, !tree.node(k).is_leaf() || tree.node(k).splittable};
  tree.preorder(k, [&](std::int32_t below) {
    if (!tree.node(below).is_leaf()) return;
    const NodeStats leaf = leaf_stats(tree.node(below), sums);
    stats.sum += leaf.sum;
    stats.weight += leaf.weight;
  });
  return stats;
}

}  // namespace bayesvc
