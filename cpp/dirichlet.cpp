// Updates of alpha and s given the splits of the forest.
#include <algorithm>
#include <cmath>

#include "fixed_math.hpp"
#include "splitting.hpp"

namespace bayesvc {
namespace {

using fixed_math::exp;
using fixed_math::log;

// Sum of log Gamma(a + n) - log Gamma(a) over many pairs, up to terms in n alone; short products
// need one log for many.
class LogRising {
 public:
  void add(double a, const LogCount& count) {
    const double n = count.value();
    if (n > 1e300) {  // may be infinite; Gamma(a + n) / Gamma(n) is n^a
      total_ += a * count.log() - fixed_math::lgamma(a);
    } else if (n > huge) {
      // The same by Stirling's formula: of the two logarithms themselves not a digit would be left
      // once n is the number of ghosts.
      const double growth = (n + a - 0.5) * fixed_math::log1p(a / n) - a;
      total_ += a * log(n) + growth + (1.0 / (n + a) - 1.0 / n) / 12.0 - fixed_math::lgamma(a);
    } else if (n > 40) {
      total_ += fixed_math::lgamma(a + n) - fixed_math::lgamma(a);
    } else {
      for (double i = 0; i < n; ++i) {
        product_ *= a + i;
        if (product_ < 1e-150 || product_ > 1e150) flush();
      }
    }
  }
  double total() {
    flush();
    return total_;
  }

 private:
  void flush() {
    total_ += log(product_);
    product_ = 1;
  }
  static constexpr double huge = 1e7;
  double total_ = 0;
  double product_ = 1;
};

// One slice-sampling step (Neal 2003) from x for the log density f, stepping out by `width`.
template <class F>
double slice_step(double x, double width, Rng& rng, F&& f) {
  constexpr int max_steps = 100;
  const double level = f(x) - rng.exponential();
  double low = x - width * rng.uniform();
  double high = low + width;
  for (int k = 0; k < max_steps && f(low) > level; ++k) low -= width;
  for (int k = 0; k < max_steps && f(high) > level; ++k) high += width;
  while (high - low > 1e-13 * (1.0 + std::fabs(x))) {
    const double candidate = low + (high - low) * rng.uniform();
    if (f(candidate) > level) return candidate;
    (candidate < x ? low : high) = candidate;
  }
  return x;  // the slice is narrower than rounding
}

constexpr double slice_width = 2.0;  // in log alpha

}  // namespace

// Density of log alpha when alpha / (alpha + rho) ~ Beta(a, b), up to a constant.
double Splitting::log_alpha_prior(double log_alpha) const {
  return settings_.a * log_alpha -
         (settings_.a + settings_.b) * log(exp(log_alpha) + settings_.rho);
}

double Splitting::log_rising_counts(double alpha) const {
  LogRising sum;
  for (const std::uint32_t j : used_) sum.add(alpha * weights_[j], seen(j));
  return sum.total();
}

void Splitting::update(Rng& rng, const std::vector<const std::vector<std::uint32_t>*>& restricted) {
  if (prior_ == SplitPrior::fixed || !learning_ || eligibility_.variables().empty()) return;
  if (prior_ == SplitPrior::collapsed)
    update_collapsed(rng);
  else
    update_explicit(rng, restricted);
}

void Splitting::update_collapsed(Rng& rng) {
  if (!std::isnan(settings_.alpha)) return;
  const LogCount total = seen_total();
  alpha_ = exp(slice_step(log(alpha_), slice_width, rng, [&](double log_alpha) {
    const double alpha = exp(log_alpha);
    LogRising normaliser;
    normaliser.add(alpha * weight_total_, total);
    return log_alpha_prior(log_alpha) + log_rising_counts(alpha) - normaliser.total();
  }));
}

// s_j = G_j / sum G with G_j ~ Gamma(alpha w_j). An internal node contributes G_rule / G(eligible),
// and 1 / G(E) is the integral over u of exp(-u G(E)). Given one u for each node, the G are
// independent: Gamma(alpha w_j + c_j) with rate 1 + the sum of u over the nodes where j is
// eligible; alpha is drawn with the G integrated out.
void Splitting::update_explicit(Rng& rng,
                                const std::vector<const std::vector<std::uint32_t>*>& restricted) {
  const auto& variables = eligibility_.variables();
  const std::vector<double> log_rate = draw_log_rates(rng, restricted);
  if (std::isnan(settings_.alpha)) {
    double weighted_log_rate = 0;
    for (std::size_t v = 0; v < variables.size(); ++v)
      weighted_log_rate += weights_[variables[v]] * log_rate[v];
    alpha_ = exp(slice_step(log(alpha_), slice_width, rng, [&](double log_alpha) {
      const double alpha = exp(log_alpha);
      const double density = log_alpha_prior(log_alpha) + log_rising_counts(alpha);
      if (!restricted.empty()) return density - alpha * weighted_log_rate;
      LogRising normaliser;
      normaliser.add(alpha * weight_total_, static_cast<double>(n_splits_));
      return density - normaliser.total();
    }));
  }
  std::vector<double> log_g(variables.size());
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const std::uint32_t j = variables[v];
    log_g[v] = rng.log_gamma_variate(alpha_ * weights_[j] + counts_[j]) - log_rate[v];
  }
  set_log_s(log_g);
}

// Logs of the rates of the G. Where no node is restricted all rates are equal and cancel in s.
std::vector<double> Splitting::draw_log_rates(
    Rng& rng, const std::vector<const std::vector<std::uint32_t>*>& restricted) const {
  const auto& variables = eligibility_.variables();
  std::vector<double> log_rate(variables.size(), 0.0);
  if (restricted.empty()) return log_rate;
  const double log_total = rng.log_gamma_variate(alpha_ * weight_total_);
  const double n_free = static_cast<double>(n_splits_ - restricted.size());
  double log_base = 0;
  if (n_free > 0) log_base = fixed_math::log_add(0, rng.log_gamma_variate(n_free) - log_total);
  std::vector<double> log_u;
  for (const auto* ineligible : restricted)
    log_u.push_back(log(rng.exponential()) - log_mass(*ineligible) - log_total);
  // In units of the largest term, so that none overflows; what is lost in them is summed anew.
  const double unit = std::max(log_base, *std::max_element(log_u.begin(), log_u.end()));
  std::vector<double> rate(variables.size(), exp(log_base - unit));
  for (std::size_t k = 0; k < restricted.size(); ++k) {
    const double u = exp(log_u[k] - unit);
    auto next = restricted[k]->begin();
    for (std::size_t v = 0; v < variables.size(); ++v) {
      if (next != restricted[k]->end() && *next == variables[v])
        ++next;
      else
        rate[v] += u;
    }
  }
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (rate[v] > 1e-280) {
      log_rate[v] = unit + log(rate[v]);
      continue;
    }
    log_rate[v] = log_base;
    for (std::size_t k = 0; k < restricted.size(); ++k)
      if (!std::binary_search(restricted[k]->begin(), restricted[k]->end(), variables[v]))
        log_rate[v] = fixed_math::log_add(log_rate[v], log_u[k]);
  }
  return log_rate;
}

void Splitting::set_log_s(const std::vector<double>& log_weights) {
  next_base_ = unused;
  const auto& variables = eligibility_.variables();
  cumulative_.resize(variables.size());
  if (variables.empty()) return;
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  double sum = 0;
  for (std::size_t v = 0; v < variables.size(); ++v)
    cumulative_[v] = sum += exp(log_weights[v] - largest);
  const double log_sum = largest + log(sum);
  for (std::size_t v = 0; v < variables.size(); ++v)
    log_s_[variables[v]] = log_weights[v] - log_sum;
  if (prior_ == SplitPrior::fixed && uniform_) cumulative_.clear();
}

void Splitting::probabilities(Rng& rng, std::vector<double>& s) const {
  s.assign(weights_.size(), 0.0);
  const auto& variables = eligibility_.variables();
  if (variables.empty()) return;
  std::vector<double> log_s;
  for (const std::uint32_t j : variables)
    log_s.push_back(prior_ == SplitPrior::collapsed ? rng.log_gamma_of_log(log_urn_weight(j))
                                                    : log_s_[j]);
  const double largest = *std::max_element(log_s.begin(), log_s.end());
  double sum = 0;
  for (double& value : log_s) sum += (value = exp(value - largest));
  for (std::size_t v = 0; v < variables.size(); ++v) s[variables[v]] = log_s[v] / sum;
}

}  // namespace bayesvc
