// The rows of a node and the rule of a split in the form that the kernels read. Each owns what it
// points to, unless that belongs to the tree or to the columns.
#pragma once

#include <cstdint>
#include <vector>

#include "columns.hpp"
#include "kernels.hpp"
#include "tree.hpp"

namespace bayesvc {

LeafId leftmost_leaf(const Tree& tree, std::int32_t k);

// Copies the ids of the rows, with that of the leftmost leaf for all rows below the node.
void gather_rows(const AssignedTree& assigned, std::int32_t k, const Kernels& kernels,
                 AlignedVector<LeafId>& ids);

// The rows of one node, valid until the next `find` or until the tree's rows move.
class NodeRows {
 public:
  NodeRows() = default;
  NodeRows(const NodeRows&) = delete;
  NodeRows& operator=(const NodeRows&) = delete;

  const RowSet& find(const AssignedTree& assigned, std::int32_t k, const Kernels& kernels);
  const RowSet& set() const { return set_; }

 private:
  RowSet set_{};
  AlignedVector<LeafId> labels_;  // for a node above other splits
};

// A rule as a comparison with a cutpoint, valid until the next `bind`.
class BoundRule {
 public:
  BoundRule() = default;
  BoundRule(const BoundRule&) = delete;
  BoundRule& operator=(const BoundRule&) = delete;

  const Comparison& bind(const Rule& rule, const Columns& columns);
  const Comparison& comparison() const { return comparison_; }

 private:
  void bind_categories(const Rule& rule, const Columns& columns);

  Comparison comparison_{};
  std::vector<std::uint8_t> sides_;  // of the rows, by a rule on categories: 0 left, 1 right
};

}  // namespace bayesvc
