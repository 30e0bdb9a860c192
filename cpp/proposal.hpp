// A proposed move on one tree, with all that its evaluation and its application need.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "forest_settings.hpp"
#include "node_stats.hpp"
#include "row_views.hpp"

namespace bayesvc {

struct Proposal {
  Move kind = Move::birth;
  std::int32_t node = -1, child = -1;
  bool possible = true;
  bool deep = false;  // a new rule above other splits, or swap

  // Birth, change and perturb: the rows of the node, the rule for it, and the ghosts the rule came
  // with.
  NodeRows rows;
  Rule rule{};
  BoundRule bound;
  std::vector<Ghost> ghosts;

  // Birth, and a new rule above two leaves: the two sides of the rule.
  NodeStats left, right;

  // Deep moves: the tree with the rows routed anew, and the sums of its leaves.
  std::optional<AssignedTree> rerouted;
  LeafSums rerouted_sums;

  double log_ratio = -std::numeric_limits<double>::infinity();
  double log_birth = 0;  // log ratio of the birth of the rule (the top one of a deep move)

  // Ready for another proposal; memory is kept.
  void reset() {
    kind = Move::birth;
    node = child = -1;
    possible = true;
    deep = false;
    rule = {};
    ghosts.clear();
    log_ratio = -std::numeric_limits<double>::infinity();
    log_birth = 0;
  }
};

}  // namespace bayesvc
