// A tree as a list of its nodes in preorder, to take trees out of a chain and to put them in.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "forest_state.hpp"

namespace bayesvc {

// The variable of a leaf in a list; the number beside it is its value.
inline constexpr std::uint32_t no_variable = 0xffffffff;
using ListedTree = std::vector<std::pair<Rule, double>>;

ListedTree listed(const Tree& tree);

// The tree with this list, its rows assigned. Throws std::invalid_argument if a rule is not one
// that the prior could give.
AssignedTree tree_from_list(const ForestModel& model, const Residual& residual,
                            const ListedTree& nodes);

}  // namespace bayesvc
