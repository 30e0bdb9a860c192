#include "tree.hpp"

#include <algorithm>

namespace bayesvc {

Tree::Tree(std::uint32_t n_rows, bool splittable) : mu(1, 0.0), nodes_(1), exhaustion_(1) {
  nodes_[0].n_rows = n_rows;
  nodes_[0].splittable = splittable;
  leaf_nodes_.push_back(0);
}

unsigned Tree::depth() const {
  unsigned deepest = 0;
  for (const Node& here : nodes_) deepest = std::max<unsigned>(deepest, here.depth);
  return deepest;
}

void Tree::grow(std::int32_t leaf, Rule rule, std::uint32_t n_left, std::uint32_t n_right) {
  const LeafId new_id = static_cast<LeafId>(n_leaves());
  const std::int32_t above = node(leaf).parent;
  if (above < 0 || !is_nog(above)) ++n_nog_;
  Node child;
  child.parent = leaf;
  child.depth = static_cast<std::uint16_t>(node(leaf).depth + 1);
  Node& parent = node(leaf);
  parent.rule = rule;
  parent.n_choices = 0;
  parent.left = size();
  parent.right = size() + 1;
  child.leaf = parent.leaf;
  child.n_rows = n_left;
  leaf_nodes_[child.leaf] = size();
  leaf_nodes_.push_back(size() + 1);
  nodes_.push_back(child);
  child.leaf = new_id;
  child.n_rows = n_right;
  nodes_.push_back(child);
  exhaustion_.resize(nodes_.size());
  mu.resize(n_leaves(), 0.0);
}

Tree::Merge Tree::prune(std::int32_t k) {
  const std::int32_t left = node(k).left, right = node(k).right;
  const auto [keep, drop] = std::minmax({node(left).leaf, node(right).leaf});
  const LeafId last = static_cast<LeafId>(n_leaves() - 1);
  Node& here = node(k);
  here.left = here.right = -1;
  if (here.parent < 0 || !is_nog(here.parent)) --n_nog_;
  here.leaf = keep;
  here.splittable = true;
  exhaustion(k).clear();
  leaf_nodes_[keep] = k;
  leaf_nodes_[drop] = leaf_nodes_[last];
  node(leaf_nodes_[drop]).leaf = drop;
  mu[drop] = mu[last];
  leaf_nodes_.pop_back();
  mu.pop_back();
  remove(std::max(left, right));
  remove(std::min(left, right));
  return {drop, keep, last};
}

// Fills the hole with the last node. Pruned children are no longer referred to by anything.
void Tree::remove(std::int32_t k) {
  const std::int32_t last = size() - 1;
  if (k != last) {
    node(k) = node(last);
    std::swap(exhaustion(k), exhaustion(last));
    const Node& moved = node(k);
    if (moved.parent >= 0) {
      Node& parent = node(moved.parent);
      (parent.left == last ? parent.left : parent.right) = k;
    }
    if (moved.is_leaf()) {
      leaf_nodes_[moved.leaf] = k;
    } else {
      node(moved.left).parent = k;
      node(moved.right).parent = k;
    }
  }
  nodes_.pop_back();
  exhaustion_.pop_back();
}

}  // namespace bayesvc
