#include "splitting_prior.hpp"

#include <algorithm>
#include <stdexcept>

#include "collapsed_dirichlet.hpp"
#include "explicit_dirichlet.hpp"
#include "fixed.hpp"

namespace bayesvc {
namespace {

using Made = std::unique_ptr<SplittingPrior>;
using Weights = std::vector<double>;

template <class Prior>
Made make(const Weights& weights, const DirichletSettings& settings, const Eligibility& eligible) {
  return std::make_unique<Prior>(weights, settings, eligible);
}

struct Entry {
  const char* name;
  Made (*make)(const Weights&, const DirichletSettings&, const Eligibility&);
};

constexpr Entry priors[] = {
    {"fixed", make<FixedSplitting>},
    {"explicit", make<ExplicitDirichlet>},
    {"collapsed", make<CollapsedDirichlet>},
};

}  // namespace

double SplittingPrior::log_probability(std::uint32_t) const {
  throw std::logic_error("log_probability needs a splitting prior that knows s");
}

double SplittingPrior::log_mass(const std::vector<std::uint32_t>&) const {
  throw std::logic_error("log_mass needs a splitting prior that knows s");
}

double SplittingPrior::log_exchange(std::uint32_t, std::uint32_t) const { return 0; }

void SplittingPrior::update(Rng&, const std::vector<const std::vector<std::uint32_t>*>&) {}

void SplittingPrior::normalise(std::vector<double>& log_s, std::vector<double>& s) const {
  const auto& variables = eligibility_.variables();
  s.assign(weights_.size(), 0.0);
  if (variables.empty()) return;
  const double largest = *std::max_element(log_s.begin(), log_s.end());
  double sum = 0;
  for (double& value : log_s) sum += (value = fixed_math::exp(value - largest));
  for (std::size_t v = 0; v < variables.size(); ++v) s[variables[v]] = log_s[v] / sum;
}

bool is_splitting_prior(const std::string& name) {
  return std::any_of(std::begin(priors), std::end(priors),
                     [&](const Entry& entry) { return name == entry.name; });
}

std::unique_ptr<SplittingPrior> make_splitting_prior(const std::string& name,
                                                     const std::vector<double>& weights,
                                                     const DirichletSettings& settings,
                                                     const Eligibility& eligibility) {
  for (const Entry& entry : priors)
    if (name == entry.name) return entry.make(weights, settings, eligibility);
  throw std::invalid_argument("splitting must be 'fixed', 'explicit' or 'collapsed'. Got '" + name +
                              "' instead.");
}

}  // namespace bayesvc
