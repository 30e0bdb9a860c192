// Perturb: the cutpoint of a split moves to another one nearby.
#include <algorithm>
#include <cmath>

#include "moves.hpp"

namespace bayesvc {
namespace {

// A window spans a half, a quarter and so on, down to a 64th, of the codes that the rules above let
// through, and some two values of the node at least: small steps are accepted, large ones lead far.
constexpr std::uint32_t n_widths = 6;
constexpr double least_values = 2;

std::uint32_t draw_width(CodeRange range, std::uint32_t n_rows, Rng& rng) {
  const double fraction = std::ldexp(0.5, -static_cast<int>(rng.below(n_widths)));
  const double wide_enough = std::min(1.0, std::max(fraction, least_values / n_rows));
  return std::max(1u, static_cast<std::uint32_t>(wide_enough * (range.high - range.low)));
}

// The codes that the rules above node k let through.
CodeRange codes_from_above(const Tree& tree, std::int32_t k, std::uint32_t n_codes) {
  CodeRange range{0, n_codes - 1};
  const std::uint32_t coding = tree.node(k).rule.coding;
  for (; tree.node(k).parent >= 0; k = tree.node(k).parent) {
    const Node& above = tree.node(tree.node(k).parent);
    if (above.rule.coding != coding) continue;
    const auto cutpoint = static_cast<std::uint32_t>(above.rule.cutpoint);
    if (above.left == k)
      range.high = std::min(range.high, cutpoint);
    else
      range.low = std::max(range.low, cutpoint + 1);
  }
  return range;
}

// The cutpoints among them that leave rows on both sides of the rules below.
CodeRange between_rules_below(const Tree& tree, std::int32_t k, CodeRange range) {
  const Node& top = tree.node(k);
  const auto each_cutpoint = [&](std::int32_t child, auto&& narrow) {
    tree.preorder(child, [&](std::int32_t below) {
      const Node& node = tree.node(below);
      if (!node.is_leaf() && node.rule.coding == top.rule.coding)
        narrow(static_cast<std::uint32_t>(node.rule.cutpoint));
    });
  };
  each_cutpoint(top.left, [&](std::uint32_t left) { range.low = std::max(range.low, left + 1); });
  each_cutpoint(top.right,
                [&](std::uint32_t right) { range.high = std::min(range.high, right - 1); });
  return range;
}

}  // namespace

void perturb_cutpoint(TreeUpdate& update, Proposal& proposal) {
  const auto& [columns, settings, kernels, eligibility, tree_prior] = update.model;
  const Tree& tree = update.assigned.tree;
  const Node& node = tree.node(proposal.node);
  CodeRange range;
  std::uint32_t width = 0;
  if (!columns.categorical(node.rule.coding)) {
    range = codes_from_above(tree, proposal.node, columns.n_distinct(node.rule.coding));
    width = draw_width(range, node.n_rows, update.state.rng);
    range = between_rules_below(tree, proposal.node, range);
  }
  proposal.rule = node.rule;
  eligibility.draw_near(proposal.rows.set(), proposal.rule, range, width, update.state.rng);
  proposal.possible = proposal.rule != node.rule;
  proposal.bound.bind(proposal.rule, columns);
}

}  // namespace bayesvc
