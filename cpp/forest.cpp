#include "forest.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fixed_math.hpp"

namespace bayesvc {

using fixed_math::exp;
using fixed_math::log;

namespace {

// Rounding in the running residuals is wiped out this often.
constexpr std::uint64_t refresh_interval = 128;

}  // namespace

Forest::Forest(const Columns& columns, const double* y, const ForestSettings& settings,
               const std::array<std::uint64_t, 4>& seed)
    : Forest(columns, y, settings, seed, make_response_model(settings)) {}

Forest::Forest(const Columns& columns, const double* y, const ForestSettings& settings,
               const std::array<std::uint64_t, 4>& seed, std::unique_ptr<ResponseModel> response)
    : columns_(columns),
      settings_(settings),
      kernels_(kernels_named(settings.kernel.c_str())),
      eligibility_(columns, kernels_, settings.weights, settings.min_samples_leaf),
      splitting_(make_splitting_prior(settings.splitting, settings.weights, settings.dirichlet,
                                      eligibility_)),
      rng_(seed),
      residual_(Residual::make(settings.single_precision, columns.n(), kernels_)),
      response_(std::move(response)),
      leaf_variance_(settings.leaf_sd * settings.leaf_sd) {
  const auto n_rows = static_cast<std::uint32_t>(n());
  const std::vector<LeafId> ids(n(), 0);
  const bool splittable = !eligibility_.variables().empty();
  trees_.assign(settings.n_trees, AssignedTree{Tree(n_rows, splittable), ids});
  for (unsigned depth = 0; depth < 64; ++depth)
    split_probability_.push_back(split_probability(depth));
  for (const double probability : split_probability_)
    log_terminal_.push_back(log(1.0 - probability));
  set_y(y);
}

void Forest::set_y(const double* y) {
  response_->observe(y, sum_of_trees());
  residual_->set_precisions(response_->precisions());
  refresh_residual();
  if (response_->redraws().any()) redraw_response();
}

std::vector<double> Forest::sum_of_trees() const {
  std::vector<double> sums(n(), 0.0);
  for (const AssignedTree& assigned : trees_)
    for (std::size_t i = 0; i < n(); ++i) sums[i] += assigned.tree.mu[assigned.ids[i]];
  return sums;
}

double Forest::fitted(std::size_t row) const {
  double sum = 0;
  for (const AssignedTree& assigned : trees_) sum += assigned.tree.mu[assigned.ids[row]];
  return sum;
}

void Forest::add_fitted(std::vector<double>& sums) const {
  std::vector<double> residual(n());
  residual_->read(residual);
  const std::vector<double>& working = response_->working();
  const double offset = response_->offset();
  for (std::size_t i = 0; i < n(); ++i) sums[i] += (working[i] - offset) - residual[i];
}

void Forest::refresh_residual() {
  std::vector<double> values = sum_of_trees();
  const std::vector<double>& working = response_->working();
  const double offset = response_->offset();
  for (std::size_t i = 0; i < n(); ++i) values[i] = (working[i] - offset) - values[i];
  residual_->write(values);
}

// What the rows carry, given offset + f(x_i), which is the working response less its residual.
void Forest::redraw_response() {
  std::vector<double> mean(n());
  residual_->read(mean);
  const std::vector<double>& working = response_->working();
  for (std::size_t i = 0; i < n(); ++i) mean[i] = working[i] - mean[i];
  response_->redraw(mean, rng_);
  if (response_->redraws().working) {
    for (std::size_t i = 0; i < n(); ++i) mean[i] = working[i] - mean[i];
    residual_->write(mean);
  }
  if (response_->redraws().precisions) residual_->set_precisions(response_->precisions());
}

void Forest::sweep() {
  for (std::size_t t = 0; t < trees_.size(); ++t) update_tree(t);
  const double sum_of_squares = residual_->finish(*previous_);
  previous_ = nullptr;
  update_splitting();
  response_->update(sum_of_squares, rng_);
  if (response_->redraws().any()) redraw_response();
  if (++sweeps_ % refresh_interval == 0) refresh_residual();
}

void Forest::update_tree(std::size_t t) {
  AssignedTree& assigned = trees_[t];
  if (splitting_->abilities().draws_ghosts) refresh_ghosts(assigned);
  Proposal proposal = propose(assigned);
  Candidate candidate;
  if (proposal.possible && !proposal.deep && proposal.kind != Move::death)
    candidate = {comparison(proposal.rule), proposal.rows.first, proposal.rows.second};
  residual_->advance(previous_, assigned, candidate, sums_);
  evaluate(assigned, proposal);
  const auto kind = static_cast<std::size_t>(proposal.kind);
  ++proposed_[kind];
  const bool accept = proposal.log_ratio >= 0 || rng_.uniform() < exp(proposal.log_ratio);
  if (recording_) keep_record(t, proposal, accept);
  if (accept) {
    ++accepted_[kind];
    apply(assigned, proposal);
  }
  draw_leaf_values(assigned.tree);
  previous_ = &assigned;
}

void Forest::draw_leaf_values(Tree& tree) {
  const double variance = sigma() * sigma();
  for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    const double normal = rng_.normal();
    double value = settings_.leaf_sd * normal;
    if (settings_.likelihood) {
      const Node& node = tree.node(tree.leaf_node(static_cast<LeafId>(leaf)));
      const NodeStats stats = leaf_stats(node, sums_);
      const double shrink = leaf_variance_ / (variance + stats.weight * leaf_variance_);
      value = shrink * stats.sum + std::sqrt(shrink * variance) * normal;
    }
    tree.mu[leaf] = residual_->rounded(value);
  }
}

void Forest::update_splitting() {
  std::vector<const std::vector<std::uint32_t>*> restricted;
  if (splitting_->abilities().needs_ineligible) {
    for (AssignedTree& assigned : trees_) {
      for (std::int32_t k = 0; k < assigned.tree.size(); ++k) {
        if (assigned.tree.node(k).is_leaf()) continue;
        const std::vector<std::uint32_t>& ineligible = ineligible_in(assigned, k);
        if (!ineligible.empty()) restricted.push_back(&ineligible);
      }
    }
  }
  splitting_->update(rng_, restricted);
}

// The ineligible variables of an internal node.
const std::vector<std::uint32_t>& Forest::ineligible_in(AssignedTree& assigned, std::int32_t k) {
  Exhaustion& exhaustion = assigned.tree.exhaustion(k);
  if (!exhaustion.ineligible_known && eligibility_.may_exhaust(assigned.tree.node(k).n_rows))
    exhaustion.ineligible = eligibility_.ineligible(rows_of(assigned, k));
  exhaustion.ineligible_known = true;
  return exhaustion.ineligible;
}

// Draws the ghosts of every internal node given all else. They do not depend on which of the
// eligible variables ended the sequence.
void Forest::refresh_ghosts(AssignedTree& assigned) {
  Tree& tree = assigned.tree;
  for (std::int32_t k = 0; k < tree.size(); ++k) {
    const Node& node = tree.node(k);
    if (node.is_leaf() || !eligibility_.may_exhaust(node.n_rows)) continue;
    std::vector<Ghost>& ghosts = tree.exhaustion(k).ghosts;
    splitting_->counts().remove(node.rule.variable);
    splitting_->counts().remove_ghosts(ghosts);
    splitting_->draw(rows_of(assigned, k), rng_, ghosts_);
    ghosts = ghosts_;
    splitting_->counts().add(node.rule.variable);
    splitting_->counts().add_ghosts(ghosts);
  }
}

double Forest::split_probability(unsigned depth) const {
  if (depth < split_probability_.size()) return split_probability_[depth];
  return settings_.gamma * exp(-settings_.beta * log(1.0 + depth));
}

// Of a leaf's rows with its value integrated out, up to terms that do not depend on the tree.
double Forest::log_likelihood(const NodeStats& stats) const {
  if (!settings_.likelihood) return 0;
  const double variance = sigma() * sigma();
  const double total = variance + stats.weight * leaf_variance_;
  return 0.5 *
         (log(variance / total) + stats.sum * stats.sum * leaf_variance_ / (variance * total));
}

double Forest::log_terminal(bool splittable, unsigned depth) const {
  if (!splittable) return 0.0;
  return depth < log_terminal_.size() ? log_terminal_[depth] : log(1.0 - split_probability(depth));
}

// Likelihood x tree prior x proposal; the rule is proposed from its prior, so it cancels.
double Forest::log_birth_ratio(const NodeStats& left, const NodeStats& right,
                               const Context& context) const {
  const double p = split_probability(context.depth);
  const double stay = 1.0 - split_probability(context.depth + 1);
  const double birth = context.leaves_before == 1 ? 1.0 : settings_.moves[0];
  double factor = p * settings_.moves[1] * static_cast<double>(context.leaves_before) /
                  ((1.0 - p) * birth * static_cast<double>(context.nogs_after));
  if (left.splittable) factor *= stay;
  if (right.splittable) factor *= stay;
  if (!settings_.likelihood) return log(factor);
  const double variance = sigma() * sigma();
  const double total_left = variance + left.weight * leaf_variance_;
  const double total_right = variance + right.weight * leaf_variance_;
  const double total = variance + (left.weight + right.weight) * leaf_variance_;
  const double sum = left.sum + right.sum;
  // One division and one logarithm: the factor goes under the root of the determinants, squared.
  const double inverse = 1.0 / (total_left * total_right * total * variance);
  const double gain =
      (left.sum * left.sum * total_right + right.sum * right.sum * total_left) * total -
      sum * sum * total_left * total_right;
  const double scaled = factor * variance * total;
  return 0.5 * (log(scaled * scaled * inverse) + gain * inverse * leaf_variance_);
}

double Forest::clipped_exp(double log_ratio) { return exp(std::clamp(log_ratio, -690.0, 0.0)); }

Forest::NodeStats Forest::leaf_stats(const Node& leaf, const LeafSums& sums) const {
  const double weight = weighted() ? sums.weight[leaf.leaf] : leaf.n_rows;
  return {sums.sum[leaf.leaf], weight, leaf.n_rows, leaf.splittable};
}

}  // namespace bayesvc
