// One fit from start to end: burn-in, kept draws, tallies and traces.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "forest.hpp"
#include "saved_forests.hpp"
#include "tallies.hpp"

namespace bayesvc {

// Shared with the threads that run fits.
struct Control {
  std::atomic<bool> cancelled{false};
  std::atomic<std::uint64_t> sweeps_done{0};
};

struct Cancelled : std::runtime_error {
  Cancelled() : std::runtime_error("cancelled") {}
};

struct Stopwatch {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
};

struct ChainConfig {
  std::size_t burn_in = 0;
  std::size_t n_draws = 1;
  bool keep_counts = false;
  bool keep_s = false;
  bool keep_trees = false;
  bool keep_fitted = false;
};

struct FitResult {
  Tallies tallies;
  std::vector<double> sigma, alpha;
  std::vector<std::int32_t> n_splits;
  std::array<std::uint64_t, n_moves> proposed{}, accepted{};
  double seconds = 0;
  std::vector<std::uint16_t> counts;  // draw by draw
  std::vector<float> s;
  std::optional<SavedForests> forests;
  std::vector<double> leaf_sd;  // draw by draw, if it is learned
  std::vector<double> df;       // draw by draw, if the errors have any
  std::vector<double> fitted;   // mean over the draws of the sum of trees at each row
};

// Throws Cancelled soon after control.cancelled is set.
FitResult run_fit(const Columns& columns, const double* y, const ForestSettings& settings,
                  const std::array<std::uint64_t, 4>& seed, const ChainConfig& config,
                  Control& control);

// The same with a forest that the caller made with this seed and may look at afterwards. Leaves
// the time to the caller.
FitResult run_fit(Forest& forest, const std::array<std::uint64_t, 4>& seed,
                  const ChainConfig& config, Control& control);

// A random stream for draws that must not disturb the chain of this seed.
Rng side_stream(const std::array<std::uint64_t, 4>& seed);

}  // namespace bayesvc
