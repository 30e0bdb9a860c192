#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "../tree.hpp"
#include "brute_force.hpp"
#include "check.hpp"

using bayesvc::LeafId;
using bayesvc::Node;
using bayesvc::Rng;
using bayesvc::Rule;
using bayesvc::Tree;
using brute_force::below;
using brute_force::rng_of;
using brute_force::Rows;

namespace {

// A tree that knows its rows and has no ids to get wrong.
struct Plain {
  Rows rows;
  Rule rule{};
  double mu = 0;            // leaves
  std::uint32_t token = 0;  // internal nodes: what its exhaustion should hold
  std::unique_ptr<Plain> left, right;

  bool is_leaf() const { return !left; }
};

struct Pair {
  Tree tree;
  std::vector<LeafId> ids;
  Plain plain;
  std::uint32_t next_token = 1;

  explicit Pair(std::size_t n) : tree(static_cast<std::uint32_t>(n), true), ids(n, 0), plain{} {
    for (std::size_t i = 0; i < n; ++i) plain.rows.push_back(i);
  }

  // The plain node that stands where node k of the tree does.
  Plain& plain_of(std::int32_t k) {
    const std::int32_t parent = tree.node(k).parent;
    if (parent < 0) return plain;
    Plain& above = plain_of(parent);
    return tree.node(parent).left == k ? *above.left : *above.right;
  }

  void set_mu(LeafId leaf) {
    tree.mu[leaf] = next_token++;
    plain_of(tree.leaf_node(leaf)).mu = tree.mu[leaf];
  }

  void grow(Rng& rng) {
    const std::int32_t k = tree.leaf_node(static_cast<LeafId>(below(rng, tree.n_leaves())));
    Plain& here = plain_of(k);
    here.rule = {rng.below(50), rng.below(50)};
    here.left = std::make_unique<Plain>();
    here.right = std::make_unique<Plain>();
    const auto from = tree.node(k).leaf, to = static_cast<LeafId>(tree.n_leaves());
    for (const std::size_t i : here.rows) {
      const bool left = rng.below(2) == 0;
      (left ? *here.left : *here.right).rows.push_back(i);
      if (!left) ids[i] = to;
    }
    tree.grow(k, here.rule, static_cast<std::uint32_t>(here.left->rows.size()),
              static_cast<std::uint32_t>(here.right->rows.size()));
    here.token = next_token++;
    tree.exhaustion(k).ineligible = {here.token};
    tree.exhaustion(k).ineligible_known = true;
    set_mu(from);
    set_mu(to);
  }

  void prune(Rng& rng) {
    std::vector<std::int32_t> nogs;
    for (std::int32_t k = 0; k < tree.size(); ++k)
      if (tree.is_nog(k)) nogs.push_back(k);
    const std::int32_t k = nogs[below(rng, nogs.size())];
    Plain& here = plain_of(k);
    here.left.reset();
    here.right.reset();
    const auto [from, to, last] = tree.prune(k);
    for (LeafId& id : ids) {
      if (id == from)
        id = to;
      else if (id == last)
        id = from;
    }
    set_mu(to);
  }

  // Counts the nodes met, and those with two leaves below.
  void compare(std::int32_t k, const Plain& here, unsigned depth, std::size_t& met,
               std::size_t& nogs) const {
    const Node& node = tree.node(k);
    ++met;
    CHECK(node.depth == depth);
    CHECK(node.n_rows == here.rows.size());
    CHECK(node.is_leaf() == here.is_leaf());
    if (node.is_leaf() != here.is_leaf()) return;
    if (node.is_leaf()) {
      CHECK(node.right < 0 && node.leaf < tree.n_leaves());
      CHECK(tree.leaf_node(node.leaf) == k);
      CHECK(tree.mu[node.leaf] == here.mu);
      CHECK(brute_force::rows_with(ids, node.leaf, node.leaf) == here.rows);
      CHECK(!tree.exhaustion(k).ineligible_known && tree.exhaustion(k).ineligible.empty());
      return;
    }
    CHECK(node.rule == here.rule);
    CHECK(tree.exhaustion(k).ineligible_known && tree.exhaustion(k).ineligible.size() == 1 &&
          tree.exhaustion(k).ineligible[0] == here.token);
    const bool nog = here.left->is_leaf() && here.right->is_leaf();
    CHECK(tree.is_nog(k) == nog);
    nogs += nog;
    CHECK(tree.node(node.left).parent == k && tree.node(node.right).parent == k);
    compare(node.left, *here.left, depth + 1, met, nogs);
    compare(node.right, *here.right, depth + 1, met, nogs);
  }

  void check() const {
    std::size_t met = 0, nogs = 0;
    CHECK(tree.node(0).parent == -1);
    compare(0, plain, 0, met, nogs);
    CHECK(static_cast<std::size_t>(tree.size()) == met);
    CHECK(2 * tree.n_leaves() - 1 == met && tree.n_splits() + 1 == tree.n_leaves());
    CHECK(tree.mu.size() == tree.n_leaves());
    CHECK(tree.n_nog() == nogs);
    CHECK(tree.is_stump() == (met == 1));
    unsigned deepest = 0;
    std::vector<bool> listed(met, false);
    tree.preorder(0, [&](std::int32_t k) {
      deepest = std::max<unsigned>(deepest, tree.node(k).depth);
      listed[static_cast<std::size_t>(k)] = true;
    });
    CHECK(tree.depth() == deepest);
    CHECK(std::find(listed.begin(), listed.end(), false) == listed.end());
  }
};

}  // namespace

TEST(trees_grow_and_prune_like_plain_ones) {
  Rng rng = rng_of(10);
  for (int run = 0; run < 20; ++run) {
    Pair pair(90);
    pair.check();
    std::size_t most = 0;
    const double lean = run % 2 ? 0.52 : 0.7;
    for (int step = 0; step < 250 && !check::failed; ++step) {
      if (pair.tree.is_stump() || (pair.tree.n_leaves() < 60 && rng.uniform() < lean))
        pair.grow(rng);
      else
        pair.prune(rng);
      pair.check();
      most = std::max(most, pair.tree.n_leaves());
    }
    CHECK(run % 2 || most > 20);
  }
}

TEST(trees_prune_back_to_a_stump) {
  Rng rng = rng_of(11);
  Pair pair(50);
  for (int k = 0; k < 40; ++k) pair.grow(rng);
  while (!pair.tree.is_stump() && !check::failed) {
    pair.prune(rng);
    pair.check();
  }
  CHECK(pair.tree.node(0).leaf == 0 && pair.tree.node(0).splittable);
  for (const LeafId id : pair.ids) CHECK(id == 0);
}
