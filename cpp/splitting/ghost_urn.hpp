// Sequences of ghosts: the ineligible draws from Polya's urn before the first eligible one.
//
// Where little weight is eligible such a sequence can be astronomically long, so its length and
// composition are drawn in closed form (docs/theory.md, "DART when variables run out").
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "../log_count.hpp"
#include "../rng.hpp"
#include "../tree.hpp"

namespace bayesvc {

// Adds to the ghosts of a node.
void add_ghosts(std::vector<Ghost>& ghosts, std::uint32_t variable, const LogCount& count);

struct UrnItems {
  std::vector<std::uint32_t> variables;
  std::vector<double> log_weights;

  void add(std::uint32_t variable, double log_weight) {
    variables.push_back(variable);
    log_weights.push_back(log_weight);
  }
  double log_total(std::size_t from = 0) const {
    double total = -std::numeric_limits<double>::infinity();
    for (std::size_t k = from; k < log_weights.size(); ++k)
      total = fixed_math::log_add(total, log_weights[k]);
    return total;
  }
};

// Failures before the first success.
LogCount draw_length(double log_success, Rng& rng);

// m draws from the urn that holds these items alone; their weights grow with what is drawn.
void draw_from_urn(UrnItems& items, LogCount m, Rng& rng, std::vector<Ghost>& ghosts);

}  // namespace bayesvc
