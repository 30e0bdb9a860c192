// One sweep of Bayesian backfitting over all trees, and then over all parameters beside them.
#pragma once

#include <vector>

#include "forest_state.hpp"
#include "listed_tree.hpp"

namespace bayesvc {

struct ProposalRecord {
  Move kind = Move::birth;
  std::size_t tree = 0;
  std::int32_t node = 0, child = -1;  // positions in preorder
  Rule rule{};
  ListedTree before;
  double sigma = 0, log_ratio = 0, birth_ratio = 0;
  bool accepted = false;
};

// Keeps what was proposed while it is on.
struct ProposalRecorder {
  bool on = false;
  std::vector<ProposalRecord> records;

  void keep(const ForestState& state, std::size_t t, const Proposal& proposal, bool accepted);
};

void sweep(const ForestModel& model, ForestState& state, Scratch& scratch, MoveCounts& counts,
           ProposalRecorder& recorder);

}  // namespace bayesvc
