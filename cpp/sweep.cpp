#include "sweep.hpp"

#include <utility>

#include "exhaustion.hpp"
#include "fixed_math.hpp"
#include "moves.hpp"

namespace bayesvc {
namespace {

// Rounding in the running residuals is wiped out this often.
constexpr std::uint64_t refresh_interval = 128;

std::int32_t preorder_position(const Tree& tree, std::int32_t wanted) {
  std::int32_t position = 0, found = -1;
  tree.preorder(0, [&](std::int32_t k) {
    if (k == wanted) found = position;
    ++position;
  });
  return found;
}

void draw_leaf_values(ForestState& state, Tree& tree, const LeafSums& sums) {
  state.leaves->draw_all(tree, sums, state.noise_variance(), state.rng);
  for (double& value : tree.mu) value = state.residual->rounded(value);
}

// One Metropolis-Hastings move on tree t, then its leaf values. The values of the tree before it
// are still in the residuals.
void update_tree(const ForestModel& model, ForestState& state, Scratch& scratch, MoveCounts& counts,
                 ProposalRecorder& recorder, std::size_t t) {
  AssignedTree& assigned = state.trees[t];
  TreeUpdate update{model, state, scratch, assigned, scratch.sums};
  Proposal& proposal = scratch.proposal;
  if (state.splitting->abilities().draws_ghosts && model.eligibility.exhausts())
    refresh_ghosts(model, state, assigned, scratch);
  propose(update, proposal);
  Candidate candidate;
  if (proposal.possible && !proposal.deep && proposal.kind != Move::death) {
    const RowSet& rows = proposal.rows.set();
    candidate = {&proposal.bound.comparison(), rows.first, rows.second};
  }
  state.residual->advance(t > 0 ? &state.trees[t - 1] : nullptr, assigned, candidate, update.sums);
  evaluate(update, proposal);
  const auto kind = static_cast<std::size_t>(proposal.kind);
  ++counts.proposed[kind];
  const bool accept =
      proposal.log_ratio >= 0 || state.rng.uniform() < fixed_math::exp(proposal.log_ratio);
  if (recorder.on) recorder.keep(state, t, proposal, accept);
  if (accept) {
    ++counts.accepted[kind];
    apply(update, proposal);
  }
  draw_leaf_values(state, assigned.tree, update.sums);
}

void update_splitting(const ForestModel& model, ForestState& state, Scratch& scratch) {
  std::vector<const std::vector<std::uint32_t>*> restricted;
  if (state.splitting->abilities().needs_ineligible) {
    for (AssignedTree& assigned : state.trees) {
      for (std::int32_t k = 0; k < assigned.tree.size(); ++k) {
        if (assigned.tree.node(k).is_leaf()) continue;
        const auto& ineligible = ineligible_in(model, assigned, k, scratch.rows);
        if (!ineligible.empty()) restricted.push_back(&ineligible);
      }
    }
  }
  state.splitting->update(state.rng, restricted);
}

}  // namespace

void sweep(const ForestModel& model, ForestState& state, Scratch& scratch, MoveCounts& counts,
           ProposalRecorder& recorder) {
  for (std::size_t t = 0; t < state.trees.size(); ++t)
    update_tree(model, state, scratch, counts, recorder, t);
  const double sum_of_squares = state.residual->finish(state.trees.back());
  update_splitting(model, state, scratch);
  state.leaves->update(state.trees, state.rng);
  state.response->update(sum_of_squares, state.rng);
  if (const auto due = state.response->due(); due.any()) state.redraw_response(due);
  if (++state.n_sweeps % refresh_interval == 0) state.refresh_residual();
}

void ProposalRecorder::keep(const ForestState& state, std::size_t t, const Proposal& proposal,
                            bool accepted) {
  const Tree& tree = state.trees[t].tree;
  ProposalRecord record;
  record.kind = proposal.kind;
  record.tree = t;
  record.node = preorder_position(tree, proposal.node);
  record.child = proposal.child < 0 ? -1 : preorder_position(tree, proposal.child);
  record.rule = proposal.rule;
  record.before = listed(tree);
  record.sigma = state.response->sigma();
  record.log_ratio = proposal.log_ratio;
  record.birth_ratio = clipped_exp(proposal.log_birth);
  record.accepted = accepted;
  records.push_back(std::move(record));
}

}  // namespace bayesvc
