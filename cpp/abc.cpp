#include "abc.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace bayesvc {
namespace {

// Below this spread of the scaled response, 32-bit residuals would lose digits that matter.
constexpr double least_spread_for_single = 0.005;

bool is_binary(const ForestSettings& settings) { return settings.response == "probit"; }

double standard_deviation(const std::vector<double>& y) {
  const double n = static_cast<double>(y.size());
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double sum = 0;
  for (const double value : y) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / (n - 1.0));
}

double quantile(const std::vector<double>& sorted, double probability) {  // type 7
  const double at = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double spread(std::vector<double> y) {
  const double sd = standard_deviation(y);
  std::sort(y.begin(), y.end());
  return std::min(sd, (quantile(y, 0.75) - quantile(y, 0.25)) / 1.35);
}

// The training rows may span far less than all rows do, and its square must stay finite.
double scaled_sd(double sd, double range) { return std::clamp(sd / range, 1e-12, 1e12); }

// To training rows whose y does not vary: stumps.
FitResult flat_fit(std::size_t p, double sigma) {
  FitResult fit{.tallies = Tallies(p, 1),
                .sigma = {sigma},
                .alpha = {std::numeric_limits<double>::quiet_NaN()},
                .n_splits = {0},
                .counts = {},
                .s = {},
                .forests = {},
                .leaf_sd = {},
                .df = {},
                .fitted = {}};
  fit.tallies.finish();
  return fit;
}

// The rule on the codes of all rows that agrees with one on the codes of the training rows.
Rule on_all_rows(Rule rule, const Forest& forest, const Columns& all, const AbcPlan& plan) {
  const Columns& part = forest.columns();
  const Rule whole{plan.subset[rule.variable], part.origin(rule.coding), rule.cutpoint};
  if (part.categorical(rule.coding)) return whole;
  const std::size_t row = with_codes(part.view(rule.coding), [&](const auto* codes) {
    return static_cast<std::size_t>(std::find(codes, codes + forest.n(), rule.cutpoint) - codes);
  });
  return {whole.variable, whole.coding, all.code(whole.coding, plan.train[row])};
}

bool goes_left(const Columns& columns, const Rule& rule, std::size_t row) {
  const std::uint32_t code = columns.code(rule.coding, row);
  return columns.categorical(rule.coding) ? (rule.cutpoint >> code) & 1 : code <= rule.cutpoint;
}

}  // namespace

AbcSampler::AbcSampler(const Columns& columns, const MatrixView& x, const double* y,
                       AbcSettings settings)
    : columns_(columns), x_(x), y_(y, y + columns.n()), settings_(std::move(settings)) {
  const auto [low, high] = std::minmax_element(y_.begin(), y_.end());
  if (*high > *low) y_range_ = *high - *low;
}

AbcSample AbcSampler::sample(const std::array<std::uint64_t, 4>& seed, Control& control) const {
  const Stopwatch watch;
  Rng rng(seed);
  AbcPlan plan = draw_plan(rng);
  const Half half = calibrated(plan, control);
  std::vector<double> f(plan.held_out.size(), -0.5);
  FitResult fit = half.constant ? flat_fit(plan.subset.size(), half.settings.sigma)
                                : fit_and_predict(half, plan, control, f);
  if (half.constant)
    control.sweeps_done.fetch_add(settings_.burn_in + 1, std::memory_order_relaxed);
  std::vector<double> pseudo_y = simulated(f, half, fit.sigma[0], rng);
  fit.sigma[0] *= half.range;
  fit.seconds = watch.seconds();
  const double distance = discrepancy(plan, pseudo_y);
  return {std::move(plan), std::move(fit), std::move(pseudo_y), distance};
}

FitResult AbcSampler::fit_and_predict(const Half& half, const AbcPlan& plan, Control& control,
                                      std::vector<double>& f) const {
  const Columns columns(columns_, plan.train, plan.subset);
  Forest forest(columns, half.y.data(), half.settings, plan.seed);
  FitResult fit = run_fit(forest, plan.seed, {settings_.burn_in, 1, false, false, false}, control);
  f = predicted(forest, plan);
  return fit;
}

AbcPlan AbcSampler::draw_plan(Rng& rng) const {
  AbcPlan plan;
  for (std::uint64_t& word : plan.seed) word = rng.bits();
  double log_theta, log_rest;
  rng.log_beta(fixed_math::log(settings_.a0), fixed_math::log(settings_.b0), log_theta, log_rest);
  const double theta = fixed_math::exp(log_theta);
  for (std::uint32_t j = 0; j < columns_.p(); ++j)
    if (rng.uniform() < theta) plan.subset.push_back(j);

  std::vector<std::uint32_t> rows(columns_.n());
  std::iota(rows.begin(), rows.end(), 0u);
  for (std::size_t i = 0; i < settings_.n_train; ++i)
    std::swap(rows[i], rows[i + rng.below(static_cast<std::uint32_t>(rows.size() - i))]);
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(settings_.n_train);
  std::sort(rows.begin(), middle);
  std::sort(middle, rows.end());
  plan.train.assign(rows.begin(), middle);
  plan.held_out.assign(middle, rows.end());
  return plan;
}

AbcSampler::Half AbcSampler::calibrated(const AbcPlan& plan, const Control& control) const {
  Half half;
  half.settings = settings_.forest;
  half.settings.weights.clear();
  for (const std::uint32_t j : plan.subset)
    half.settings.weights.push_back(settings_.forest.weights[j]);
  for (const std::uint32_t row : plan.train) half.y.push_back(y_[row]);
  if (is_binary(half.settings)) {
    const auto ones = static_cast<std::size_t>(std::count(half.y.begin(), half.y.end(), 1.0));
    half.settings.offset = settings_.offsets[ones];
    half.settings.single_precision = true;
    return half;
  }
  const auto [low, high] = std::minmax_element(half.y.begin(), half.y.end());
  half.low = *low;
  half.range = *high - *low;
  half.constant = half.range == 0;
  if (half.constant) {
    half.range = 1;
    if (std::isnan(half.settings.sigma)) half.settings.sigma = 0;  // no noise but a known one
    return half;
  }
  for (double& value : half.y) value = (value - half.low) / half.range - 0.5;
  half.settings.single_precision = spread(half.y) >= least_spread_for_single;
  if (std::isnan(half.settings.sigma)) {
    const double hat = sigma_hat(plan, half, control);
    half.settings.lambda = hat * hat * settings_.lambda_unit;
  } else {
    half.settings.sigma = scaled_sd(half.settings.sigma, half.range);
  }
  return half;
}

// Of the scaled y.
double AbcSampler::sigma_hat(const AbcPlan& plan, const Half& half, const Control& control) const {
  if (!std::isnan(settings_.sigma_hat)) return scaled_sd(settings_.sigma_hat, half.range);
  std::vector<std::uint32_t> model_columns;
  for (const std::uint32_t j : plan.subset) {
    if (settings_.design.empty())
      model_columns.push_back(j);
    else
      model_columns.insert(model_columns.end(), settings_.design[j].begin(),
                           settings_.design[j].end());
  }
  const LinearModel model(x_, plan.train, model_columns, [&] {
    if (control.cancelled.load(std::memory_order_relaxed)) throw Cancelled();
  });
  const double sd = standard_deviation(half.y);
  const std::size_t n = half.y.size();
  if (n < model.rank() + 2) return sd;
  const std::size_t divisor = settings_.corrected ? n - model.rank() - 1 : n - 1;
  return std::max(std::sqrt(model.residual_ss(half.y.data()) / static_cast<double>(divisor)),
                  1e-3 * sd);
}

// The sum of the trees at the held-out rows.
std::vector<double> AbcSampler::predicted(const Forest& forest, const AbcPlan& plan) const {
  std::vector<double> sums(plan.held_out.size(), 0.0);
  std::vector<Rule> rules;
  for (const AssignedTree& assigned : forest.trees()) {
    const Tree& tree = assigned.tree;
    rules.assign(tree.nodes().size(), {});
    for (std::size_t k = 0; k < rules.size(); ++k)
      if (!tree.nodes()[k].is_leaf())
        rules[k] = on_all_rows(tree.nodes()[k].rule, forest, columns_, plan);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Node* node = &tree.node(0);
      while (!node->is_leaf()) {
        const Rule& rule = rules[static_cast<std::size_t>(node - tree.nodes().data())];
        const bool left = goes_left(columns_, rule, plan.held_out[i]);
        node = &tree.node(left ? node->left : node->right);
      }
      sums[i] += tree.mu[node->leaf];
    }
  }
  return sums;
}

std::vector<double> AbcSampler::simulated(const std::vector<double>& f, const Half& half,
                                          double sigma, Rng& rng) const {
  std::vector<double> pseudo_y;
  for (const double mean : f) {
    const double noisy = mean + sigma * rng.normal();
    pseudo_y.push_back(is_binary(half.settings) ? half.settings.offset + noisy > 0
                                                : half.low + (noisy + 0.5) * half.range);
  }
  return pseudo_y;
}

double AbcSampler::discrepancy(const AbcPlan& plan, const std::vector<double>& pseudo_y) const {
  double sum = 0;
  for (std::size_t i = 0; i < pseudo_y.size(); ++i) {
    // in units that keep the square within the range of doubles
    const double difference = (y_[plan.held_out[i]] - pseudo_y[i]) / y_range_;
    sum += difference * difference;
  }
  return std::sqrt(sum) * y_range_;
}

}  // namespace bayesvc
