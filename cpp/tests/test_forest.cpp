// Whole chains. Seeds are fixed; the scores of the two-state chain are means over 100 batches,
// beyond z_limit about twice in a million at a fresh seed.
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "../forest.hpp"
#include "forest_checks.hpp"
#include "statistics.hpp"

using namespace forest_checks;
using bayesvc::Rule;
using Listed = std::vector<std::pair<Rule, double>>;

namespace {

constexpr std::string_view priors[] = {"fixed", "explicit", "collapsed"};
constexpr Kind kinds[] = {Kind::untied, Kind::binary, Kind::mixed, Kind::messy};
constexpr std::uint32_t leaf = bayesvc::no_variable;

struct Tracks {
  std::size_t most_leaves = 0;
  std::array<std::uint64_t, bayesvc::n_moves> accepted{};
};

// Many sweeps with checks in between.
void check_chain(const Columns& columns, const std::vector<double>& y,
                 const ForestSettings& settings, int n_sweeps, Tracks& tracks) {
  Forest forest(columns, y.data(), settings, {1, 2, 3, 4});
  for (int k = 0; k < n_sweeps && !check::failed; ++k) {
    forest.sweep();
    if (k % 15 == 0) check_forest(forest);
    for (const AssignedTree& assigned : forest.trees())
      tracks.most_leaves = std::max(tracks.most_leaves, assigned.tree.n_leaves());
    CHECK(std::isfinite(forest.sigma()) && forest.sigma() > 0);
  }
  check_forest(forest);
  for (std::size_t m = 0; m < bayesvc::n_moves; ++m)
    tracks.accepted[m] += forest.move_counts().accepted[m];
}

// The chains met every kind of move, or their books were not put to the test.
void check_tracks(const Tracks& tracks, std::size_t leaves) {
  CHECK(tracks.most_leaves >= leaves);
  for (const std::uint64_t accepted : tracks.accepted) CHECK(accepted > 0);
}

std::vector<double> row_weights(std::size_t n) {
  Rng rng = brute_force::rng_of(83);
  std::vector<double> weights(n);
  for (double& weight : weights) weight = 0.1 + 2.0 * rng.uniform();
  return weights;
}

bool plants(Forest& forest, const Listed& nodes) {
  try {
    forest.set_tree(0, nodes);
  } catch (const std::invalid_argument&) {
    return false;
  }
  return true;
}

}  // namespace

TEST(chains_keep_their_books) {
  Tracks tracks;
  for (const Kind kind : kinds) {
    const Matrix m = matrix_of(kind, 130);
    const Columns columns = m.encode();
    for (const std::string_view prior : priors) {
      for (const bool single : {true, false}) {
        for (const std::uint32_t min_rows : {1u, 3u}) {
          ForestSettings settings = bushy(columns);
          settings.splitting = prior;
          settings.single_precision = single;
          settings.min_samples_leaf = min_rows;
          if (!single) settings.weights[1] = 0;
          check_chain(columns, response(m, false), settings, 150, tracks);
        }
      }
    }
  }
  check_tracks(tracks, 9);
}

TEST(chains_of_binary_responses_keep_their_books) {
  Tracks tracks;
  for (const Kind kind : kinds) {
    const Matrix m = matrix_of(kind, 130);
    const Columns columns = m.encode();
    for (const std::string_view prior : priors) {
      ForestSettings settings = bushy(columns);
      settings.splitting = prior;
      settings.response = "probit";
      settings.offset = 0.2;
      settings.leaf_sd = 0.6;
      check_chain(columns, response(m, true), settings, 150, tracks);
    }
  }
  check_tracks(tracks, 9);
}

TEST(trees_outgrow_the_registers) {
  Tracks tracks;
  const Matrix m = matrix_of(Kind::mixed, 600);
  const Columns columns = m.encode();
  for (const std::string_view prior : priors) {
    ForestSettings settings = bushy(columns);
    settings.n_trees = 2;
    settings.splitting = prior;
    settings.sigma = 0.02;
    settings.leaf_sd = 0.3;
    settings.moves = {0.4, 0.2, 0.2, 0.1, 0.1};
    check_chain(columns, response(m, false), settings, 300, tracks);
  }
  check_tracks(tracks, 17);
}

TEST(chains_keep_their_books_without_data) {
  Tracks tracks;
  const Matrix m = matrix_of(Kind::mixed, 60);
  const Columns columns = m.encode();
  for (const std::string_view prior : priors) {
    ForestSettings settings = bushy(columns);
    settings.splitting = prior;
    settings.likelihood = false;
    check_chain(columns, response(m, false), settings, 400, tracks);
  }
  check_tracks(tracks, 9);
}

// One tree, so that its leaves see y itself, which varies far more than sigma says: sums over the
// wrong rows are far off. Some 10,000 standard normal scores below 6: a false alarm once in 50,000
// fresh seeds.
TEST(leaf_values_follow_their_rows) {
  for (const Kind kind : kinds) {
    const Matrix m = matrix_of(kind, 130);
    const Columns columns = m.encode();
    Rng rng = brute_force::rng_of(81);
    std::vector<double> y(m.n);
    for (double& value : y) value = rng.normal();
    for (const bool single : {true, false}) {
      ForestSettings settings = bushy(columns);
      settings.row_weights = single ? row_weights(m.n) : std::vector<double>();
      settings.n_trees = 1;
      settings.sigma = 0.25;
      settings.leaf_sd = 0.25;
      settings.moves = {0.2, 0.4, 0.2, 0.1, 0.1};
      settings.single_precision = single;
      Forest forest(columns, y.data(), settings, {1, 2, 3, 4});
      for (int k = 0; k < 400; ++k) {
        forest.sweep();
        const AssignedTree& assigned = forest.trees()[0];
        for (LeafId id = 0; id < assigned.tree.n_leaves(); ++id) {
          const Rows rows = brute_force::rows_with(assigned.ids, id, id);
          double sum = 0, weight = 0;
          for (const std::size_t i : rows) {
            const double w = single ? settings.row_weights[i] : 1.0;
            sum += w * y[i];
            weight += w;
          }
          const double shrink = 1 / (1 + weight);
          const double sd = 0.25 * std::sqrt(shrink);
          CHECK_NEAR((assigned.tree.mu[id] - shrink * sum) / sd, 0.0, 6.0);
        }
      }
      CHECK(forest.move_counts().accepted[1] > 0);
    }
  }
}

namespace {

void check_same_chains(const Columns& columns, const std::vector<double>& y,
                       ForestSettings settings, const char* kernel) {
  settings.kernel = "plain";
  Forest plain(columns, y.data(), settings, {5, 6, 7, 8});
  settings.kernel = kernel;
  Forest other(columns, y.data(), settings, {5, 6, 7, 8});
  for (int k = 0; k < 150 && !check::failed; ++k) {
    plain.sweep();
    other.sweep();
    CHECK(plain.sigma() == other.sigma());
    CHECK(same_trees(plain, other));
  }
  const double alpha = plain.splitting().alpha();
  CHECK(settings.splitting == "fixed" ? std::isnan(alpha) : alpha == other.splitting().alpha());
}

}  // namespace

TEST(chains_are_the_same_with_all_kernels) {
  for (const Kind kind : kinds) {
    const Matrix m = matrix_of(kind, 701);
    const Columns columns = m.encode();
    const auto y = response(m, false);
    for (const std::string_view prior : priors) {
      for (const bool single : {true, false}) {
        ForestSettings settings = bushy(columns);
        settings.splitting = prior;
        settings.single_precision = single;
        if (prior == "fixed") settings.row_weights = row_weights(m.n);
        for (const bayesvc::Kernels* kernels : bayesvc::available_kernels())
          check_same_chains(columns, y, settings, kernels->name);
      }
    }
  }
}

TEST(seeds_make_chains) {
  const Matrix m = matrix_of(Kind::mixed, 100);
  const Columns columns = m.encode();
  const auto y = response(m, false);
  Forest a(columns, y.data(), bushy(columns), {5, 6, 7, 8});
  Forest b(columns, y.data(), bushy(columns), {5, 6, 7, 8});
  Forest c(columns, y.data(), bushy(columns), {5, 6, 7, 9});
  for (int k = 0; k < 50; ++k)
    for (Forest* forest : {&a, &b, &c}) forest->sweep();
  CHECK(a.sigma() == b.sigma() && same_trees(a, b));
  CHECK(a.sigma() != c.sigma() && !same_trees(a, c));
}

TEST(planted_trees_come_back_as_listed) {
  const Matrix m = matrix_of(Kind::mixed, 130);
  const Columns columns = m.encode();
  const auto y = response(m, false);
  for (const std::string_view prior : priors) {
    ForestSettings settings = bushy(columns);
    settings.splitting = prior;
    Forest source(columns, y.data(), settings, {1, 2, 3, 4});
    Forest target(columns, y.data(), settings, {4, 3, 2, 1});
    for (int round = 0; round < 10; ++round) {
      for (int k = 0; k < 20; ++k) source.sweep();
      for (std::size_t t = 0; t < settings.n_trees; ++t)
        target.set_tree(t, bayesvc::listed(source.trees()[t].tree));
      CHECK(same_trees(source, target));
      for (std::uint32_t j = 0; j < columns.p(); ++j)
        CHECK(source.splitting().counts().count(j) == target.splitting().counts().count(j));
      target.sweep();
    }
  }
}

TEST(bad_trees_are_refused) {
  Matrix m{12};
  Rng rng = brute_force::rng_of(80);
  m.add_untied(rng);
  m.add_tied(rng, 2);
  m.add_indicator(12);
  m.add_indicator(2);
  m.add_untied(rng);
  const Columns columns = m.encode();
  const std::vector<double> y(12, 0.1);
  ForestSettings settings = bushy(columns);
  settings.min_samples_leaf = 3;
  settings.weights[4] = 0;
  const auto split = [](std::uint32_t variable, std::uint32_t cutpoint) {
    return Listed{{Rule{variable, variable, cutpoint}, 0}, {Rule{leaf}, 1.0}, {Rule{leaf}, 2.0}};
  };
  const auto accepted = [&](const Listed& nodes) {
    Forest forest(columns, y.data(), settings, {1, 2, 3, 4});
    return plants(forest, nodes);
  };
  CHECK(accepted(split(0, 2)) && accepted(split(0, 8)));
  CHECK(accepted({{Rule{leaf}, 0.5}}));
  CHECK(!accepted(split(0, 1)) && !accepted(split(0, 9)));  // too few rows on one side
  CHECK(!accepted(split(3, 0)));
  CHECK(!accepted(split(2, 0)));                             // constant
  CHECK(!accepted(split(0, 12)) && !accepted(split(1, 2)));  // no such code
  CHECK(!accepted(split(0, 256 + 5)));                       // nor one that looks like 5 in 8 bits
  CHECK(!accepted(split(4, 5)));                             // of weight zero
  CHECK(!accepted({}));
  CHECK(!accepted({{Rule{0, 0, 5}, 0}, {Rule{leaf}, 1.0}}));  // a leaf is missing
  CHECK(!accepted({{Rule{leaf}, 1.0}, {Rule{leaf}, 1.0}}));
  Listed twice = split(0, 5);  // the same rule below itself
  twice.insert(twice.begin() + 1, {{Rule{0, 0, 5}, 0.0}, {Rule{leaf}, 0.0}});
  CHECK(!accepted(twice));
  for (const std::uint32_t variable : {5u, 1000000u})  // no such variable
    CHECK(!accepted(split(variable, 0)));
}

// What a refused tree leaves behind must still be a forest that can go on.
TEST(a_refused_tree_changes_nothing) {
  const Matrix m = matrix_of(Kind::mixed, 80);
  const Columns columns = m.encode();
  const auto y = response(m, false);
  Forest forest(columns, y.data(), bushy(columns), {1, 2, 3, 4});
  for (int k = 0; k < 40; ++k) forest.sweep();
  const Listed before = bayesvc::listed(forest.trees()[0].tree);
  CHECK(!plants(forest, {{Rule{0, 0, 40}, 0}, {Rule{leaf}, 1.0}}));
  CHECK(bayesvc::listed(forest.trees()[0].tree) == before);
  check_forest(forest);
}

// Root X with Y on both sides against root Y with X on both sides: swapping leads from one to the
// other and nowhere else. Four values a column, cut in the middle, so that nothing is
// exhausted.
TEST(swapping_a_rule_with_two_equal_ones_counts_splits) {
  Matrix m{32};
  for (int j = 0; j < 2; ++j)
    for (std::size_t i = 0; i < 32; ++i) m.x.push_back(j ? (i / 4) % 4 : i % 4);
  const Columns columns = m.encode();
  const std::vector<double> y(32, 0.0);
  for (const std::string_view prior : {"fixed", "collapsed"}) {
    ForestSettings settings = bushy(columns);
    settings.n_trees = 1;
    settings.likelihood = false;
    settings.moves = {0, 0, 0, 1};
    settings.splitting = prior;
    settings.weights = {1, 3};
    settings.dirichlet.alpha = 2;
    Forest forest(columns, y.data(), settings, {1, 2, 3, 4});
    const Rule x{0, 0, 1}, z{1, 1, 1}, end{leaf};
    forest.set_tree(0, {{x, 0}, {z, 0}, {end, 0}, {end, 0}, {z, 0}, {end, 0}, {end, 0}});
    std::vector<double> share;
    for (int batch = 0; batch < 100; ++batch) {
      double at_first = 0;
      for (int k = 0; k < 100; ++k) {
        forest.sweep();
        const Listed now = bayesvc::listed(forest.trees()[0].tree);
        CHECK(now[1].first == now[4].first);
        at_first += now[0].first == x;
        CHECK(forest.splitting().counts().count(0) == (now[0].first == x ? 1u : 2u));
        CHECK(forest.splitting().counts().count(1) == (now[0].first == x ? 2u : 1u));
        if (check::failed) return;
      }
      share.push_back(at_first / 100);
    }
    // Fixed: w_y / (w_x + w_y). Collapsed: (alpha w_y + 1) against (alpha w_x + 1).
    const double expected = prior == "fixed" ? 0.75 : 2.5 / 4.0, mean = statistics::mean(share);
    double variance = 0;
    for (const double value : share) variance += (value - mean) * (value - mean) / 99;
    CHECK_NEAR(statistics::z_of_mean(share, expected, variance), 0.0, statistics::z_limit);
  }
}
