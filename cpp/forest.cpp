#include "forest.hpp"

namespace bayesvc {

Forest::Forest(const Columns& columns, const double* y, const ForestSettings& settings,
               const std::array<std::uint64_t, 4>& seed)
    : Forest(columns, y, settings, seed, make_response_model(settings)) {}

Forest::Forest(const Columns& columns, const double* y, const ForestSettings& settings,
               const std::array<std::uint64_t, 4>& seed, std::unique_ptr<ResponseModel> response)
    : model_(columns, settings), state_(model_, std::move(response), seed) {
  state_.observe(y);
}

void Forest::set_learning_response(bool on) {
  state_.response->set_learning(on);
  state_.residual->set_precisions(state_.response->precisions());
}

double Forest::fitted(std::size_t row) const {
  double sum = 0;
  for (const AssignedTree& assigned : trees()) sum += assigned.tree.mu[assigned.ids[row]];
  return sum;
}

void Forest::add_fitted(std::vector<double>& sums) const {
  std::vector<double> residual(n());
  state_.residual->read(residual);
  const std::vector<double>& working = response().working();
  const double offset = response().offset();
  for (std::size_t i = 0; i < n(); ++i) sums[i] += (working[i] - offset) - residual[i];
}

void Forest::set_tree(std::size_t t, const ListedTree& nodes) {
  AssignedTree& old = state_.trees.at(t);
  AssignedTree grown = tree_from_list(model_, *state_.residual, nodes);
  SplitCounts& counts = splitting().counts();
  for (std::int32_t k = 0; k < old.tree.size(); ++k) {
    if (!old.tree.node(k).is_leaf()) counts.remove(old.tree.node(k).rule.variable);
    counts.remove_ghosts(old.tree.exhaustion(k).ghosts);
  }
  for (const Node& node : grown.tree.nodes())
    if (!node.is_leaf()) counts.add(node.rule.variable);
  old = std::move(grown);
  state_.refresh_residual();
}

}  // namespace bayesvc
