// Change above other splits, and swap: the rows of a whole subtree are routed anew.
//
// Besides the likelihood, the ratio holds for every node below the change the probability of its
// rule (s over the eligible mass, one over the number of cutpoints) and of being terminal. In the
// collapsed form the nodes keep their ghosts, so the urn's part of the ratio is one, and the move
// is impossible if a ghost becomes eligible.
#include <algorithm>
#include <cmath>

#include "fixed_math.hpp"
#include "forest.hpp"

namespace bayesvc {
namespace {

LeafId leftmost_leaf(const Tree& tree, std::int32_t k) {
  while (!tree.node(k).is_leaf()) k = tree.node(k).left;
  return tree.node(k).leaf;
}

// The two ways of exchanging rules; both are their own reverse.
void exchange_rules(Tree& tree, std::int32_t parent, std::int32_t child) {
  Node& above = tree.node(parent);
  Node& left = tree.node(above.left);
  Node& right = tree.node(above.right);
  if (!left.is_leaf() && !right.is_leaf() && left.rule == right.rule) {
    std::swap(above.rule, left.rule);
    right.rule = left.rule;
  } else {
    std::swap(above.rule, tree.node(child).rule);
  }
}

}  // namespace

RowSet Forest::rows_of(const AssignedTree& assigned, std::int32_t k) {
  const Tree& tree = assigned.tree;
  const Node& node = tree.node(k);
  if (node.is_leaf()) return {assigned.ids.data(), node.leaf, node.leaf, node.n_rows};
  if (tree.is_nog(k))
    return {assigned.ids.data(), tree.node(node.left).leaf, tree.node(node.right).leaf,
            node.n_rows};
  gather_rows(assigned, k, marks_);
  const LeafId label = leftmost_leaf(tree, k);
  return {marks_.data(), label, label, node.n_rows};
}

// Copies the ids, with that of the leftmost leaf for all rows below the node.
void Forest::gather_rows(const AssignedTree& assigned, std::int32_t k,
                         std::vector<LeafId>& ids) const {
  const Tree& tree = assigned.tree;
  const LeafId first = leftmost_leaf(tree, k);
  if (k == 0) return ids.assign(n(), first);
  ids = assigned.ids;
  tree.preorder(k, [&](std::int32_t below) {
    const Node& node = tree.node(below);
    if (node.is_leaf() && node.leaf != first)
      kernels_.merge_rows(ids.data(), n(), node.leaf, first, node.leaf);
  });
}

// Sends the rows with this id, those of node k, down to its leaves; counts them, and adds up the
// log prior of the rules and of the leaves. False where the prior is zero. A free rule is known to
// be admissible and does not count.
bool Forest::route(AssignedTree& assigned, std::int32_t k, LeafId id, bool free_rule,
                   double& log_prior) {
  Tree& tree = assigned.tree;
  Node& node = tree.node(k);
  const RowSet rows{assigned.ids.data(), id, id, node.n_rows};
  if (node.is_leaf()) {
    node.splittable = eligibility_.splittable(rows);
    log_prior += log_terminal(node.splittable, node.depth);
    return true;
  }
  if (!free_rule && !rule_log_prior(tree, k, rows, log_prior)) return false;
  const LeafId right = leftmost_leaf(tree, node.right);
  const auto [column, cutpoint] = comparison(node.rule);
  const RoutedRows counts =
      kernels_.split_rows(assigned.ids.data(), n(), id, right, column, cutpoint);
  if (counts.at_cutpoint == 0 || !eligibility_.admissible(node.n_rows - counts.moved, node.n_rows))
    return false;
  tree.node(node.left).n_rows = node.n_rows - counts.moved;
  tree.node(node.right).n_rows = counts.moved;
  return route(assigned, node.left, id, false, log_prior) &&
         route(assigned, node.right, right, false, log_prior);
}

bool Forest::rule_log_prior(Tree& tree, std::int32_t k, const RowSet& rows, double& log_prior) {
  Node& node = tree.node(k);
  node.n_choices = eligibility_.n_choices(rows, node.rule);
  if (node.n_choices == 0) return false;
  log_prior -= fixed_math::log(node.n_choices);
  if (splitting_->abilities().draws_ghosts) {
    for (const Ghost& ghost : tree.exhaustion(k).ghosts)
      if (eligibility_.eligible(rows, ghost.variable)) return false;
    return true;
  }
  log_prior += splitting_->log_probability(node.rule.variable) -
               splitting_->log_mass(eligibility_.ineligible(rows));
  return true;
}

double Forest::subtree_log_likelihood(const Tree& tree, std::int32_t k,
                                      const LeafSums& sums) const {
  double total = 0;
  tree.preorder(k, [&](std::int32_t below) {
    const Node& node = tree.node(below);
    if (node.is_leaf()) total += log_likelihood(leaf_stats(node, sums));
  });
  return total;
}

// The log prior of the subtree as it stands.
double Forest::subtree_log_prior(AssignedTree& assigned, std::int32_t top, bool free_top) {
  Tree& tree = assigned.tree;
  double log_prior = 0;
  tree.preorder(top, [&](std::int32_t k) {
    const Node& node = tree.node(k);
    if (node.is_leaf())
      log_prior += log_terminal(node.splittable, node.depth);
    else if (!(free_top && k == top))
      log_prior += standing_rule_log_prior(assigned, k);
  });
  return log_prior;
}

double Forest::standing_rule_log_prior(AssignedTree& assigned, std::int32_t k) {
  Node& node = assigned.tree.node(k);
  if (eligibility_.untied(node.rule))
    node.n_choices = eligibility_.n_choices_untied(node.n_rows);
  else if (node.n_choices == 0)
    node.n_choices = eligibility_.n_choices(rows_of(assigned, k), node.rule);
  const double log_prior = -fixed_math::log(node.n_choices);
  if (splitting_->abilities().draws_ghosts) return log_prior;
  return log_prior + splitting_->log_probability(node.rule.variable) -
         splitting_->log_mass(ineligible_in(assigned, k));
}

void Forest::evaluate_deep(AssignedTree& assigned, Proposal& proposal) {
  if (!restructured_) restructured_ = std::make_unique<AssignedTree>(assigned);
  const std::int32_t top = proposal.node;
  // A changed rule at the top is proposed from its own prior: both cancel.
  const bool change = proposal.kind == Move::change;
  const double old_log_prior = subtree_log_prior(assigned, top, change);
  Tree& tree = restructured_->tree;
  tree = assigned.tree;
  if (change) {
    tree.node(top).rule = proposal.rule;
    tree.node(top).n_choices = 0;
    tree.exhaustion(top).ghosts = ghosts_;
  } else {
    exchange_rules(tree, top, proposal.child);
  }
  double new_log_prior = 0;
  // Where two children share a rule, a swap leaves one split more on the variable of the parent.
  if (!change && tree.n_splits() > 2) new_log_prior += log_doubled_swap(assigned.tree, tree, top);
  gather_rows(assigned, top, restructured_->ids);
  if (!route(*restructured_, top, leftmost_leaf(tree, top), change, new_log_prior)) return;
  residual_->sums(restructured_->ids.data(), tree.n_leaves(), {}, new_sums_);
  proposal.log_ratio = new_log_prior - old_log_prior +
                       subtree_log_likelihood(tree, top, new_sums_) -
                       subtree_log_likelihood(assigned.tree, top, sums_);
  proposal.birth_ratio = birth_ratio_at(tree, top, new_sums_);
}

double Forest::log_doubled_swap(const Tree& old_tree, const Tree& tree, std::int32_t top) const {
  const Node& above = tree.node(top);
  const bool doubled = tree.node(above.left).rule != old_tree.node(above.left).rule &&
                       tree.node(above.right).rule != old_tree.node(above.right).rule;
  if (!doubled) return 0;
  return splitting_->log_exchange(above.rule.variable, old_tree.node(top).rule.variable);
}

void Forest::apply_deep(AssignedTree& assigned, const Proposal& proposal) {
  const std::int32_t top = proposal.node;
  const Tree& old_tree = assigned.tree;
  Tree& tree = restructured_->tree;
  if (proposal.kind == Move::change) {
    splitting_->counts().remove_ghosts(old_tree.exhaustion(top).ghosts);
    splitting_->counts().add_ghosts(ghosts_);
  }
  tree.preorder(top, [&](std::int32_t k) {
    if (tree.node(k).is_leaf()) return;
    if (k != top) {
      tree.exhaustion(k).ineligible.clear();
      tree.exhaustion(k).ineligible_known = false;
    }
    const bool drawn_anew = k == top && proposal.kind == Move::change;
    if (tree.node(k).rule == old_tree.node(k).rule && !drawn_anew) return;
    splitting_->counts().remove(old_tree.node(k).rule.variable);
    splitting_->counts().add(tree.node(k).rule.variable);
    tree.node(k).birth_ratio = birth_ratio_at(tree, k, new_sums_);
  });
  std::swap(assigned, *restructured_);
  std::swap(sums_.sum, new_sums_.sum);
  std::swap(sums_.weight, new_sums_.weight);
}

Forest::NodeStats Forest::stats_below(const Tree& tree, std::int32_t k,
                                      const LeafSums& sums) const {
  NodeStats stats{0, 0, tree.node(k).n_rows, !tree.node(k).is_leaf() || tree.node(k).splittable};
  tree.preorder(k, [&](std::int32_t below) {
    if (!tree.node(below).is_leaf()) return;
    const NodeStats leaf = leaf_stats(tree.node(below), sums);
    stats.sum += leaf.sum;
    stats.weight += leaf.weight;
  });
  return stats;
}

// min(1, r) of the birth of this node's rule, the subtree below it collapsed to two leaves.
double Forest::birth_ratio_at(const Tree& tree, std::int32_t k, const LeafSums& sums) const {
  std::size_t leaves_below = 0, nogs_below = 0;
  tree.preorder(k, [&](std::int32_t below) {
    leaves_below += tree.node(below).is_leaf();
    nogs_below += tree.is_nog(below);
  });
  const Node& node = tree.node(k);
  const Context context{node.depth, tree.n_leaves() - leaves_below + 1,
                        tree.n_nog() - nogs_below + 1};
  const double log_ratio = log_birth_ratio(stats_below(tree, node.left, sums),
                                           stats_below(tree, node.right, sums), context);
  return clipped_exp(log_ratio);
}

}  // namespace bayesvc
