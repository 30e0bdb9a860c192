#include "listed_tree.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace bayesvc {
namespace {

// Splits on the way from the root to a leaf of a listed tree: as many calls are nested.
constexpr unsigned most_nested = 1000;

void check_rule(const ForestModel& model, const Rule& rule) {
  const Columns& columns = model.columns;
  const auto& variables = model.eligibility.variables();
  if (!std::binary_search(variables.begin(), variables.end(), rule.variable))
    throw std::invalid_argument("trees: a rule's variable cannot be split on");
  const auto members = columns.members(rule.variable);
  if (std::none_of(members.begin(), members.end(), [&](std::uint32_t coding) {
        return rule.coding >= coding && rule.coding < coding + columns.n_alike(coding);
      }))
    throw std::invalid_argument("trees: a rule's coding is not one of its variable");
  const std::uint32_t n_categories = columns.n_categories(rule.coding);
  if (n_categories > 0 ? n_categories < max_categories && rule.cutpoint >> n_categories != 0
                       : rule.cutpoint >= columns.n_distinct(rule.coding))
    throw std::invalid_argument("trees: a cutpoint is not among the codes of its node");
}

class Grower {
 public:
  Grower(const ForestModel& model, const Residual& residual, const ListedTree& nodes)
      : model_(model), residual_(residual), nodes_(nodes) {}

  // Grows the leaf k by what the list says of it and of all below it; returns where the list goes
  // on.
  std::size_t grow(AssignedTree& assigned, std::int32_t k, std::size_t next) {
    if (next >= nodes_.size()) throw std::invalid_argument("trees: a tree ends before its leaves");
    const auto [rule, mu] = nodes_[next++];
    Tree& tree = assigned.tree;
    if (rule.variable == no_variable) {
      tree.mu[tree.node(k).leaf] = residual_.rounded(mu);
      return next;
    }
    if (tree.n_leaves() == std::numeric_limits<LeafId>::max() || tree.node(k).depth >= most_nested)
      throw std::invalid_argument("trees: a tree has too many leaves, or too many splits in a row");
    split(assigned, k, rule);
    const std::int32_t left = tree.node(k).left, right = tree.node(k).right;
    return grow(assigned, right, grow(assigned, left, next));
  }

 private:
  void split(AssignedTree& assigned, std::int32_t k, const Rule& rule) {
    auto& [tree, ids] = assigned;
    const Kernels& kernels = model_.kernels;
    const RowSet rows = rows_.find(assigned, k, kernels);
    check_rule(model_, rule);
    const auto& [column, cutpoint] = rule_.bind(rule, model_.columns);
    if (kernels.count_code(ids.size(), rows, column, cutpoint) == 0)
      throw std::invalid_argument("trees: a cutpoint is not among the codes of its node");
    const std::uint32_t n_left = kernels.count_left(ids.size(), rows, column, cutpoint);
    if (!model_.eligibility.admissible(n_left, rows.size))
      throw std::invalid_argument("trees: a split leaves too few rows on one side");
    const auto new_leaf = static_cast<LeafId>(tree.n_leaves());
    kernels.split_rows(ids.data(), ids.size(), rows.first, new_leaf, column, cutpoint);
    tree.grow(k, rule, n_left, rows.size - n_left);
    for (const std::int32_t side : {tree.node(k).left, tree.node(k).right})
      tree.node(side).splittable =
          model_.eligibility.splittable(rows_.find(assigned, side, kernels));
  }

  const ForestModel& model_;
  const Residual& residual_;
  const ListedTree& nodes_;
  NodeRows rows_;
  BoundRule rule_;
};

}  // namespace

ListedTree listed(const Tree& tree) {
  ListedTree nodes;
  tree.preorder(0, [&](std::int32_t k) {
    const Node& node = tree.node(k);
    if (node.is_leaf())
      nodes.push_back({Rule{no_variable}, tree.mu[node.leaf]});
    else
      nodes.push_back({node.rule, 0.0});
  });
  return nodes;
}

AssignedTree tree_from_list(const ForestModel& model, const Residual& residual,
                            const ListedTree& nodes) {
  const std::size_t n = model.columns.n();
  AssignedTree grown{Tree(static_cast<std::uint32_t>(n), !model.eligibility.variables().empty()),
                     AlignedVector<LeafId>(n, 0)};
  if (Grower(model, residual, nodes).grow(grown, 0, 0) != nodes.size())
    throw std::invalid_argument("trees: a tree goes on after its leaves");
  return grown;
}

}  // namespace bayesvc
