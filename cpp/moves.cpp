// Birth, death, and change and perturb where both children are leaves.
#include "moves.hpp"

#include <algorithm>
#include <limits>

#include "fixed_math.hpp"

namespace bayesvc {
namespace {

bool is_nog(const Tree& tree, std::int32_t k) { return tree.is_nog(k); }
bool is_internal(const Tree& tree, std::int32_t k) { return !tree.node(k).is_leaf(); }
bool is_internal_child(const Tree& tree, std::int32_t k) {
  return !tree.node(k).is_leaf() && tree.node(k).parent >= 0;
}

// One of `number` nodes of a kind, each as likely as any other.
std::int32_t draw_node(const Tree& tree, bool (*wanted)(const Tree&, std::int32_t),
                       std::size_t number, Rng& rng) {
  std::uint32_t n = rng.below(static_cast<std::uint32_t>(number));
  std::int32_t k = 0;
  for (;; ++k)
    if (wanted(tree, k) && n-- == 0) return k;
}

void draw_rule(TreeUpdate& update, Proposal& proposal) {
  Rng& rng = update.state.rng;
  const RowSet& rows = proposal.rows.set();
  const std::uint32_t variable = update.state.splitting->draw(rows, rng, proposal.ghosts);
  proposal.rule = update.model.eligibility.draw(rows, variable, rng);
  proposal.bound.bind(proposal.rule, update.model.columns);
}

void draw_cutpoint_again(TreeUpdate& update, Proposal& proposal) {
  update.model.eligibility.draw_cutpoint(proposal.rows.set(), proposal.rule, update.state.rng);
  proposal.bound.bind(proposal.rule, update.model.columns);
}

void propose_birth(TreeUpdate& update, Proposal& proposal) {
  const Tree& tree = update.assigned.tree;
  const auto leaf =
      static_cast<LeafId>(update.state.rng.below(static_cast<std::uint32_t>(tree.n_leaves())));
  proposal.node = tree.leaf_node(leaf);
  proposal.possible =
      tree.node(proposal.node).splittable && tree.n_leaves() < std::numeric_limits<LeafId>::max();
  if (!proposal.possible) return;
  proposal.rows.find(update.assigned, proposal.node, update.model.kernels);
  draw_rule(update, proposal);
}

// The cutpoint may have been the node's largest value. (Above two leaves the evaluation sees to
// that.)
void make_admissible(TreeUpdate& update, Proposal& proposal) {
  const auto& [columns, settings, kernels, eligibility, tree_prior] = update.model;
  const RowSet& rows = proposal.rows.set();
  const auto n_left = [&]() -> std::uint32_t {
    if (rows.size == columns.n() && eligibility.untied(proposal.rule))
      return static_cast<std::uint32_t>(proposal.rule.cutpoint) + 1;
    const auto& [column, cutpoint] = proposal.bound.comparison();
    return kernels.count_left(columns.n(), rows, column, cutpoint);
  };
  while (!eligibility.admissible(n_left(), rows.size)) draw_cutpoint_again(update, proposal);
}

void propose_change(TreeUpdate& update, Proposal& proposal) {
  Tree& tree = update.assigned.tree;
  proposal.node = draw_node(tree, is_internal, tree.n_splits(), update.state.rng);
  proposal.deep = !tree.is_nog(proposal.node);
  proposal.rows.find(update.assigned, proposal.node, update.model.kernels);
  // The urn from which the new rule comes must not hold the old one.
  const std::uint32_t old_variable = tree.node(proposal.node).rule.variable;
  const std::vector<Ghost>& old_ghosts = tree.exhaustion(proposal.node).ghosts;
  SplitCounts& counts = update.state.splitting->counts();
  counts.remove(old_variable);
  counts.remove_ghosts(old_ghosts);
  draw_rule(update, proposal);
  counts.add(old_variable);
  counts.add_ghosts(old_ghosts);
  if (proposal.deep) make_admissible(update, proposal);
}

// The variable stays, and with it the ghosts that its rule came with.
void propose_perturb(TreeUpdate& update, Proposal& proposal) {
  const Tree& tree = update.assigned.tree;
  proposal.node = draw_node(tree, is_internal, tree.n_splits(), update.state.rng);
  proposal.deep = !tree.is_nog(proposal.node);
  proposal.rows.find(update.assigned, proposal.node, update.model.kernels);
  proposal.ghosts = tree.exhaustion(proposal.node).ghosts;
  perturb_cutpoint(update, proposal);
}

// Where the number of rows does not tell, looks at the rows on either side of the rule.
void find_splittable_sides(TreeUpdate& update, Proposal& proposal) {
  const Eligibility& eligibility = update.model.eligibility;
  const auto unclear = [&](const NodeStats& side) {
    return !eligibility.surely_splittable(side.n_rows) &&
           !eligibility.surely_unsplittable(side.n_rows);
  };
  NodeStats &left = proposal.left, &right = proposal.right;
  left.splittable = !eligibility.surely_unsplittable(left.n_rows);
  right.splittable = !eligibility.surely_unsplittable(right.n_rows);
  if (!unclear(left) && !unclear(right)) return;
  std::vector<LeafId>& marks = update.scratch.side_marks;
  marks.resize(update.model.columns.n());
  const auto& [column, cutpoint] = proposal.bound.comparison();
  update.model.kernels.mark_sides(marks.data(), marks.size(), proposal.rows.set(), column,
                                  cutpoint);
  if (unclear(left)) left.splittable = eligibility.splittable({marks.data(), 1, 1, left.n_rows});
  if (unclear(right)) right.splittable = eligibility.splittable({marks.data(), 2, 2, right.n_rows});
}

// The two sides of the rule, from the sums that hold its left one.
void find_sides(TreeUpdate& update, Proposal& proposal) {
  const RowSet& rows = proposal.rows.set();
  const LeafSums& sums = update.sums;
  const auto total = [&](const std::vector<double>& by_leaf) {
    return by_leaf[rows.first] + (rows.second != rows.first ? by_leaf[rows.second] : 0.0);
  };
  const std::uint32_t n_right = rows.size - sums.left_count;
  proposal.left = {sums.left_sum, 1.0 * sums.left_count, sums.left_count, true};
  proposal.right = {total(sums.sum) - sums.left_sum, 1.0 * n_right, n_right, true};
  if (sums.weighted) {
    proposal.left.weight = sums.left_weight;
    proposal.right.weight = total(sums.weight) - sums.left_weight;
  }
  find_splittable_sides(update, proposal);
}

double log_standing_birth_ratio(const TreeUpdate& update, const Node& node,
                                const BirthContext& context) {
  const Tree& tree = update.assigned.tree;
  return log_birth_ratio(update, leaf_stats(tree.node(node.left), update.sums),
                         leaf_stats(tree.node(node.right), update.sums), context);
}

// Birth, or a new rule for a node with two leaves.
void evaluate_split(TreeUpdate& update, Proposal& proposal) {
  const Tree& tree = update.assigned.tree;
  const Node& node = tree.node(proposal.node);
  const RowSet& rows = proposal.rows.set();
  if (proposal.kind == Move::perturb &&
      !update.model.eligibility.admissible(update.sums.left_count, rows.size))
    return;
  // The node's largest value was drawn.
  while (!update.model.eligibility.admissible(update.sums.left_count, rows.size)) {
    draw_cutpoint_again(update, proposal);
    update.state.residual->sums(update.assigned.ids.data(), tree.n_leaves(),
                                {&proposal.bound.comparison(), rows.first, rows.second},
                                update.sums);
  }
  find_sides(update, proposal);
  if (proposal.kind == Move::birth) {
    const bool parent_was_nog = node.parent >= 0 && tree.is_nog(node.parent);
    proposal.log_ratio =
        log_birth_ratio(update, proposal.left, proposal.right,
                        {node.depth, tree.n_leaves(), tree.n_nog() + (parent_was_nog ? 0u : 1u)});
    proposal.log_birth = proposal.log_ratio;
  } else {
    const BirthContext context{node.depth, tree.n_leaves() - 1, tree.n_nog()};
    proposal.log_birth = log_birth_ratio(update, proposal.left, proposal.right, context);
    proposal.log_ratio = proposal.log_birth - log_standing_birth_ratio(update, node, context);
  }
}

void evaluate_death(const TreeUpdate& update, Proposal& proposal) {
  const Tree& tree = update.assigned.tree;
  const Node& node = tree.node(proposal.node);
  proposal.log_ratio =
      -log_standing_birth_ratio(update, node, {node.depth, tree.n_leaves() - 1, tree.n_nog()});
}

// The bookkeeping that a new rule above two leaves brings with it.
void settle_split(TreeUpdate& update, Proposal& proposal) {
  Tree& tree = update.assigned.tree;
  Node& node = tree.node(proposal.node);
  LeafSums& sums = update.sums;
  node.birth_ratio = clipped_exp(proposal.log_birth);
  if (sums.sum.size() < tree.n_leaves()) sums.sum.resize(tree.n_leaves());
  if (sums.weighted && sums.weight.size() < tree.n_leaves()) sums.weight.resize(tree.n_leaves());
  const auto settle = [&](std::int32_t k, const NodeStats& side) {
    Node& leaf = tree.node(k);
    leaf.n_rows = side.n_rows;
    leaf.splittable = side.splittable;
    sums.sum[leaf.leaf] = side.sum;
    if (sums.weighted) sums.weight[leaf.leaf] = side.weight;
  };
  settle(node.left, proposal.left);
  settle(node.right, proposal.right);
  SplitCounts& counts = update.state.splitting->counts();
  counts.add(proposal.rule.variable);
  counts.add_ghosts(proposal.ghosts);
  tree.exhaustion(proposal.node).ghosts = proposal.ghosts;
}

void apply_birth(TreeUpdate& update, Proposal& proposal) {
  auto& [tree, ids] = update.assigned;
  const LeafId from = tree.node(proposal.node).leaf;
  const auto to = static_cast<LeafId>(tree.n_leaves());
  const auto& [column, cutpoint] = proposal.bound.comparison();
  update.model.kernels.split_rows(ids.data(), ids.size(), from, to, column, cutpoint);
  tree.grow(proposal.node, proposal.rule, proposal.left.n_rows, proposal.right.n_rows);
  settle_split(update, proposal);
}

// Takes a node's split, and the ghosts before it, out of the counts.
void uncount(TreeUpdate& update, std::int32_t k) {
  const Tree& tree = update.assigned.tree;
  SplitCounts& counts = update.state.splitting->counts();
  counts.remove(tree.node(k).rule.variable);
  counts.remove_ghosts(tree.exhaustion(k).ghosts);
}

void apply_change(TreeUpdate& update, Proposal& proposal) {
  auto& [tree, ids] = update.assigned;
  const Kernels& kernels = update.model.kernels;
  Node& node = tree.node(proposal.node);
  const LeafId left = tree.node(node.left).leaf, right = tree.node(node.right).leaf;
  kernels.merge_rows(ids.data(), ids.size(), right, left, right);
  const auto& [column, cutpoint] = proposal.bound.comparison();
  kernels.split_rows(ids.data(), ids.size(), left, right, column, cutpoint);
  uncount(update, proposal.node);
  node.rule = proposal.rule;
  node.n_choices = 0;
  settle_split(update, proposal);
}

void apply_death(TreeUpdate& update, const Proposal& proposal) {
  auto& [tree, ids] = update.assigned;
  uncount(update, proposal.node);
  const Tree::Merge merge = tree.prune(proposal.node);
  const auto join = [&](std::vector<double>& by_leaf) {
    by_leaf[merge.to] += by_leaf[merge.from];
    by_leaf[merge.from] = by_leaf[merge.last];
  };
  join(update.sums.sum);
  if (update.sums.weighted) join(update.sums.weight);
  update.model.kernels.merge_rows(ids.data(), ids.size(), merge.from, merge.to, merge.last);
}

}  // namespace

// A stump can only grow; elsewhere the moves have their set probabilities. Swap needs an internal
// node below another and turns into change without one: neither alters the shape of the tree, so
// the reverse move is chosen with the same probability.
void propose(TreeUpdate& update, Proposal& proposal) {
  const Tree& tree = update.assigned.tree;
  const auto& moves = update.model.settings.moves;
  Rng& rng = update.state.rng;
  proposal.reset();
  if (!tree.is_stump()) {
    double u = rng.uniform();
    std::size_t kind = 0;
    while (kind + 1 < n_moves && u >= moves[kind]) u -= moves[kind++];
    proposal.kind = static_cast<Move>(kind);
    if (proposal.kind == Move::swap && tree.n_splits() < 2) proposal.kind = Move::change;
  }
  switch (proposal.kind) {
    case Move::birth:
      propose_birth(update, proposal);
      break;
    case Move::death:
      proposal.node = draw_node(tree, is_nog, tree.n_nog(), rng);
      break;
    case Move::change:
      propose_change(update, proposal);
      break;
    case Move::swap:
      proposal.child = draw_node(tree, is_internal_child, tree.n_splits() - 1, rng);
      proposal.node = tree.node(proposal.child).parent;
      proposal.deep = true;
      break;
    case Move::perturb:
      propose_perturb(update, proposal);
      break;
  }
}

void evaluate(TreeUpdate& update, Proposal& proposal) {
  if (!proposal.possible) return;
  if (proposal.deep)
    evaluate_deep(update, proposal);
  else if (proposal.kind == Move::death)
    evaluate_death(update, proposal);
  else
    evaluate_split(update, proposal);
}

void apply(TreeUpdate& update, Proposal& proposal) {
  if (proposal.deep)
    apply_deep(update, proposal);
  else if (proposal.kind == Move::birth)
    apply_birth(update, proposal);
  else if (proposal.kind == Move::death)
    apply_death(update, proposal);
  else
    apply_change(update, proposal);
}

double log_birth_ratio(const TreeUpdate& update, const NodeStats& left, const NodeStats& right,
                       const BirthContext& context) {
  const TreePrior& prior = update.model.tree_prior;
  const auto& moves = update.model.settings.moves;
  const double p = prior.split_probability(context.depth);
  const double stay = 1.0 - prior.split_probability(context.depth + 1);
  const double birth = context.leaves_before == 1 ? 1.0 : moves[0];
  double factor = p * moves[1] * static_cast<double>(context.leaves_before) /
                  ((1.0 - p) * birth * static_cast<double>(context.nogs_after));
  if (left.splittable) factor *= stay;
  if (right.splittable) factor *= stay;
  return update.state.leaves->log_split_ratio(left, right, update.state.noise_variance(), factor);
}

double clipped_exp(double log_ratio) { return fixed_math::exp(std::clamp(log_ratio, -690.0, 0.0)); }

}  // namespace bayesvc
