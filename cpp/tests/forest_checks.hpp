// Settings and data for whole chains, and everything that must hold between two sweeps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../forest.hpp"
#include "brute_force.hpp"
#include "check.hpp"

namespace forest_checks {

using bayesvc::AssignedTree;
using bayesvc::Columns;
using bayesvc::Forest;
using bayesvc::ForestSettings;
using bayesvc::LeafId;
using bayesvc::Node;
using bayesvc::Rng;
using brute_force::Matrix;
using brute_force::Rows;

enum class Kind { untied, binary, mixed, messy };

// Missing values, categories, and a group of both with a complete column.
inline Matrix messy_matrix(std::size_t n) {
  Rng rng = brute_force::rng_of(64);
  Matrix m{n};
  m.add_untied(rng);
  m.lose_some(rng, 4);
  m.add_categories(rng, 5);
  m.add_untied(rng);
  m.add_tied(rng, 3);
  m.lose_some(rng, 3);
  m.add_categories(rng, 2);
  m.add_untied(rng);
  m.lose_some(rng, 2);
  m.add_categories(rng, 4);
  m.add_tied(rng, 2);
  m.group({3, 5, 6, 7});
  return m;
}

inline Matrix matrix_of(Kind kind, std::size_t n) {
  if (kind == Kind::messy) return messy_matrix(n);
  Rng rng = brute_force::rng_of(60 + static_cast<std::uint64_t>(kind));
  Matrix m{n};
  for (int k = 0; k < 3; ++k) {
    if (kind != Kind::binary) m.add_untied(rng);
    if (kind != Kind::untied) m.add_tied(rng, 2);
    if (kind != Kind::untied) m.add_tied(rng, kind == Kind::binary ? 2 : 5);
  }
  if (kind == Kind::mixed) m.add_tied(rng, 40);
  if (kind != Kind::untied) m.add_indicator(n);  // constant
  return m;
}

inline std::vector<double> response(const Matrix& m, bool binary) {
  Rng rng = brute_force::rng_of(70);
  std::vector<double> y;
  for (std::size_t i = 0; i < m.n; ++i) {
    const double first = std::isnan(m.at(i, 0)) ? 1.0 : m.at(i, 0);
    const double f = 0.3 * std::tanh(first) - 0.2 * std::tanh(m.at(i, 1) * m.at(i, 2));
    y.push_back(binary ? f + 0.2 * rng.normal() > 0 : f + 0.05 * rng.normal());
  }
  return y;
}

// Trees that like to grow.
inline ForestSettings bushy(const Columns& columns) {
  ForestSettings settings;
  settings.n_trees = 5;
  settings.gamma = 0.99;
  settings.beta = 0.1;
  settings.moves = {0.25, 0.25, 0.25, 0.1, 0.15};
  settings.leaf_sd = 0.15;
  settings.lambda = 0.01;
  settings.weights.assign(columns.p(), 1.0);
  settings.dirichlet.rho = static_cast<double>(columns.p());
  return settings;
}

// Sends the rows down by the rules, checks every node on the way.
inline void check_subtree(const Forest& forest, const AssignedTree& assigned, std::int32_t k,
                          const Rows& rows) {
  const Node& node = assigned.tree.node(k);
  const Columns& columns = forest.columns();
  const auto& weights = forest.settings().weights;
  const std::uint32_t min_rows = forest.settings().min_samples_leaf;
  CHECK(node.n_rows == rows.size());
  if (node.is_leaf()) {
    CHECK(brute_force::rows_with(assigned.ids, node.leaf, node.leaf) == rows);
    CHECK(rows.size() >= min_rows);
    CHECK(node.splittable == brute_force::splittable(columns, rows, weights, min_rows));
    return;
  }
  const auto rules = brute_force::rules(columns, rows, node.rule.variable, min_rows);
  CHECK(std::any_of(rules.begin(), rules.end(),
                    [&](const auto& entry) { return entry.first == node.rule; }));
  CHECK(weights[node.rule.variable] > 0);
  CHECK(node.birth_ratio > 0 && node.birth_ratio <= 1);
  const auto& exhaustion = assigned.tree.exhaustion(k);
  for (const bayesvc::Ghost& ghost : exhaustion.ghosts) {
    CHECK(forest.settings().splitting == "collapsed" && ghost.count.value() >= 1);
    CHECK(!brute_force::eligible(columns, rows, ghost.variable, min_rows));
  }
  if (exhaustion.ineligible_known) {
    for (std::uint32_t j = 0; j < columns.p(); ++j) {
      Rows all(columns.n());
      std::iota(all.begin(), all.end(), std::size_t{0});
      const bool gone = weights[j] > 0 && brute_force::eligible(columns, all, j, min_rows) &&
                        !brute_force::eligible(columns, rows, j, min_rows);
      CHECK(gone ==
            std::binary_search(exhaustion.ineligible.begin(), exhaustion.ineligible.end(), j));
    }
  }
  Rows left, right;
  for (const std::size_t i : rows)
    (brute_force::goes_left(columns, node.rule, i) ? left : right).push_back(i);
  check_subtree(forest, assigned, node.left, left);
  check_subtree(forest, assigned, node.right, right);
}

inline double value_by_rules(const Forest& forest, const AssignedTree& assigned, std::size_t row) {
  const bayesvc::Tree& tree = assigned.tree;
  std::int32_t k = 0;
  while (!tree.node(k).is_leaf()) {
    const bool left = brute_force::goes_left(forest.columns(), tree.node(k).rule, row);
    k = left ? tree.node(k).left : tree.node(k).right;
  }
  return tree.mu[tree.node(k).leaf];
}

inline void check_forest(const Forest& forest) {
  Rows all(forest.n());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::uint32_t> counts(forest.p(), 0);
  std::vector<double> fitted(forest.n(), 0.0);
  std::uint32_t n_splits = 0;
  for (const AssignedTree& assigned : forest.trees()) {
    check_subtree(forest, assigned, 0, all);
    for (const std::size_t i : all) fitted[i] += value_by_rules(forest, assigned, i);
    for (const Node& node : assigned.tree.nodes()) {
      if (node.is_leaf()) continue;
      ++counts[node.rule.variable];
      ++n_splits;
    }
  }
  for (const std::size_t i : all) CHECK(forest.fitted(i) == fitted[i]);
  CHECK(forest.splitting().counts().n_splits() == n_splits);
  std::size_t n_used = 0;
  const auto& used = forest.splitting().counts().used();
  for (std::uint32_t j = 0; j < forest.p(); ++j) {
    CHECK(forest.splitting().counts().count(j) == counts[j]);
    const bool listed = std::find(used.begin(), used.end(), j) != used.end();
    if (counts[j] > 0) CHECK(listed);
    n_used += listed;
  }
  CHECK(n_used == used.size());  // none twice
}

inline bool same_trees(const Forest& a, const Forest& b) {
  for (std::size_t t = 0; t < a.trees().size(); ++t)
    if (bayesvc::listed(a.trees()[t].tree) != bayesvc::listed(b.trees()[t].tree)) return false;
  return true;
}

}  // namespace forest_checks
