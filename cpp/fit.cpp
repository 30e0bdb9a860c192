#include "fit.hpp"

#include <algorithm>

namespace bayesvc {
namespace {

void sweep(Forest& forest, Control& control) {
  if (control.cancelled.load(std::memory_order_relaxed)) throw Cancelled();
  forest.sweep();
  control.sweeps_done.fetch_add(1, std::memory_order_relaxed);
}

void keep_counts(const Splitting& splitting, std::uint16_t* row) {
  for (const std::uint32_t j : splitting.used())
    row[j] = static_cast<std::uint16_t>(std::min<std::uint32_t>(splitting.count(j), 0xffff));
}

}  // namespace

Rng side_stream(const std::array<std::uint64_t, 4>& seed) {
  auto other = seed;
  for (std::uint64_t& word : other) word ^= 0x9e3779b97f4a7c15u;
  return Rng(other);
}

Fit run_fit(const Columns& columns, const double* y, const ForestSettings& settings,
            const std::array<std::uint64_t, 4>& seed, const FitPlan& plan, Control& control) {
  const Stopwatch watch;
  Forest forest(columns, y, settings, seed);
  Fit fit = run_fit(forest, seed, plan, control);
  fit.seconds = watch.seconds();
  return fit;
}

Fit run_fit(Forest& forest, const std::array<std::uint64_t, 4>& seed, const FitPlan& plan,
            Control& control) {
  // DART starts from the prior weights: a chain that learns s from its first trees can lock on to
  // variables that came early.
  forest.splitting().set_learning(plan.burn_in == 0);
  for (std::size_t k = 0; k < plan.burn_in; ++k) {
    if (k == plan.burn_in / 2) forest.splitting().set_learning(true);
    sweep(forest, control);
  }
  const std::size_t p = forest.p();
  Fit fit{Tallies(p, plan.n_draws), {}, {}, {}, {}, {}, 0, {}, {}, {}, {}};
  Rng side = side_stream(seed);
  std::vector<double> s;
  if (plan.keep_counts) fit.counts.assign(plan.n_draws * p, 0);
  if (plan.keep_s) fit.s.resize(plan.n_draws * p);
  if (plan.keep_trees) fit.forests.emplace();
  if (plan.keep_fitted) fit.fitted.assign(forest.n(), 0.0);
  const auto proposed = forest.proposed(), accepted = forest.accepted();
  for (std::size_t k = 0; k < plan.n_draws; ++k) {
    sweep(forest, control);
    fit.tallies.add(forest);
    fit.sigma.push_back(forest.sigma());
    fit.alpha.push_back(forest.settings().splitting == SplitPrior::fixed
                            ? std::numeric_limits<double>::quiet_NaN()
                            : forest.splitting().alpha());
    fit.n_splits.push_back(static_cast<std::int32_t>(forest.splitting().n_splits()));
    if (plan.keep_counts) keep_counts(forest.splitting(), &fit.counts[k * p]);
    if (plan.keep_trees) fit.forests->add(forest);
    if (plan.keep_fitted) forest.add_fitted(fit.fitted);
    if (plan.keep_s) {
      forest.splitting().probabilities(side, s);
      std::transform(s.begin(), s.end(), &fit.s[k * p],
                     [](double value) { return static_cast<float>(value); });
    }
  }
  fit.tallies.finish();
  for (double& value : fit.fitted) value /= static_cast<double>(plan.n_draws);
  for (std::size_t m = 0; m < n_moves; ++m) {
    fit.proposed[m] = forest.proposed()[m] - proposed[m];
    fit.accepted[m] = forest.accepted()[m] - accepted[m];
  }
  return fit;
}

}  // namespace bayesvc
