#include "forest_state.hpp"

#include <utility>

namespace bayesvc {

ForestModel::ForestModel(const Columns& of, const ForestSettings& wanted)
    : columns(of),
      settings(wanted),
      kernels(kernels_named(wanted.kernel)),
      eligibility(of, kernels, wanted.weights, wanted.min_samples_leaf),
      tree_prior(wanted.gamma, wanted.beta) {}

ForestState::ForestState(const ForestModel& model, std::unique_ptr<ResponseModel> of,
                         const std::array<std::uint64_t, 4>& seed)
    : splitting(make_splitting_prior(model.settings.splitting, model.settings.weights,
                                     model.settings.dirichlet, model.eligibility)),
      leaves(make_leaf_model(model.settings)),
      response(std::move(of)),
      residual(Residual::make(model.settings.single_precision, model.columns.n(), model.kernels)),
      rng(seed) {
  const std::size_t n = model.columns.n();
  const bool splittable = !model.eligibility.variables().empty();
  const AssignedTree stump{Tree(static_cast<std::uint32_t>(n), splittable),
                           AlignedVector<LeafId>(n, 0)};
  trees.assign(model.settings.n_trees, stump);
}

void ForestState::observe(const double* y) {
  response->observe(y, sum_of_trees());
  residual->set_precisions(response->precisions());
  refresh_residual();
  if (response->redraws().any()) redraw_response(response->redraws());
}

std::vector<double> ForestState::sum_of_trees() const {
  std::vector<double> sums(residual->size(), 0.0);
  for (const AssignedTree& assigned : trees)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += assigned.tree.mu[assigned.ids[i]];
  return sums;
}

void ForestState::refresh_residual() {
  std::vector<double> values = sum_of_trees();
  const std::vector<double>& working = response->working();
  const double offset = response->offset();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (working[i] - offset) - values[i];
  residual->write(values);
}

void ForestState::redraw_response(const ResponseModel::Redraws& due) {
  std::vector<double> mean(residual->size());
  residual->read(mean);
  const std::vector<double>& working = response->working();
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = working[i] - mean[i];
  response->redraw(mean, rng);
  if (due.working) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = working[i] - mean[i];
    residual->write(mean);
  }
  if (due.precisions) residual->set_precisions(response->precisions());
}

}  // namespace bayesvc
