// Change and perturb above other splits, and swap: the rows of a whole subtree are routed anew.
//
// Besides the likelihood, the ratio holds for every node below the change the probability of its
// rule (s over the eligible mass, one over the number of cutpoints) and of being terminal. Where s
// is integrated out the nodes keep their ghosts, so the urn's part of the ratio is one, and the
// move is impossible if a ghost becomes eligible.
#include <algorithm>
#include <utility>

#include "exhaustion.hpp"
#include "fixed_math.hpp"
#include "moves.hpp"

namespace bayesvc {
namespace {

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

// Adds the log prior of the rule of node k, which has these rows. False where it is zero.
bool add_rule_log_prior(TreeUpdate& update, Tree& tree, std::int32_t k, const RowSet& rows,
                        double& log_prior) {
  const Eligibility& eligibility = update.model.eligibility;
  const SplittingPrior& splitting = *update.state.splitting;
  Node& node = tree.node(k);
  node.n_choices = eligibility.n_choices(rows, node.rule);
  if (node.n_choices == 0) return false;
  log_prior -= fixed_math::log(node.n_choices);
  for (const Ghost& ghost : tree.exhaustion(k).ghosts)
    if (eligibility.eligible(rows, ghost.variable)) return false;
  if (splitting.abilities().knows_s)
    log_prior += splitting.log_probability(node.rule.variable) -
                 splitting.log_mass(eligibility.ineligible(rows));
  return true;
}

// Sends the rows with this id, those of node k, down to its leaves; counts them, and adds up the
// log prior of the rules and of the leaves. False where the prior is zero. A free rule is known to
// be admissible and does not count.
bool route(TreeUpdate& update, AssignedTree& rerouted, std::int32_t k, LeafId id, bool free_rule,
           double& log_prior) {
  const Eligibility& eligibility = update.model.eligibility;
  auto& [tree, ids] = rerouted;
  Node& node = tree.node(k);
  const RowSet rows{ids.data(), id, id, node.n_rows};
  if (node.is_leaf()) {
    node.splittable = eligibility.splittable(rows);
    log_prior += update.model.tree_prior.log_terminal(node.splittable, node.depth);
    return true;
  }
  if (!free_rule && !add_rule_log_prior(update, tree, k, rows, log_prior)) return false;
  const LeafId right = leftmost_leaf(tree, node.right);
  const auto& [column, cutpoint] = update.scratch.rule.bind(node.rule, update.model.columns);
  const RoutedRows routed =
      update.model.kernels.split_rows(ids.data(), ids.size(), id, right, column, cutpoint);
  if (routed.at_cutpoint == 0 || !eligibility.admissible(node.n_rows - routed.moved, node.n_rows))
    return false;
  tree.node(node.left).n_rows = node.n_rows - routed.moved;
  tree.node(node.right).n_rows = routed.moved;
  return route(update, rerouted, node.left, id, false, log_prior) &&
         route(update, rerouted, node.right, right, false, log_prior);
}

double subtree_log_likelihood(const ForestState& state, const Tree& tree, std::int32_t k,
                              const LeafSums& sums) {
  const double noise_variance = state.noise_variance();
  double total = 0;
  tree.preorder(k, [&](std::int32_t below) {
    const Node& node = tree.node(below);
    if (node.is_leaf()) total += state.leaves->log_marginal(leaf_stats(node, sums), noise_variance);
  });
  return total;
}

double standing_rule_log_prior(TreeUpdate& update, std::int32_t k) {
  const auto& [columns, settings, kernels, eligibility, tree_prior] = update.model;
  const SplittingPrior& splitting = *update.state.splitting;
  NodeRows& rows = update.scratch.rows;
  Node& node = update.assigned.tree.node(k);
  if (eligibility.untied(node.rule))
    node.n_choices = eligibility.n_choices_untied(node.n_rows);
  else if (node.n_choices == 0)
    node.n_choices = eligibility.n_choices(rows.find(update.assigned, k, kernels), node.rule);
  const double log_prior = -fixed_math::log(node.n_choices);
  if (!splitting.abilities().knows_s) return log_prior;
  return log_prior + splitting.log_probability(node.rule.variable) -
         splitting.log_mass(ineligible_in(update.model, update.assigned, k, rows));
}

// The log prior of the subtree as it stands.
double subtree_log_prior(TreeUpdate& update, std::int32_t top, bool free_top) {
  const Tree& tree = update.assigned.tree;
  double log_prior = 0;
  tree.preorder(top, [&](std::int32_t k) {
    const Node& node = tree.node(k);
    if (node.is_leaf())
      log_prior += update.model.tree_prior.log_terminal(node.splittable, node.depth);
    else if (!(free_top && k == top))
      log_prior += standing_rule_log_prior(update, k);
  });
  return log_prior;
}

// Where two children share a rule, a swap leaves one split more on the variable of the parent.
double log_doubled_swap(const SplittingPrior& splitting, const Tree& old_tree, const Tree& tree,
                        std::int32_t top) {
  const Node& above = tree.node(top);
  const bool doubled = tree.node(above.left).rule != old_tree.node(above.left).rule &&
                       tree.node(above.right).rule != old_tree.node(above.right).rule;
  if (!doubled) return 0;
  return splitting.log_exchange(above.rule.variable, old_tree.node(top).rule.variable);
}

// The log ratio of the birth of this node's rule, the subtree below it collapsed to two leaves.
double log_birth_at(const TreeUpdate& update, const Tree& tree, std::int32_t k,
                    const LeafSums& sums) {
  std::size_t leaves_below = 0, nogs_below = 0;
  tree.preorder(k, [&](std::int32_t below) {
    leaves_below += tree.node(below).is_leaf();
    nogs_below += tree.is_nog(below);
  });
  const Node& node = tree.node(k);
  return log_birth_ratio(
      update, stats_below(tree, node.left, sums), stats_below(tree, node.right, sums),
      {node.depth, tree.n_leaves() - leaves_below + 1, tree.n_nog() - nogs_below + 1});
}

// Puts the proposed rules, and the ghosts that come with them, into a copy of the tree.
void alter_rules(Tree& tree, const Proposal& proposal) {
  if (proposal.kind != Move::swap) {
    tree.node(proposal.node).rule = proposal.rule;
    tree.node(proposal.node).n_choices = 0;
    tree.exhaustion(proposal.node).ghosts = proposal.ghosts;
  } else {
    exchange_rules(tree, proposal.node, proposal.child);
  }
}

}  // namespace

void evaluate_deep(TreeUpdate& update, Proposal& proposal) {
  const Tree& old_tree = update.assigned.tree;
  const std::int32_t top = proposal.node;
  // A changed rule at the top is proposed from its own prior: both cancel. A perturbed one keeps
  // its prior, and both are as likely to propose each other.
  const bool change = proposal.kind != Move::swap;
  const double old_log_prior = subtree_log_prior(update, top, change);
  if (!proposal.rerouted) proposal.rerouted.emplace(update.assigned);
  auto& [tree, ids] = *proposal.rerouted;
  tree = old_tree;
  alter_rules(tree, proposal);
  double new_log_prior = 0;
  if (!change && tree.n_splits() > 2)
    new_log_prior += log_doubled_swap(*update.state.splitting, old_tree, tree, top);
  gather_rows(update.assigned, top, update.model.kernels, ids);
  if (!route(update, *proposal.rerouted, top, leftmost_leaf(tree, top), change, new_log_prior))
    return;
  LeafSums& new_sums = proposal.rerouted_sums;
  update.state.residual->sums(ids.data(), tree.n_leaves(), {}, new_sums);
  proposal.log_ratio = new_log_prior - old_log_prior +
                       subtree_log_likelihood(update.state, tree, top, new_sums) -
                       subtree_log_likelihood(update.state, old_tree, top, update.sums);
  proposal.log_birth = log_birth_at(update, tree, top, new_sums);
}

void apply_deep(TreeUpdate& update, Proposal& proposal) {
  const std::int32_t top = proposal.node;
  const bool change = proposal.kind != Move::swap;
  const Tree& old_tree = update.assigned.tree;
  Tree& tree = proposal.rerouted->tree;
  SplitCounts& counts = update.state.splitting->counts();
  if (change) {
    counts.remove_ghosts(old_tree.exhaustion(top).ghosts);
    counts.add_ghosts(proposal.ghosts);
  }
  tree.preorder(top, [&](std::int32_t k) {
    if (tree.node(k).is_leaf()) return;
    if (k != top) {
      tree.exhaustion(k).ineligible.clear();
      tree.exhaustion(k).ineligible_known = false;
    }
    if (tree.node(k).rule == old_tree.node(k).rule && !(change && k == top)) return;
    counts.remove(old_tree.node(k).rule.variable);
    counts.add(tree.node(k).rule.variable);
    tree.node(k).birth_ratio = clipped_exp(log_birth_at(update, tree, k, proposal.rerouted_sums));
  });
  std::swap(update.assigned, *proposal.rerouted);
  std::swap(update.sums, proposal.rerouted_sums);
}

}  // namespace bayesvc
