// One tree, and the leaves that the rows are in.
#pragma once

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "kernels.hpp"
#include "log_count.hpp"

namespace bayesvc {

// Rows with code <= cutpoint go left; in a categorical column those whose category is a bit of the
// cutpoint.
struct Rule {
  std::uint32_t variable = 0;
  std::uint32_t coding = 0;  // one of the variable's
  std::uint64_t cutpoint = 0;
  bool operator==(const Rule&) const = default;
};

// A rule as the kernels see it: rows with code <= cutpoint go left.
struct Comparison {
  ColumnView column{};
  std::uint32_t cutpoint = 0;
};

struct Node {
  std::int32_t parent = -1;
  std::int32_t left = -1;  // -1 in a leaf
  std::int32_t right = -1;
  std::uint32_t n_rows = 0;
  Rule rule{};           // internal nodes
  double n_choices = 0;  // rules there were for its variable; 0: not counted yet
  std::uint16_t depth = 0;
  LeafId leaf = 0;         // leaves
  bool splittable = true;  // leaves: some variable is eligible
  double birth_ratio = 0;  // internal nodes: min(1, r) of the birth of the rule

  bool is_leaf() const { return left < 0; }
};

// Draws of an ineligible variable that came before a node's rule ("ghosts", docs/theory.md).
struct Ghost {
  std::uint32_t variable = 0;
  LogCount count;
  bool operator==(const Ghost&) const = default;
};

// What an internal node knows of exhausted variables; empty where no variable can be exhausted.
struct Exhaustion {
  std::vector<Ghost> ghosts;              // collapsed form
  std::vector<std::uint32_t> ineligible;  // other forms, filled when first asked for
  bool ineligible_known = false;

  void clear() { *this = Exhaustion{}; }
};

class Tree {
 public:
  explicit Tree(std::uint32_t n_rows, bool splittable);

  const Node& node(std::int32_t k) const { return nodes_[static_cast<std::size_t>(k)]; }
  Node& node(std::int32_t k) { return nodes_[static_cast<std::size_t>(k)]; }
  Exhaustion& exhaustion(std::int32_t k) { return exhaustion_[static_cast<std::size_t>(k)]; }
  const Exhaustion& exhaustion(std::int32_t k) const {
    return exhaustion_[static_cast<std::size_t>(k)];
  }
  const std::vector<Node>& nodes() const { return nodes_; }
  std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()); }
  std::size_t n_leaves() const { return leaf_nodes_.size(); }
  std::size_t n_splits() const { return leaf_nodes_.size() - 1; }
  bool is_stump() const { return nodes_.size() == 1; }
  std::int32_t leaf_node(LeafId leaf) const { return leaf_nodes_[leaf]; }
  unsigned depth() const;

  // Both children are leaves.
  bool is_nog(std::int32_t k) const {
    const Node& here = node(k);
    return !here.is_leaf() && node(here.left).is_leaf() && node(here.right).is_leaf();
  }
  std::size_t n_nog() const { return n_nog_; }

  // The leaf becomes internal. Its left child keeps the leaf id, the right one gets the next.
  void grow(std::int32_t leaf, Rule rule, std::uint32_t n_left, std::uint32_t n_right);

  // Ids that change when a node with two leaf children becomes a leaf again: `from` becomes `to`,
  // then `last` becomes `from`, so that ids stay 0 .. n_leaves - 1.
  struct Merge {
    LeafId from, to, last;
  };
  Merge prune(std::int32_t k);

  // Calls f(node index) for the subtree at k in preorder.
  template <class F>
  void preorder(std::int32_t k, F&& f) const {
    f(k);
    if (node(k).is_leaf()) return;
    preorder(node(k).left, f);
    preorder(node(k).right, f);
  }

  std::vector<double> mu;  // by leaf id

 private:
  void remove(std::int32_t k);

  std::vector<Node> nodes_;
  std::vector<Exhaustion> exhaustion_;
  std::vector<std::int32_t> leaf_nodes_;  // by leaf id
  std::size_t n_nog_ = 0;
};

// A tree and the leaf that each row is in.
struct AssignedTree {
  Tree tree;
  AlignedVector<LeafId> ids;
};

}  // namespace bayesvc
