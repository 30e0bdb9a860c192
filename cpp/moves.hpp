// Birth, death, change, swap and perturb: what is proposed, its ratio, its effect.
#pragma once

#include "forest_state.hpp"

namespace bayesvc {

// One tree at work: its leaves' sums are those of the residuals without it.
struct TreeUpdate {
  const ForestModel& model;
  ForestState& state;
  Scratch& scratch;
  AssignedTree& assigned;
  LeafSums& sums;
};

// Draws a move, and a rule where it needs one. The sums need not be there yet.
void propose(TreeUpdate& update, Proposal& proposal);
// Fills in the ratio; leaves it at zero if the prior makes the proposal impossible. The sums must
// hold the side of the proposal's rule.
void evaluate(TreeUpdate& update, Proposal& proposal);
// Makes the proposed tree the current one, and brings split counts and sums up to date.
void apply(TreeUpdate& update, Proposal& proposal);

// Change above other splits, and swap (deep_moves.cpp).
void evaluate_deep(TreeUpdate& update, Proposal& proposal);
void apply_deep(TreeUpdate& update, Proposal& proposal);

// A cutpoint near that of the proposal's node (perturb.cpp); not possible if it is the same.
void perturb_cutpoint(TreeUpdate& update, Proposal& proposal);

// A birth at a node: the tree without it, and with it.
struct BirthContext {
  unsigned depth;
  std::size_t leaves_before;
  std::size_t nogs_after;
};

// Likelihood x tree prior x proposal; the rule is proposed from its prior, so it cancels.
double log_birth_ratio(const TreeUpdate& update, const NodeStats& left, const NodeStats& right,
                       const BirthContext& context);
double clipped_exp(double log_ratio);  // min(1, ratio), and above zero

}  // namespace bayesvc
