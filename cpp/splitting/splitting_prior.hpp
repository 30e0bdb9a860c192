// The splitting prior: which variable a rule splits on.
//
// One class per prior, one file each: FixedSplitting (BART), ExplicitDirichlet and
// CollapsedDirichlet (DART with s drawn, or integrated out). To add one, derive from SplittingPrior
// (from KnownProbabilities if s is known at all times) and add its name to the table in
// splitting_prior.cpp. Callers ask for abilities, never for the class.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../eligibility.hpp"
#include "../rng.hpp"
#include "split_counts.hpp"
#include "variable_weights.hpp"

namespace bayesvc {

struct DirichletSettings {
  double alpha = std::numeric_limits<double>::quiet_NaN();  // fixed alpha; nan: sampled
  double a = 0.5, b = 1.0, rho = 1.0;                       // alpha / (alpha + rho) ~ Beta(a, b)
};

class SplittingPrior {
 public:
  struct Abilities {
    // s is known: log_probability and log_mass say how likely a rule's variable is.
    bool knows_s = false;
    // Rules come with ghosts, which nodes keep; they are drawn anew before each update of a tree.
    bool draws_ghosts = false;
    // `update` needs the ineligible variables of the internal nodes.
    bool needs_ineligible = false;
  };

  virtual ~SplittingPrior() = default;

  const Abilities& abilities() const { return abilities_; }

  // The splits of the forest, on which the Dirichlet priors feed.
  SplitCounts& counts() { return counts_; }
  const SplitCounts& counts() const { return counts_; }

  // A variable for a rule in this node, given that it is eligible; `ghosts` receives the ineligible
  // draws that came before it, if the prior draws ghosts. The node's own split and ghosts must not
  // be counted. Some variable must be eligible.
  virtual std::uint32_t draw(const RowSet& rows, Rng& rng, std::vector<Ghost>& ghosts) const = 0;

  // log of s_j, and of the sum of s over all but the ineligible, where s is known.
  virtual double log_probability(std::uint32_t variable) const;
  virtual double log_mass(const std::vector<std::uint32_t>& ineligible) const;

  // Where s is not known: log ratio of the probability of all splits after one on `lost` became
  // one on `gained`. Where it is known, log_probability says all, and this is zero.
  virtual double log_exchange(std::uint32_t lost, std::uint32_t gained) const;

  // One update of the prior's own parameters given the splits; `restricted` holds the ineligible
  // variables of each internal node that has any, if the prior needs them.
  virtual void update(Rng& rng, const std::vector<const std::vector<std::uint32_t>*>& restricted);

  // The current s; a draw of it given the splits and ghosts where it is not known.
  virtual void probabilities(Rng& rng, std::vector<double>& s) const = 0;

  // The concentration of a Dirichlet prior; nan, and ignored, where there is none.
  virtual double alpha() const { return std::numeric_limits<double>::quiet_NaN(); }
  virtual void set_alpha(double) {}
  // While off, rules are drawn from the prior weights and all parameters stay as they are.
  virtual void set_learning(bool) {}

 protected:
  SplittingPrior(const Abilities& abilities, const std::vector<double>& weights,
                 const Eligibility& eligibility)
      : eligibility_(eligibility),
        weights_(weights, eligibility.variables()),
        counts_(weights.size(), abilities.draws_ghosts),
        abilities_(abilities) {}

  // Writes exp(log_s), normalised; log_s goes along the list of variables that take part.
  void normalise(std::vector<double>& log_s, std::vector<double>& s) const;

  const Eligibility& eligibility_;
  const VariableWeights weights_;
  SplitCounts counts_;

 private:
  const Abilities abilities_;
};

bool is_splitting_prior(const std::string& name);
// By name: "fixed", "explicit" or "collapsed"; throws std::invalid_argument for any other. There is
// one weight per variable, at least one of them positive. `eligibility` must stay alive.
std::unique_ptr<SplittingPrior> make_splitting_prior(const std::string& name,
                                                     const std::vector<double>& weights,
                                                     const DirichletSettings& settings,
                                                     const Eligibility& eligibility);

}  // namespace bayesvc
