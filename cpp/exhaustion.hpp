// What internal nodes keep about exhausted variables: the ineligible ones, and ghosts.
#pragma once

#include "forest_state.hpp"

namespace bayesvc {

// The ineligible variables of an internal node, found when first asked for. They are the node's.
const std::vector<std::uint32_t>& ineligible_in(const ForestModel& model, AssignedTree& assigned,
                                                std::int32_t k, NodeRows& rows);

// Draws the ghosts of every internal node given all else. They do not depend on which of the
// eligible variables ended the sequence.
void refresh_ghosts(const ForestModel& model, ForestState& state, AssignedTree& assigned,
                    Scratch& scratch);

}  // namespace bayesvc
