#include "exhaustion.hpp"

namespace bayesvc {

const std::vector<std::uint32_t>& ineligible_in(const ForestModel& model, AssignedTree& assigned,
                                                std::int32_t k, NodeRows& rows) {
  Exhaustion& exhaustion = assigned.tree.exhaustion(k);
  if (!exhaustion.ineligible_known && model.eligibility.may_exhaust(assigned.tree.node(k).n_rows))
    exhaustion.ineligible = model.eligibility.ineligible(rows.find(assigned, k, model.kernels));
  exhaustion.ineligible_known = true;
  return exhaustion.ineligible;
}

void refresh_ghosts(const ForestModel& model, ForestState& state, AssignedTree& assigned,
                    Scratch& scratch) {
  Tree& tree = assigned.tree;
  SplitCounts& counts = state.splitting->counts();
  for (std::int32_t k = 0; k < tree.size(); ++k) {
    const Node& node = tree.node(k);
    if (node.is_leaf() || !model.eligibility.may_exhaust(node.n_rows)) continue;
    std::vector<Ghost>& ghosts = tree.exhaustion(k).ghosts;
    counts.remove(node.rule.variable);
    counts.remove_ghosts(ghosts);
    state.splitting->draw(scratch.rows.find(assigned, k, model.kernels), state.rng, ghosts);
    counts.add(node.rule.variable);
    counts.add_ghosts(ghosts);
  }
}

}  // namespace bayesvc
