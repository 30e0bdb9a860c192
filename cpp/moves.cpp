// Birth, death, and change where both children are leaves: what is proposed, its ratio, its effect.
#include <cmath>

#include "fixed_math.hpp"
#include "forest.hpp"

namespace bayesvc {
namespace {

bool is_nog(const Tree& tree, std::int32_t k) { return tree.is_nog(k); }
bool is_internal(const Tree& tree, std::int32_t k) { return !tree.node(k).is_leaf(); }
bool is_internal_child(const Tree& tree, std::int32_t k) {
  return !tree.node(k).is_leaf() && tree.node(k).parent >= 0;
}

}  // namespace

std::int32_t Forest::nth_node(const Tree& tree, bool (*wanted)(const Tree&, std::int32_t),
                              std::uint32_t n) const {
  std::int32_t k = 0;
  for (;; ++k)
    if (wanted(tree, k) && n-- == 0) return k;
}

// A stump can only grow; elsewhere the moves have their set probabilities. Swap needs an internal
// node below another and turns into change without one: neither alters the shape of the tree, so
// the reverse move is chosen with the same probability.
Forest::Proposal Forest::propose(AssignedTree& assigned) {
  const Tree& tree = assigned.tree;
  Proposal proposal;
  if (!tree.is_stump()) {
    double u = rng_.uniform();
    std::size_t kind = 0;
    while (kind + 1 < n_moves && u >= settings_.moves[kind]) u -= settings_.moves[kind++];
    proposal.kind = static_cast<Move>(kind);
    if (proposal.kind == Move::swap && tree.n_splits() < 2) proposal.kind = Move::change;
  }
  switch (proposal.kind) {
    case Move::birth:
      propose_birth(assigned, proposal);
      break;
    case Move::death:
      proposal.node = nth_node(tree, is_nog, rng_.below(static_cast<std::uint32_t>(tree.n_nog())));
      break;
    case Move::change:
      propose_change(assigned, proposal);
      break;
    case Move::swap:
      proposal.child = nth_node(tree, is_internal_child,
                                rng_.below(static_cast<std::uint32_t>(tree.n_splits() - 1)));
      proposal.node = tree.node(proposal.child).parent;
      proposal.deep = true;
      break;
  }
  return proposal;
}

void Forest::propose_birth(AssignedTree& assigned, Proposal& proposal) {
  const Tree& tree = assigned.tree;
  const auto leaf = static_cast<LeafId>(rng_.below(static_cast<std::uint32_t>(tree.n_leaves())));
  proposal.node = tree.leaf_node(leaf);
  proposal.possible =
      tree.node(proposal.node).splittable && tree.n_leaves() < std::numeric_limits<LeafId>::max();
  if (!proposal.possible) return;
  proposal.rows = rows_of(assigned, proposal.node);
  draw_rule(proposal);
}

void Forest::propose_change(AssignedTree& assigned, Proposal& proposal) {
  Tree& tree = assigned.tree;
  proposal.node =
      nth_node(tree, is_internal, rng_.below(static_cast<std::uint32_t>(tree.n_splits())));
  proposal.deep = !tree.is_nog(proposal.node);
  proposal.rows = rows_of(assigned, proposal.node);
  // The urn from which the new rule comes must not hold the old one.
  const std::uint32_t old_variable = tree.node(proposal.node).rule.variable;
  const std::vector<Ghost>& old_ghosts = tree.exhaustion(proposal.node).ghosts;
  splitting_->counts().remove(old_variable);
  splitting_->counts().remove_ghosts(old_ghosts);
  draw_rule(proposal);
  splitting_->counts().add(old_variable);
  splitting_->counts().add_ghosts(old_ghosts);
  if (proposal.deep) make_admissible(proposal);
}

void Forest::draw_rule(Proposal& proposal) {
  const std::uint32_t variable = splitting_->draw(proposal.rows, rng_, ghosts_);
  proposal.rule = eligibility_.draw(proposal.rows, variable, rng_);
}

// Good until the next one on categories.
Comparison Forest::comparison(const Rule& rule) {
  if (!columns_.categorical(rule.coding))
    return {columns_.view(rule.coding), static_cast<std::uint32_t>(rule.cutpoint)};
  const auto* categories = static_cast<const std::uint8_t*>(columns_.view(rule.coding).codes);
  sides_of_rows_.resize(n());
  for (std::size_t i = 0; i < n(); ++i)
    sides_of_rows_[i] = static_cast<std::uint8_t>(~(rule.cutpoint >> categories[i]) & 1);
  return {{sides_of_rows_.data(), CodeWidth::bits8}, 0};
}

// The cutpoint may have been the node's largest value. (Above two leaves the evaluation sees to
// that.)
void Forest::make_admissible(Proposal& proposal) {
  const RowSet& rows = proposal.rows;
  const auto n_left = [&]() -> std::uint32_t {
    if (rows.size == n() && eligibility_.untied(proposal.rule))
      return static_cast<std::uint32_t>(proposal.rule.cutpoint) + 1;
    const Comparison rule = comparison(proposal.rule);
    return kernels_.count_left(n(), rows, rule.column, rule.cutpoint);
  };
  while (!eligibility_.admissible(n_left(), rows.size))
    eligibility_.draw_cutpoint(rows, proposal.rule, rng_);
}

void Forest::evaluate(AssignedTree& assigned, Proposal& proposal) {
  if (!proposal.possible) return;
  if (proposal.deep)
    evaluate_deep(assigned, proposal);
  else if (proposal.kind == Move::death)
    evaluate_death(assigned, proposal);
  else
    evaluate_split(assigned, proposal);
}

// Birth, or change of a node with two leaves. `sums_` holds the candidate's side.
void Forest::evaluate_split(AssignedTree& assigned, Proposal& proposal) {
  const Tree& tree = assigned.tree;
  const Node& node = tree.node(proposal.node);
  const RowSet& rows = proposal.rows;
  while (!eligibility_.admissible(sums_.left_count, rows.size)) {  // the largest value was drawn
    eligibility_.draw_cutpoint(rows, proposal.rule, rng_);
    residual_->sums(assigned.ids.data(), tree.n_leaves(),
                    {comparison(proposal.rule), rows.first, rows.second}, sums_);
  }
  const auto total = [&](const std::vector<double>& by_leaf) {
    return by_leaf[rows.first] + (rows.second != rows.first ? by_leaf[rows.second] : 0.0);
  };
  const std::uint32_t n_right = rows.size - sums_.left_count;
  NodeStats left{sums_.left_sum, 1.0 * sums_.left_count, sums_.left_count, true};
  NodeStats right{total(sums_.sum) - sums_.left_sum, 1.0 * n_right, n_right, true};
  if (weighted()) {
    left.weight = sums_.left_weight;
    right.weight = total(sums_.weight) - sums_.left_weight;
  }
  sides_splittable(rows, proposal.rule, left, right);
  if (proposal.kind == Move::birth) {
    const bool parent_was_nog = node.parent >= 0 && tree.is_nog(node.parent);
    const Context context{node.depth, tree.n_leaves(), tree.n_nog() + (parent_was_nog ? 0u : 1u)};
    proposal.log_ratio = log_birth_ratio(left, right, context);
    proposal.birth_ratio = clipped_exp(proposal.log_ratio);
  } else {
    const Context context{node.depth, tree.n_leaves() - 1, tree.n_nog()};
    const double new_log_birth = log_birth_ratio(left, right, context);
    proposal.log_ratio =
        new_log_birth - log_birth_ratio(leaf_stats(tree.node(node.left), sums_),
                                        leaf_stats(tree.node(node.right), sums_), context);
    proposal.birth_ratio = clipped_exp(new_log_birth);
  }
  sides_ = {left, right};
}

void Forest::evaluate_death(const AssignedTree& assigned, Proposal& proposal) {
  const Tree& tree = assigned.tree;
  const Node& node = tree.node(proposal.node);
  proposal.log_ratio = -log_birth_ratio(leaf_stats(tree.node(node.left), sums_),
                                        leaf_stats(tree.node(node.right), sums_),
                                        {node.depth, tree.n_leaves() - 1, tree.n_nog()});
}

// Where the number of rows does not tell, looks at the rows on either side of the candidate.
void Forest::sides_splittable(const RowSet& rows, const Rule& rule, NodeStats& left,
                              NodeStats& right) {
  const auto unclear = [this](const NodeStats& stats) {
    return !eligibility_.surely_splittable(stats.n_rows) &&
           !eligibility_.surely_unsplittable(stats.n_rows);
  };
  left.splittable = !eligibility_.surely_unsplittable(left.n_rows);
  right.splittable = !eligibility_.surely_unsplittable(right.n_rows);
  if (!unclear(left) && !unclear(right)) return;
  side_marks_.resize(n());
  const auto [column, cutpoint] = comparison(rule);
  kernels_.mark_sides(side_marks_.data(), n(), rows, column, cutpoint);
  if (unclear(left))
    left.splittable = eligibility_.splittable({side_marks_.data(), 1, 1, left.n_rows});
  if (unclear(right))
    right.splittable = eligibility_.splittable({side_marks_.data(), 2, 2, right.n_rows});
}

void Forest::apply(AssignedTree& assigned, Proposal& proposal) {
  if (proposal.deep)
    apply_deep(assigned, proposal);
  else if (proposal.kind == Move::birth)
    apply_birth(assigned, proposal);
  else if (proposal.kind == Move::death)
    apply_death(assigned, proposal);
  else
    apply_change(assigned, proposal);
}

void Forest::apply_birth(AssignedTree& assigned, const Proposal& proposal) {
  Tree& tree = assigned.tree;
  const LeafId from = tree.node(proposal.node).leaf;
  const auto to = static_cast<LeafId>(tree.n_leaves());
  const auto [column, cutpoint] = comparison(proposal.rule);
  kernels_.split_rows(assigned.ids.data(), n(), from, to, column, cutpoint);
  tree.grow(proposal.node, proposal.rule, sides_.left.n_rows, sides_.right.n_rows);
  settle_split(assigned, proposal);
}

void Forest::apply_change(AssignedTree& assigned, const Proposal& proposal) {
  Tree& tree = assigned.tree;
  Node& node = tree.node(proposal.node);
  const LeafId left = tree.node(node.left).leaf, right = tree.node(node.right).leaf;
  kernels_.merge_rows(assigned.ids.data(), n(), right, left, right);
  const auto [column, cutpoint] = comparison(proposal.rule);
  kernels_.split_rows(assigned.ids.data(), n(), left, right, column, cutpoint);
  splitting_->counts().remove(node.rule.variable);
  splitting_->counts().remove_ghosts(tree.exhaustion(proposal.node).ghosts);
  node.rule = proposal.rule;
  node.n_choices = 0;
  settle_split(assigned, proposal);
}

// The bookkeeping that a new rule above two leaves brings with it.
void Forest::settle_split(AssignedTree& assigned, const Proposal& proposal) {
  Tree& tree = assigned.tree;
  Node& node = tree.node(proposal.node);
  node.birth_ratio = proposal.birth_ratio;
  if (sums_.sum.size() < tree.n_leaves()) sums_.sum.resize(tree.n_leaves());
  if (weighted() && sums_.weight.size() < tree.n_leaves()) sums_.weight.resize(tree.n_leaves());
  for (const auto& [k, stats] : {std::pair{node.left, sides_.left}, {node.right, sides_.right}}) {
    Node& leaf = tree.node(k);
    leaf.n_rows = stats.n_rows;
    leaf.splittable = stats.splittable;
    sums_.sum[leaf.leaf] = stats.sum;
    if (weighted()) sums_.weight[leaf.leaf] = stats.weight;
  }
  splitting_->counts().add(proposal.rule.variable);
  splitting_->counts().add_ghosts(ghosts_);
  tree.exhaustion(proposal.node).ghosts = ghosts_;
}

void Forest::apply_death(AssignedTree& assigned, const Proposal& proposal) {
  Tree& tree = assigned.tree;
  const Node& node = tree.node(proposal.node);
  splitting_->counts().remove(node.rule.variable);
  splitting_->counts().remove_ghosts(tree.exhaustion(proposal.node).ghosts);
  const Tree::Merge merge = tree.prune(proposal.node);
  for (std::vector<double>* sums : {&sums_.sum, &sums_.weight}) {
    if (sums->empty()) continue;  // no weights
    (*sums)[merge.to] += (*sums)[merge.from];
    (*sums)[merge.from] = (*sums)[merge.last];
  }
  kernels_.merge_rows(assigned.ids.data(), n(), merge.from, merge.to, merge.last);
}

}  // namespace bayesvc
