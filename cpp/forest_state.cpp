// Trees in and out of the chain, and the record of what was proposed.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "forest.hpp"

namespace bayesvc {
namespace {

// Splits on the way from the root to a leaf of a tree that is put in: as many calls are nested.
constexpr unsigned most_planted = 1000;

std::int32_t preorder_position(const Tree& tree, std::int32_t wanted) {
  std::int32_t position = 0, found = -1;
  tree.preorder(0, [&](std::int32_t k) {
    if (k == wanted) found = position;
    ++position;
  });
  return found;
}

}  // namespace

std::vector<std::pair<Rule, double>> Forest::listed(const Tree& tree) {
  std::vector<std::pair<Rule, double>> nodes;
  tree.preorder(0, [&](std::int32_t k) {
    const Node& node = tree.node(k);
    if (node.is_leaf())
      nodes.push_back({Rule{no_variable}, tree.mu[node.leaf]});
    else
      nodes.push_back({node.rule, 0.0});
  });
  return nodes;
}

void Forest::keep_record(std::size_t t, const Proposal& proposal, bool accepted) {
  const Tree& tree = trees_[t].tree;
  ProposalRecord record;
  record.kind = proposal.kind;
  record.tree = t;
  record.node = preorder_position(tree, proposal.node);
  record.child = proposal.child < 0 ? -1 : preorder_position(tree, proposal.child);
  record.rule = proposal.rule;
  record.before = listed(tree);
  record.sigma = sigma();
  record.log_ratio = proposal.log_ratio;
  record.birth_ratio = proposal.birth_ratio;
  record.accepted = accepted;
  records_.push_back(std::move(record));
}

void Forest::plant(std::size_t t, const std::vector<std::pair<Rule, double>>& nodes) {
  AssignedTree grown{Tree(static_cast<std::uint32_t>(n()), !eligibility_.variables().empty()),
                     std::vector<LeafId>(n(), 0)};
  if (grow_listed(grown, 0, nodes, 0) != nodes.size())
    throw std::invalid_argument("trees: a tree goes on after its leaves");
  AssignedTree& old = trees_.at(t);
  for (std::int32_t k = 0; k < old.tree.size(); ++k) {
    if (!old.tree.node(k).is_leaf()) splitting_->counts().remove(old.tree.node(k).rule.variable);
    splitting_->counts().remove_ghosts(old.tree.exhaustion(k).ghosts);
  }
  for (const Node& node : grown.tree.nodes())
    if (!node.is_leaf()) splitting_->counts().add(node.rule.variable);
  old = std::move(grown);
  refresh_residual();
}

// Grows the leaf k by what the list says of it and of all below it; returns where the list goes on.
std::size_t Forest::grow_listed(AssignedTree& assigned, std::int32_t k,
                                const std::vector<std::pair<Rule, double>>& nodes,
                                std::size_t next) {
  if (next >= nodes.size()) throw std::invalid_argument("trees: a tree ends before its leaves");
  const auto [rule, mu] = nodes[next++];
  Tree& tree = assigned.tree;
  if (rule.variable == no_variable) {
    tree.mu[tree.node(k).leaf] = residual_->rounded(mu);
    return next;
  }
  if (tree.n_leaves() == std::numeric_limits<LeafId>::max() || tree.node(k).depth >= most_planted)
    throw std::invalid_argument("trees: a tree has too many leaves, or too many splits in a row");
  const RowSet rows = rows_of(assigned, k);
  check_rule(rule);
  const auto [column, cutpoint] = comparison(rule);
  if (kernels_.count_code(n(), rows, column, cutpoint) == 0)
    throw std::invalid_argument("trees: a cut is not among the codes of its node");
  const std::uint32_t n_left = kernels_.count_left(n(), rows, column, cutpoint);
  if (!eligibility_.admissible(n_left, rows.size))
    throw std::invalid_argument("trees: a split leaves too few rows on one side");
  kernels_.split_rows(assigned.ids.data(), n(), rows.first, static_cast<LeafId>(tree.n_leaves()),
                      column, cutpoint);
  tree.grow(k, rule, n_left, rows.size - n_left);
  const std::int32_t left = tree.node(k).left, right = tree.node(k).right;
  for (const std::int32_t side : {left, right})
    tree.node(side).splittable = eligibility_.splittable(rows_of(assigned, side));
  return grow_listed(assigned, right, nodes, grow_listed(assigned, left, nodes, next));
}

void Forest::check_rule(const Rule& rule) const {
  const auto& variables = eligibility_.variables();
  if (!std::binary_search(variables.begin(), variables.end(), rule.variable))
    throw std::invalid_argument("trees: a rule's variable cannot be split on");
  const auto members = columns_.members(rule.variable);
  if (std::none_of(members.begin(), members.end(), [&](std::uint32_t coding) {
        return rule.coding >= coding && rule.coding < coding + columns_.n_alike(coding);
      }))
    throw std::invalid_argument("trees: a rule's coding is not one of its variable");
  const std::uint32_t n_categories = columns_.n_categories(rule.coding);
  if (n_categories > 0 ? n_categories < max_categories && rule.cutpoint >> n_categories != 0
                       : rule.cutpoint >= columns_.n_distinct(rule.coding))
    throw std::invalid_argument("trees: a cut is not among the codes of its node");
}

}  // namespace bayesvc
