#include "fit.hpp"

#include <algorithm>
#include <cmath>

namespace bayesvc {
namespace {

void sweep(Forest& forest, Control& control) {
  if (control.cancelled.load(std::memory_order_relaxed)) throw Cancelled();
  forest.sweep();
  control.sweeps_done.fetch_add(1, std::memory_order_relaxed);
}

void keep_counts(const SplitCounts& splits, std::uint16_t* row) {
  for (const std::uint32_t j : splits.used())
    row[j] = static_cast<std::uint16_t>(std::min<std::uint32_t>(splits.count(j), 0xffff));
}

}  // namespace

Rng side_stream(const std::array<std::uint64_t, 4>& seed) {
  auto other = seed;
  for (std::uint64_t& word : other) word ^= 0x9e3779b97f4a7c15u;
  return Rng(other);
}

FitResult run_fit(const Columns& columns, const double* y, const ForestSettings& settings,
                  const std::array<std::uint64_t, 4>& seed, const ChainConfig& config,
                  Control& control) {
  const Stopwatch watch;
  Forest forest(columns, y, settings, seed);
  FitResult fit = run_fit(forest, seed, config, control);
  fit.seconds = watch.seconds();
  return fit;
}

FitResult run_fit(Forest& forest, const std::array<std::uint64_t, 4>& seed,
                  const ChainConfig& config, Control& control) {
  // DART starts from the prior weights: a chain that learns s from its first trees can lock on to
  // variables that came early. What the response learns must have settled by then.
  if (config.burn_in > 0) {
    forest.set_learning_response(false);
    forest.splitting().set_learning(false);
  }
  for (std::size_t k = 0; k < config.burn_in; ++k) {
    if (k == config.burn_in / 4) forest.set_learning_response(true);
    if (k == config.burn_in / 2) forest.splitting().set_learning(true);
    sweep(forest, control);
  }
  const std::size_t p = forest.p();
  FitResult fit{Tallies(p, config.n_draws), {}, {}, {}, {}, {}, 0, {}, {}, {}, {}, {}, {}};
  Rng side = side_stream(seed);
  std::vector<double> s;
  if (config.keep_counts) fit.counts.assign(config.n_draws * p, 0);
  if (config.keep_s) fit.s.resize(config.n_draws * p);
  if (config.keep_trees) fit.forests.emplace().reserve(forest, config.n_draws);
  if (config.keep_fitted) fit.fitted.assign(forest.n(), 0.0);
  const LeafScale& scale = forest.leaves().scale();
  const MoveCounts before = forest.move_counts();
  for (std::size_t k = 0; k < config.n_draws; ++k) {
    sweep(forest, control);
    fit.tallies.add(forest);
    fit.sigma.push_back(forest.sigma());
    fit.alpha.push_back(forest.splitting().alpha());
    if (scale.learned()) fit.leaf_sd.push_back(scale.sd());
    if (std::isfinite(forest.df())) fit.df.push_back(forest.df());
    fit.n_splits.push_back(static_cast<std::int32_t>(forest.splitting().counts().n_splits()));
    if (config.keep_counts) keep_counts(forest.splitting().counts(), &fit.counts[k * p]);
    if (config.keep_trees) fit.forests->add(forest);
    if (config.keep_fitted) forest.add_fitted(fit.fitted);
    if (config.keep_s) {
      forest.splitting().probabilities(side, s);
      std::transform(s.begin(), s.end(), &fit.s[k * p],
                     [](double value) { return static_cast<float>(value); });
    }
  }
  fit.tallies.finish();
  for (double& value : fit.fitted) value /= static_cast<double>(config.n_draws);
  for (std::size_t m = 0; m < n_moves; ++m) {
    fit.proposed[m] = forest.move_counts().proposed[m] - before.proposed[m];
    fit.accepted[m] = forest.move_counts().accepted[m] - before.accepted[m];
  }
  return fit;
}

}  // namespace bayesvc
