// Trees in and out of the chain, and the record of what was proposed.
#include <stdexcept>

#include "forest.hpp"

namespace bayesvc {
namespace {

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
      nodes.push_back({Rule{no_variable, 0}, tree.mu[node.leaf]});
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
  record.sigma = sigma_;
  record.log_ratio = proposal.log_ratio;
  record.birth_ratio = proposal.birth_ratio;
  record.accepted = accepted;
  records_.push_back(std::move(record));
}

void Forest::plant(std::size_t t, const std::vector<std::pair<Rule, double>>& nodes) {
  PlantedTree& planted = trees_.at(t);
  for (const Node& node : planted.tree.nodes())
    if (!node.is_leaf()) splitting_.remove(node.rule.variable);
  for (std::int32_t k = 0; k < planted.tree.size(); ++k)
    splitting_.remove_ghosts(planted.tree.exhaustion(k).ghosts);
  const auto n_rows = static_cast<std::uint32_t>(n());
  planted.tree = Tree(n_rows, !eligibility_.variables().empty());
  planted.ids.assign(n(), 0);
  std::size_t next = 0;
  // Grows the leaf k by what the list says of it and of all below it. A node's place can change
  // only when trees shrink, so indices stay valid here.
  const auto grow = [&](auto&& self, std::int32_t k) -> void {
    if (next >= nodes.size()) throw std::invalid_argument("trees: a tree ends before its leaves");
    const auto [rule, mu] = nodes[next++];
    Tree& tree = planted.tree;
    if (rule.variable == no_variable) {
      tree.mu[tree.node(k).leaf] = residual_->rounded(mu);
      return;
    }
    const RowSet rows = rows_of(planted, k);
    const ColumnView column = columns_.view(rule.variable);
    if (rule.variable >= p() || !kernels_.has_code(n(), rows, column, rule.cut))
      throw std::invalid_argument("trees: a cut is not among the codes of its node");
    const std::uint32_t n_left = kernels_.count_left(n(), rows, column, rule.cut);
    if (!eligibility_.admissible(n_left, rows.size))
      throw std::invalid_argument("trees: a split leaves too few rows on one side");
    kernels_.split_rows(planted.ids.data(), n(), rows.first, static_cast<LeafId>(tree.n_leaves()),
                        column, rule.cut);
    tree.grow(k, rule, n_left, rows.size - n_left);
    splitting_.add(rule.variable);
    const std::int32_t left = tree.node(k).left, right = tree.node(k).right;
    for (const std::int32_t side : {left, right})
      tree.node(side).splittable = eligibility_.splittable(rows_of(planted, side));
    self(self, left);
    self(self, right);
  };
  grow(grow, 0);
  if (next != nodes.size()) throw std::invalid_argument("trees: a tree goes on after its leaves");
  refresh_residual();
}

}  // namespace bayesvc
