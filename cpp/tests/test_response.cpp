// Response models against brute force: those that ship, and one that changes its latents and row
// precisions after every sweep. Seeds are fixed; scores are beyond z_limit about once in 1.7
// million at a fresh seed.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "../forest.hpp"
#include "../response/gaussian.hpp"
#include "../response/interval.hpp"
#include "../response/probit.hpp"
#include "../response/student.hpp"
#include "forest_checks.hpp"
#include "statistics.hpp"

using namespace forest_checks;
using bayesvc::ResponseModel;

namespace {

// Latents, precisions and sigma that change after every sweep, and a log of what it was told.
class ShiftingResponse final : public ResponseModel {
 public:
  ShiftingResponse() : ResponseModel({.working = true, .precisions = true}, 0.75, 0.25) {}

  void observe(const double* y, const std::vector<double>& sum_of_trees) override {
    y_.assign(y, y + sum_of_trees.size());
    for (const double value : y_) working_.push_back(value + offset_);
  }
  void update(double sum_of_squares, Rng& rng) override {
    told_sum_of_squares = sum_of_squares;
    sigma_ = 0.2 + 0.1 * rng.uniform();
  }
  void redraw(const std::vector<double>& mean, Rng& rng) override {
    told_mean = mean;
    precisions_.resize(y_.size());
    for (std::size_t i = 0; i < y_.size(); ++i) {
      working_[i] = y_[i] + offset_ + 0.5 * rng.normal();
      precisions_[i] = 0.1 + 2.0 * rng.uniform();
    }
  }

  double told_sum_of_squares = 0;
  std::vector<double> told_mean;

 private:
  std::vector<double> y_;
};

struct Seen {  // by the trees, before a sweep
  std::vector<double> working, precisions;
  double sigma;
};

// One tree, so that its leaves see the working responses themselves.
void check_leaves(const Forest& forest, const Seen& seen, double leaf_sd) {
  const AssignedTree& assigned = forest.trees()[0];
  for (LeafId id = 0; id < assigned.tree.n_leaves(); ++id) {
    double sum = 0, weight = 0;
    for (const std::size_t i : brute_force::rows_with(assigned.ids, id, id)) {
      sum += seen.precisions[i] * (seen.working[i] - forest.response().offset());
      weight += seen.precisions[i];
    }
    const double precision = weight / (seen.sigma * seen.sigma) + 1 / (leaf_sd * leaf_sd);
    const double mean = sum / (seen.sigma * seen.sigma) / precision;
    CHECK_NEAR((assigned.tree.mu[id] - mean) * std::sqrt(precision), 0.0, 6.0);
  }
}

void check_told(const Forest& forest, const ShiftingResponse& model, const Seen& seen,
                double tolerance) {
  double sum_of_squares = 0;
  for (std::size_t i = 0; i < forest.n(); ++i) {
    const double mean = model.offset() + forest.fitted(i), r = seen.working[i] - mean;
    CHECK_NEAR(model.told_mean[i], mean, tolerance);
    sum_of_squares += seen.precisions[i] * r * r;
  }
  CHECK_NEAR(model.told_sum_of_squares, sum_of_squares, tolerance * sum_of_squares);
}

ForestSettings settings_of(std::string_view response) {
  ForestSettings settings;
  settings.response = response;
  return settings;
}

}  // namespace

// Some 20,000 standard normal scores below 6: a false alarm once in 25,000 fresh seeds.
TEST(trees_follow_responses_and_precisions_that_change_every_sweep) {
  for (const Kind kind : {Kind::untied, Kind::messy}) {
    const Matrix m = matrix_of(kind, 130);
    const Columns columns = m.encode();
    const std::vector<double> y = response(m, false);
    for (const std::size_t n_trees : {1u, 4u}) {
      for (const bool single : {true, false}) {
        ForestSettings settings = bushy(columns);
        settings.n_trees = n_trees;
        settings.moves = {0.2, 0.4, 0.2, 0.1, 0.1};
        settings.single_precision = single;
        auto made = std::make_unique<ShiftingResponse>();
        const ShiftingResponse& model = *made;
        Forest forest(columns, y.data(), settings, {1, 2, 3, 4}, std::move(made));
        CHECK(model.precisions().size() == m.n);  // drawn before the first sweep
        for (int k = 0; k < 300 && !check::failed; ++k) {
          const Seen seen{model.working(), model.precisions(), model.sigma()};
          forest.sweep();
          if (n_trees == 1) check_leaves(forest, seen, settings.leaf_sd);
          check_told(forest, model, seen, single ? 1e-4 : 1e-10);
          CHECK(model.working() != seen.working && model.precisions() != seen.precisions);
        }
        check_forest(forest);
        std::vector<double> fitted(m.n, 0.0);
        forest.add_fitted(fitted);
        for (std::size_t i = 0; i < m.n; ++i)
          CHECK_NEAR(fitted[i], forest.fitted(i), single ? 1e-4 : 1e-10);
      }
    }
  }
}

TEST(sigma_follows_its_conditional) {
  ForestSettings settings = settings_of("gaussian");
  settings.nu = 4;
  settings.lambda = 0.5;
  const std::vector<double> y(16, 0.0);
  for (const bool likelihood : {true, false}) {
    settings.likelihood = likelihood;
    bayesvc::GaussianResponse model(settings);
    CHECK(model.sigma() == std::sqrt(0.5) && !model.redraws().any() && model.offset() == 0);
    model.observe(y.data(), y);
    // (nu lambda + ss) / sigma^2 ~ chi2 with nu + n degrees of freedom.
    const double df = likelihood ? 20 : 4, scale = likelihood ? 2.0 + 3.0 : 2.0;
    Rng rng = brute_force::rng_of(90);
    std::vector<double> draws;
    for (int k = 0; k < 20000; ++k) {
      model.update(3.0, rng);
      draws.push_back(scale / (model.sigma() * model.sigma()));
    }
    CHECK_NEAR(statistics::z_of_mean(draws, df, 2 * df), 0.0, statistics::z_limit);
  }
  settings.sigma = 0.125;
  bayesvc::GaussianResponse fixed(settings);
  Rng rng = brute_force::rng_of(91);
  fixed.update(3.0, rng);
  CHECK(fixed.sigma() == 0.125);
}

TEST(latents_lie_on_the_side_of_their_class) {
  ForestSettings settings = settings_of("probit");
  settings.offset = 0.5;
  bayesvc::ProbitResponse model(settings);
  const std::vector<double> y = {0, 1}, sums = {0.25, -1.25}, mean = {0.75, -0.75};
  model.observe(y.data(), sums);
  CHECK(model.working() == mean && model.redraws().working && !model.redraws().precisions);
  CHECK(model.sigma() == 1 && model.precisions().empty());
  Rng rng = brute_force::rng_of(92);
  std::vector<double> low, high;
  for (int k = 0; k < 20000; ++k) {
    model.redraw(mean, rng);
    low.push_back(model.working()[0]);
    high.push_back(model.working()[1]);
    CHECK(low.back() < 0 && high.back() > 0);
  }
  // The truncated normal: mean m + phi(m) / Phi(m) above zero, here with m = -0.75.
  const double density = std::exp(-0.5 * 0.5625) / std::sqrt(2 * std::acos(-1.0));
  const double hazard = density / (0.5 * std::erfc(0.75 / std::sqrt(2.0)));
  const double expected = hazard - 0.75, variance = 1 + 0.75 * hazard - hazard * hazard;
  CHECK_NEAR(statistics::z_of_mean(high, expected, variance), 0.0, statistics::z_limit);
  CHECK_NEAR(statistics::z_of_mean(low, -expected, variance), 0.0, statistics::z_limit);
}

// One row, so that the marginal distributions can be written down. The draws are those of a chain
// in which only df and lambda move, every tenth kept.
TEST(mixing_weights_and_degrees_of_freedom_follow_their_conditionals) {
  const double y = 0.75, weight = 2.5, sigma = 0.25, f = 0.125;
  const double square = weight * (y - f) * (y - f) / (sigma * sigma);
  ForestSettings settings = settings_of("student");
  settings.sigma = sigma;
  settings.row_weights = {weight};
  for (const bool likelihood : {true, false}) {
    settings.likelihood = likelihood;
    bayesvc::StudentResponse model(settings);
    CHECK(model.redraws().precisions && !model.redraws().working);
    model.observe(&y, {f});
    Rng rng = brute_force::rng_of(93);
    std::vector<double> dfs, positions;
    for (int k = 0; k < 20000; ++k) {
      for (int step = 0; step < 10; ++step) model.redraw({f}, rng);
      const double df = model.df(), lambda = model.precisions()[0] / weight;
      const double shape = 0.5 * (likelihood ? df + 1 : df);
      dfs.push_back(df);
      positions.push_back(
          statistics::gamma_cdf(shape, 0.5 * lambda * (likelihood ? df + square : df)));
    }
    // The density of df by the trapezoid rule: its prior, times Student's density of one error.
    const int n_cells = 20000;
    std::vector<double> cdf(n_cells + 1, 0.0);
    double previous = 0;
    for (int k = 0; k <= n_cells; ++k) {
      const double df = 1 + 199.0 * k / n_cells;
      double density = df * std::exp(-0.1 * df);
      if (likelihood)
        density *= std::exp(std::lgamma(0.5 * (df + 1)) - std::lgamma(0.5 * df)) / std::sqrt(df) *
                   std::pow(1 + square / df, -0.5 * (df + 1));
      if (k > 0) cdf[k] = cdf[k - 1] + 0.5 * (previous + density);
      previous = density;
    }
    const auto cdf_of_df = [&](double df) {
      return cdf[static_cast<std::size_t>((df - 1) / 199 * n_cells + 0.5)] / cdf.back();
    };
    CHECK(statistics::ks_distance(dfs, cdf_of_df) < statistics::ks_limit);
    CHECK(statistics::ks_distance(positions, [](double u) { return u; }) < statistics::ks_limit);
  }
}

// Sums of logarithms by products: many rows, half of them far out.
TEST(degrees_of_freedom_of_many_rows_do_not_overflow) {
  ForestSettings settings = settings_of("student");
  settings.sigma = 1e-6;
  const std::size_t n = 5003;
  std::vector<double> y(n, 0.0);
  for (std::size_t i = 0; i < n; i += 2) y[i] = 1e100;
  bayesvc::StudentResponse model(settings);
  model.observe(y.data(), y);
  Rng rng = brute_force::rng_of(94);
  // Each draw is about half way down to the least value, where the posterior has its peak.
  for (int k = 0; k < 60; ++k) model.redraw(std::vector<double>(n, 0.0), rng);
  CHECK(model.df() >= 1 && model.df() < 1.01);
  for (std::size_t i = 0; i < n; ++i) CHECK(std::isfinite(model.precisions()[i]));
}

TEST(mixing_weights_are_redrawn_after_every_few_sweeps) {
  const Matrix m = matrix_of(Kind::untied, 50);
  const Columns columns = m.encode();
  const std::vector<double> y = response(m, false);
  ForestSettings settings = bushy(columns);
  settings.response = "student";
  Forest forest(columns, y.data(), settings, {1, 2, 3, 4});
  CHECK(forest.response().precisions().size() == m.n);
  for (std::uint64_t k = 1; k < 20; ++k) {
    const std::vector<double> before = forest.response().precisions();
    const double df = forest.df();
    forest.sweep();
    const bool due = k % bayesvc::StudentResponse::redraw_interval == 0;
    CHECK((forest.response().precisions() != before) == due && (forest.df() != df) == due);
  }
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ForestSettings interval_settings(std::string_view response) {
  ForestSettings settings = settings_of(response);
  settings.lower = {0.25, 0.5, -infinity, -0.5};
  settings.upper = {0.25, infinity, -0.75, 0.125};
  return settings;
}

}  // namespace

// One row of each kind: observed, beyond a bound, below one, and between two.
TEST(latents_lie_in_their_interval) {
  ForestSettings settings = interval_settings("interval");
  settings.sigma = 0.5;
  settings.row_weights = {1.0, 4.0, 1.0, 0.25};
  const std::vector<double> y = {0, 1, 2, 3}, mean = {0.0, 0.25, -1.0, 1.0};
  for (const bool likelihood : {true, false}) {
    settings.likelihood = likelihood;
    bayesvc::IntervalResponse<bayesvc::GaussianResponse> model(settings);
    model.observe(y.data(), mean);
    CHECK(model.redraws().working && !model.redraws().precisions && model.due().working);
    CHECK(model.working() == std::vector<double>({0.25, 0.5, -0.75, -0.5}));
    Rng rng = brute_force::rng_of(95);
    std::vector<double> draws[4];
    for (int k = 0; k < 20000; ++k) {
      model.redraw(mean, rng);
      for (std::size_t i = 0; i < 4; ++i) draws[i].push_back(model.working()[i]);
    }
    CHECK(model.working()[0] == 0.25);
    for (std::size_t i = 1; i < 4; ++i) {
      const double sd = 0.5 / std::sqrt(settings.row_weights[i]);
      const auto cdf = [&](double x) { return statistics::normal_cdf((x - mean[i]) / sd); };
      const double below = likelihood ? cdf(settings.lower[i]) : 0.0;
      const double all = (likelihood ? cdf(settings.upper[i]) : 1.0) - below;
      CHECK(statistics::ks_distance(draws[i], [&](double x) { return (cdf(x) - below) / all; }) <
            statistics::ks_limit);
    }
  }
}

TEST(intervals_that_are_all_points_are_a_continuous_response) {
  const Matrix m = matrix_of(Kind::untied, 50);
  const Columns columns = m.encode();
  const std::vector<double> y = response(m, false);
  std::vector<double> codes;
  for (std::size_t i = 0; i < y.size(); ++i) codes.push_back(static_cast<double>(i));
  for (const std::string errors : {"gaussian", "student"}) {
    ForestSettings settings = bushy(columns);
    settings.response = errors;
    Forest plain(columns, y.data(), settings, {1, 2, 3, 4});
    settings.response = errors == "student" ? "interval-student" : "interval";
    settings.lower = settings.upper = y;
    Forest forest(columns, codes.data(), settings, {1, 2, 3, 4});
    for (int k = 0; k < 50; ++k) {
      plain.sweep();
      forest.sweep();
      CHECK(forest.sigma() == plain.sigma());
    }
    CHECK(forest.response().precisions() == plain.response().precisions());
  }
}

TEST(mixing_weights_follow_latents) {
  const Matrix m = matrix_of(Kind::untied, 40);
  const Columns columns = m.encode();
  ForestSettings settings = bushy(columns);
  settings.response = "interval-student";
  settings.lower = {0.0, 0.2};
  settings.upper = {0.0, infinity};
  std::vector<double> codes(m.n, 0.0);
  for (std::size_t i = 0; i < m.n; i += 2) codes[i] = 1.0;
  Forest forest(columns, codes.data(), settings, {1, 2, 3, 4});
  for (std::uint64_t k = 1; k < 30; ++k) {
    const std::vector<double> before = forest.response().precisions();
    const std::vector<double> latents = forest.response().working();
    forest.sweep();
    using Model = bayesvc::IntervalResponse<bayesvc::StudentResponse>;
    CHECK((forest.response().precisions() != before) ==
          (k % bayesvc::StudentResponse::redraw_interval == 0));
    for (std::size_t i = 0; i < m.n; ++i) {
      const double now = forest.response().working()[i];
      CHECK(i % 2 == 0 ? now >= 0.2 && (now != latents[i]) == (k % Model::redraw_interval == 0)
                       : now == 0.0);
    }
  }
}

TEST(response_models_have_names) {
  CHECK(bayesvc::takes_intervals("interval") && !bayesvc::takes_intervals("probit"));
  CHECK(bayesvc::make_response_model(settings_of("student")) != nullptr);
  CHECK(bayesvc::make_response_model(settings_of("gaussian")) != nullptr);
  CHECK(bayesvc::make_response_model(settings_of("probit")) != nullptr);
  bool refused = false;
  try {
    bayesvc::make_response_model(settings_of("poisson"));
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}
