// The chain: Bayesian backfitting of a sum of trees. The parts are in forest_state.hpp, the
// algorithm in sweep.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "forest_state.hpp"
#include "listed_tree.hpp"
#include "sweep.hpp"

namespace bayesvc {

class Forest {
 public:
  Forest(const Columns& columns, const double* y, const ForestSettings& settings,
         const std::array<std::uint64_t, 4>& seed);
  // The same with a response model that the settings do not name.
  Forest(const Columns& columns, const double* y, const ForestSettings& settings,
         const std::array<std::uint64_t, 4>& seed, std::unique_ptr<ResponseModel> response);

  void sweep() { bayesvc::sweep(model_, state_, scratch_, counts_, recorder_); }

  std::size_t n() const { return model_.columns.n(); }
  std::size_t p() const { return model_.columns.p(); }
  const Columns& columns() const { return model_.columns; }
  const ForestSettings& settings() const { return model_.settings; }
  const std::vector<AssignedTree>& trees() const { return state_.trees; }
  SplittingPrior& splitting() { return *state_.splitting; }
  const SplittingPrior& splitting() const { return *state_.splitting; }
  LeafModel& leaves() { return *state_.leaves; }
  const LeafModel& leaves() const { return *state_.leaves; }
  const ResponseModel& response() const { return *state_.response; }
  double sigma() const { return state_.response->sigma(); }
  void set_sigma(double sigma) { state_.response->set_sigma(sigma); }
  double df() const { return state_.response->df(); }
  void set_df(double df) { state_.response->set_df(df); }
  void set_y(const double* y) { state_.observe(y); }
  // See ResponseModel.
  void set_learning_response(bool on);
  // The sum of the trees at a row.
  double fitted(std::size_t row) const;
  // Adds the sum of the trees at each row, as the residuals know it.
  void add_fitted(std::vector<double>& sums) const;
  const MoveCounts& move_counts() const { return counts_; }

  // Replaces the rules and values of a tree. Throws std::invalid_argument, and changes nothing, if
  // a rule is not one that the prior could give.
  void set_tree(std::size_t t, const ListedTree& nodes);

  void record(bool on) { recorder_.on = on; }
  std::vector<ProposalRecord> take_records() { return std::exchange(recorder_.records, {}); }

 private:
  const ForestModel model_;
  ForestState state_;
  MoveCounts counts_;
  ProposalRecorder recorder_;
  Scratch scratch_;
};

}  // namespace bayesvc
