#include "row_views.hpp"

namespace bayesvc {

LeafId leftmost_leaf(const Tree& tree, std::int32_t k) {
  while (!tree.node(k).is_leaf()) k = tree.node(k).left;
  return tree.node(k).leaf;
}

void gather_rows(const AssignedTree& assigned, std::int32_t k, const Kernels& kernels,
                 AlignedVector<LeafId>& ids) {
  const Tree& tree = assigned.tree;
  const LeafId first = leftmost_leaf(tree, k);
  if (k == 0) return ids.assign(assigned.ids.size(), first);
  ids = assigned.ids;
  tree.preorder(k, [&](std::int32_t below) {
    const Node& node = tree.node(below);
    if (node.is_leaf() && node.leaf != first)
      kernels.merge_rows(ids.data(), ids.size(), node.leaf, first, node.leaf);
  });
}

const RowSet& NodeRows::find(const AssignedTree& assigned, std::int32_t k, const Kernels& kernels) {
  const Tree& tree = assigned.tree;
  const Node& node = tree.node(k);
  const LeafId* ids = assigned.ids.data();
  if (node.is_leaf()) {
    set_ = {ids, node.leaf, node.leaf, node.n_rows};
  } else if (tree.is_nog(k)) {
    set_ = {ids, tree.node(node.left).leaf, tree.node(node.right).leaf, node.n_rows};
  } else {
    gather_rows(assigned, k, kernels, labels_);
    const LeafId label = leftmost_leaf(tree, k);
    set_ = {labels_.data(), label, label, node.n_rows};
  }
  return set_;
}

const Comparison& BoundRule::bind(const Rule& rule, const Columns& columns) {
  if (columns.categorical(rule.coding))
    bind_categories(rule, columns);
  else
    comparison_ = {columns.view(rule.coding), static_cast<std::uint32_t>(rule.cutpoint)};
  return comparison_;
}

void BoundRule::bind_categories(const Rule& rule, const Columns& columns) {
  const auto* categories = static_cast<const std::uint8_t*>(columns.view(rule.coding).codes);
  sides_.resize(columns.n());
  for (std::size_t i = 0; i < sides_.size(); ++i)
    sides_[i] = static_cast<std::uint8_t>(~(rule.cutpoint >> categories[i]) & 1);
  comparison_ = {{sides_.data(), CodeWidth::bits8}, 0};
}

}  // namespace bayesvc
