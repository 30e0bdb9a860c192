// The parts of a chain: what is fixed, what the next sweep needs, what is counted, and what is only
// memory to work in.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "columns.hpp"
#include "eligibility.hpp"
#include "forest_settings.hpp"
#include "kernels.hpp"
#include "leaf_model.hpp"
#include "proposal.hpp"
#include "residual.hpp"
#include "response/response_model.hpp"
#include "rng.hpp"
#include "row_views.hpp"
#include "splitting/splitting_prior.hpp"
#include "tree_prior.hpp"

namespace bayesvc {

// Fixed for the whole chain. The columns must stay alive.
struct ForestModel {
  const Columns& columns;
  const ForestSettings settings;
  const Kernels& kernels;
  const Eligibility eligibility;
  const TreePrior tree_prior;

  ForestModel(const Columns& columns, const ForestSettings& settings);
};

// What the next sweep starts from.
struct ForestState {
  std::unique_ptr<SplittingPrior> splitting;
  std::unique_ptr<LeafModel> leaves;
  std::unique_ptr<ResponseModel> response;
  std::unique_ptr<Residual> residual;  // the working response less the offset and all trees
  std::vector<AssignedTree> trees;
  Rng rng;
  std::uint64_t n_sweeps = 0;

  // A forest of stumps; `observe` must follow.
  ForestState(const ForestModel& model, std::unique_ptr<ResponseModel> response,
              const std::array<std::uint64_t, 4>& seed);

  // Takes another response and leaves the trees as they are.
  void observe(const double* y);
  // The sum of the trees at each row.
  std::vector<double> sum_of_trees() const;
  // Builds the residuals from the trees, which wipes out their rounding.
  void refresh_residual();
  // Draws what the response model has rows carry, and brings the residuals up to date.
  void redraw_response(const ResponseModel::Redraws& due);
  // The noise of a row of weight one.
  double noise_variance() const { return response->sigma() * response->sigma(); }
};

struct MoveCounts {
  std::array<std::uint64_t, n_moves> proposed{}, accepted{};
};

// Memory that is kept from one use to the next. Nothing in it outlives the function that fills it,
// but for the proposal, which its owner passes on by name.
struct Scratch {
  LeafSums sums;  // of the tree that is updated
  Proposal proposal;
  NodeRows rows;
  BoundRule rule;
  std::vector<LeafId> side_marks;
};

}  // namespace bayesvc
