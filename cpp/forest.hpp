// The chain: Bayesian backfitting of a sum of trees.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "columns.hpp"
#include "eligibility.hpp"
#include "forest_settings.hpp"
#include "kernels.hpp"
#include "residual.hpp"
#include "response/response_model.hpp"
#include "rng.hpp"
#include "splitting/splitting_prior.hpp"
#include "tree.hpp"

namespace bayesvc {

struct ProposalRecord {
  Move kind = Move::birth;
  std::size_t tree = 0;
  std::int32_t node = 0, child = -1;  // positions in preorder
  Rule rule{};
  std::vector<std::pair<Rule, double>> before;  // preorder; leaves have variable 0xffffffff and mu
  double sigma = 0, log_ratio = 0, birth_ratio = 0;
  bool accepted = false;
};

class Forest {
 public:
  Forest(const Columns& columns, const double* y, const ForestSettings& settings,
         const std::array<std::uint64_t, 4>& seed);
  // The same with a response model that the settings do not name.
  Forest(const Columns& columns, const double* y, const ForestSettings& settings,
         const std::array<std::uint64_t, 4>& seed, std::unique_ptr<ResponseModel> response);

  void sweep();

  std::size_t n() const { return columns_.n(); }
  std::size_t p() const { return columns_.p(); }
  const Columns& columns() const { return columns_; }
  const ForestSettings& settings() const { return settings_; }
  const std::vector<AssignedTree>& trees() const { return trees_; }
  SplittingPrior& splitting() { return *splitting_; }
  const SplittingPrior& splitting() const { return *splitting_; }
  const ResponseModel& response() const { return *response_; }
  double sigma() const { return response_->sigma(); }
  void set_sigma(double sigma) { response_->set_sigma(sigma); }
  void set_y(const double* y);
  double fitted(std::size_t row) const;
  // Adds the sum of the trees at each row, as the residuals know it.
  void add_fitted(std::vector<double>& sums) const;
  const std::array<std::uint64_t, n_moves>& proposed() const { return proposed_; }
  const std::array<std::uint64_t, n_moves>& accepted() const { return accepted_; }

  // Replaces the rules and values of a tree; `nodes` in preorder as in ProposalRecord. Throws
  // std::invalid_argument, and changes nothing, if a rule is not one that the prior could give.
  void plant(std::size_t t, const std::vector<std::pair<Rule, double>>& nodes);

  void record(bool on) { recording_ = on; }
  std::vector<ProposalRecord> take_records() { return std::move(records_); }
  static std::vector<std::pair<Rule, double>> listed(const Tree& tree);
  static constexpr std::uint32_t no_variable = 0xffffffff;

 private:
  struct NodeStats {  // one side of a split, or a leaf
    double sum = 0;
    double weight = 0;  // of the rows; their number where each has weight one
    std::uint32_t n_rows = 0;
    bool splittable = true;
  };
  struct Proposal {
    Move kind = Move::birth;
    std::int32_t node = -1, child = -1;
    Rule rule{};
    RowSet rows{};  // of the node
    bool possible = true;
    bool deep = false;  // change above other splits, or swap
    double log_ratio = -std::numeric_limits<double>::infinity();
    double birth_ratio = 0;
  };
  struct Context {  // of a birth at a node: the tree without it, and with it
    unsigned depth;
    std::size_t leaves_before;
    std::size_t nogs_after;
  };

  // forest.cpp
  void update_tree(std::size_t t);
  void draw_leaf_values(Tree& tree);
  void redraw_response();
  void update_splitting();
  std::vector<double> sum_of_trees() const;
  void refresh_residual();
  void refresh_ghosts(AssignedTree& assigned);
  std::size_t grow_listed(AssignedTree& assigned, std::int32_t k,
                          const std::vector<std::pair<Rule, double>>& nodes, std::size_t next);
  void check_rule(const Rule& rule) const;                                   // forest_state.cpp
  void keep_record(std::size_t t, const Proposal& proposal, bool accepted);  // forest_state.cpp

  // moves.cpp
  Proposal propose(AssignedTree& assigned);
  void propose_birth(AssignedTree& assigned, Proposal& proposal);
  void propose_change(AssignedTree& assigned, Proposal& proposal);
  void draw_rule(Proposal& proposal);
  void make_admissible(Proposal& proposal);
  Comparison comparison(const Rule& rule);
  void evaluate(AssignedTree& assigned, Proposal& proposal);
  void evaluate_split(AssignedTree& assigned, Proposal& proposal);
  void evaluate_death(const AssignedTree& assigned, Proposal& proposal);
  void apply(AssignedTree& assigned, Proposal& proposal);
  void apply_birth(AssignedTree& assigned, const Proposal& proposal);
  void apply_death(AssignedTree& assigned, const Proposal& proposal);
  void apply_change(AssignedTree& assigned, const Proposal& proposal);
  void settle_split(AssignedTree& assigned, const Proposal& proposal);
  void sides_splittable(const RowSet& rows, const Rule& rule, NodeStats& left, NodeStats& right);

  // deep_moves.cpp
  void evaluate_deep(AssignedTree& assigned, Proposal& proposal);
  void apply_deep(AssignedTree& assigned, const Proposal& proposal);
  double subtree_log_prior(AssignedTree& assigned, std::int32_t top, bool free_top);
  double standing_rule_log_prior(AssignedTree& assigned, std::int32_t k);
  double log_doubled_swap(const Tree& old_tree, const Tree& tree, std::int32_t top) const;
  bool route(AssignedTree& assigned, std::int32_t k, LeafId id, bool free_rule, double& log_prior);
  bool rule_log_prior(Tree& tree, std::int32_t k, const RowSet& rows, double& log_prior);
  double subtree_log_likelihood(const Tree& tree, std::int32_t k, const LeafSums& sums) const;
  void gather_rows(const AssignedTree& assigned, std::int32_t k, std::vector<LeafId>& ids) const;
  double birth_ratio_at(const Tree& tree, std::int32_t k, const LeafSums& sums) const;
  NodeStats stats_below(const Tree& tree, std::int32_t k, const LeafSums& sums) const;

  // shared
  RowSet rows_of(const AssignedTree& assigned, std::int32_t k);
  const std::vector<std::uint32_t>& ineligible_in(AssignedTree& assigned, std::int32_t k);
  double split_probability(unsigned depth) const;
  double log_likelihood(const NodeStats& stats) const;
  double log_terminal(bool splittable, unsigned depth) const;
  double log_birth_ratio(const NodeStats& left, const NodeStats& right,
                         const Context& context) const;
  NodeStats leaf_stats(const Node& leaf, const LeafSums& sums) const;
  bool weighted() const { return residual_->weighted(); }
  static double clipped_exp(double log_ratio);  // min(1, ratio), and above zero
  std::int32_t nth_node(const Tree& tree, bool (*wanted)(const Tree&, std::int32_t),
                        std::uint32_t n) const;

  const Columns& columns_;
  ForestSettings settings_;
  const Kernels& kernels_;
  Eligibility eligibility_;
  std::unique_ptr<SplittingPrior> splitting_;
  Rng rng_;
  std::unique_ptr<Residual> residual_;
  std::unique_ptr<ResponseModel> response_;
  std::vector<AssignedTree> trees_;
  const AssignedTree* previous_ = nullptr;  // its values are still in the residuals
  double leaf_variance_;
  std::vector<double> split_probability_, log_terminal_;  // by depth, for the first few
  std::uint64_t sweeps_ = 0;
  std::array<std::uint64_t, n_moves> proposed_{}, accepted_{};

  // scratch
  LeafSums sums_, new_sums_;
  struct {
    NodeStats left, right;
  } sides_;                    // of the split under evaluation
  std::vector<Ghost> ghosts_;  // that the rule under evaluation brings with it
  std::vector<LeafId> marks_, side_marks_;
  std::vector<std::uint8_t> sides_of_rows_;  // by a rule on categories: 0 left, 1 right
  std::unique_ptr<AssignedTree> restructured_;
  bool recording_ = false;
  std::vector<ProposalRecord> records_;
};

}  // namespace bayesvc
