// Seeds are fixed. The chi-square scores are held against z_limit of statistics.hpp: a fresh seed
// would raise a false alarm about once in 1.7 million scores; some 200 are taken here.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "../eligibility.hpp"
#include "brute_force.hpp"
#include "check.hpp"
#include "forest_checks.hpp"
#include "statistics.hpp"

using bayesvc::Columns;
using bayesvc::Eligibility;
using bayesvc::LeafId;
using bayesvc::Rng;
using bayesvc::RowSet;
using bayesvc::Rule;
using brute_force::Matrix;
using brute_force::rng_of;
using brute_force::Rows;

namespace {

enum class Kind { untied, binary, tied, mixed, messy };
constexpr Kind kinds[] = {Kind::untied, Kind::binary, Kind::tied, Kind::mixed, Kind::messy};

Matrix matrix_of(Kind kind, std::size_t n, Rng& rng) {
  if (kind == Kind::messy) return forest_checks::messy_matrix(n);
  Matrix m{n};
  if (kind == Kind::untied || kind == Kind::mixed)
    for (int k = 0; k < 3; ++k) m.add_untied(rng);
  if (kind == Kind::binary || kind == Kind::mixed) {
    m.add_tied(rng, 2);
    m.add_tied(rng, 2);
    m.add_indicator(1);
    m.add_indicator(2);
    m.add_indicator(n - 3);
  }
  if (kind == Kind::tied || kind == Kind::mixed)
    for (const std::size_t n_values : {3u, 12u, 33u, 50u, 150u, 400u}) m.add_tied(rng, n_values);
  m.add_indicator(n);  // constant
  return m;
}

struct Node {
  std::vector<LeafId> ids;
  LeafId first = 0, second = 0;

  Rows rows() const { return brute_force::rows_with(ids, first, second); }
  RowSet set() const {
    return {ids.data(), first, second, static_cast<std::uint32_t>(rows().size())};
  }
};

// A random set of rows of any size from 1 to n, under one label or two.
Node random_node(std::size_t n, Rng& rng) {
  Node node{std::vector<LeafId>(n, 9), 4, 4};
  if (rng.below(2)) node.second = 2;
  const std::size_t wanted =
      1 + brute_force::below(rng, rng.below(2) ? n : std::min<std::size_t>(n, 9));
  for (std::size_t chosen = 0; chosen < wanted;) {
    LeafId& id = node.ids[brute_force::below(rng, n)];
    if (id != 9) continue;
    id = rng.below(2) ? node.first : node.second;
    ++chosen;
  }
  return node;
}

void check_node(const Columns& columns, const Eligibility& eligibility,
                const std::vector<double>& weights, const Node& node) {
  const Rows rows = node.rows();
  const RowSet set = node.set();
  const std::uint32_t min_rows = eligibility.min_rows();
  std::vector<std::uint32_t> ineligible;
  for (std::uint32_t j = 0; j < columns.p(); ++j) {
    const auto rules = brute_force::rules(columns, rows, j, min_rows);
    CHECK(eligibility.eligible(set, j) == !rules.empty());
    for (const auto& [rule, probability] : rules) {
      CHECK_NEAR(eligibility.n_choices(set, rule) * probability, 1.0, 1e-12);
    }
    const auto& variables = eligibility.variables();
    if (rules.empty() && std::binary_search(variables.begin(), variables.end(), j))
      ineligible.push_back(j);
  }
  const bool splittable = brute_force::splittable(columns, rows, weights, min_rows);
  CHECK(eligibility.splittable(set) == splittable);
  if (eligibility.surely_splittable(set.size)) CHECK(splittable);
  if (eligibility.surely_unsplittable(set.size)) CHECK(!splittable);
  // Only nodes that can be split ask for their ineligible variables.
  if (!splittable) return;
  CHECK(eligibility.ineligible(set) == ineligible);
  if (!eligibility.may_exhaust(set.size)) CHECK(ineligible.empty());
}

double z_of_rules(const Columns& columns, const Eligibility& eligibility, const Node& node,
                  std::uint32_t variable, Rng& rng) {
  const auto rules = brute_force::rules(columns, node.rows(), variable, eligibility.min_rows());
  std::vector<double> counts(rules.size(), 0.0), shares;
  for (const auto& [rule, probability] : rules) shares.push_back(probability);
  for (int draw = 0; draw < 3000; ++draw) {
    Rule rule = eligibility.draw(node.set(), variable, rng);
    for (;;) {
      const auto at = std::find_if(rules.begin(), rules.end(),
                                   [&](const auto& entry) { return entry.first == rule; });
      if (at != rules.end()) {
        counts[static_cast<std::size_t>(at - rules.begin())] += 1;
        break;
      }
      CHECK(!columns.categorical(rule.coding));  // these are always admissible
      eligibility.draw_cutpoint(node.set(), rule, rng);
    }
  }
  return rules.size() == 1 ? 0 : statistics::z_of_counts(counts, shares);
}

// Scores draws near a value of the node against a listing of all windows.
double z_of_near(const Columns& columns, const bayesvc::Cutpoints& cutpoints, const Node& node,
                 std::uint32_t coding, Rng& rng) {
  std::set<std::uint32_t> values;
  for (const std::size_t i : node.rows()) values.insert(columns.code(coding, i));
  const auto here =
      *std::next(values.begin(), rng.below(static_cast<std::uint32_t>(values.size())));
  const std::uint32_t n_codes = columns.n_distinct(coding);
  const bayesvc::CodeRange range{rng.below(here + 1), here + rng.below(n_codes - here)};
  const std::uint32_t width = 1 + rng.below(n_codes);
  std::map<std::uint32_t, double> shares, counts;
  for (std::uint32_t below = 0; below <= width; ++below) {
    std::vector<std::uint32_t> window;
    for (const std::uint32_t value : values)
      if (range.has(value) && value + below >= here && value <= here + width - below)
        window.push_back(value);
    for (const std::uint32_t value : window)
      shares[value] += 1.0 / static_cast<double>((width + 1) * window.size());
  }
  for (int draw = 0; draw < 4000; ++draw)
    counts[static_cast<std::uint32_t>(
        cutpoints.draw_near(node.set(), coding, here, range, width, rng))] += 1;
  for (const auto& [value, count] : counts) CHECK(shares.contains(value));
  std::vector<double> seen(1, 0.0), expected(1, 0.0);  // first: all rare values together
  for (const auto& [value, share] : shares) {
    if (4000 * share >= 10) {
      seen.push_back(counts[value]);
      expected.push_back(share);
    } else {
      seen[0] += counts[value];
      expected[0] += share;
    }
  }
  if (4000 * expected[0] < 10) {
    seen.erase(seen.begin());
    expected.erase(expected.begin());
  }
  return seen.size() <= 1 ? 0 : statistics::z_of_counts(seen, expected);
}

}  // namespace

TEST(eligibility_agrees_with_brute_force) {
  Rng rng = rng_of(30);
  for (const Kind kind : kinds) {
    for (const std::size_t n : {4u, 9u, 40u, 150u}) {
      const Matrix m = matrix_of(kind, n, rng);
      const Columns columns = m.encode();
      std::vector<double> weights(columns.p(), 1.0);
      if (columns.p() > 2) weights[1] = 0;
      for (const auto* kernels : {&bayesvc::plain_kernels(), &bayesvc::kernels_named("auto")}) {
        for (const std::uint32_t min_rows : {1u, 2u, 3u}) {
          const Eligibility eligibility(columns, *kernels, weights, min_rows);
          Rows all;
          for (std::size_t i = 0; i < n; ++i) all.push_back(i);
          std::vector<std::uint32_t> variables;
          for (std::uint32_t j = 0; j < columns.p(); ++j)
            if (weights[j] > 0 && brute_force::eligible(columns, all, j, min_rows))
              variables.push_back(j);
          CHECK(eligibility.variables() == variables);
          check_node(columns, eligibility, weights, {std::vector<LeafId>(n, 0), 0, 0});
          for (int k = 0; k < 60; ++k)
            check_node(columns, eligibility, weights, random_node(n, rng));
        }
      }
    }
  }
}

// Rows that are alike in every column cannot be told apart, however many they are.
TEST(repeated_rows_cannot_be_split) {
  Rng rng = rng_of(31);
  Matrix m{120};
  for (int j = 0; j < 3; ++j) m.add_tied(rng, 2);
  m.add_tied(rng, 3);
  const Columns columns = m.encode();
  const std::vector<double> weights = {1, 1, 1, 0};  // the last column takes no part
  for (const std::uint32_t min_rows : {1u, 2u, 3u}) {
    const Eligibility eligibility(columns, bayesvc::kernels_named("auto"), weights, min_rows);
    for (unsigned cell = 0; cell < 8; ++cell) {
      Node node{std::vector<LeafId>(m.n, 0), 1, 1};
      for (std::size_t i = 0; i < m.n; ++i)
        if (m.at(i, 0) + 2 * m.at(i, 1) + 4 * m.at(i, 2) == cell) node.ids[i] = 1;
      CHECK(!eligibility.splittable(node.set()));
      check_node(columns, eligibility, weights, node);
      for (std::size_t i = 0; i < min_rows; ++i) {  // rows of another kind join, one by one
        const auto other = std::find(node.ids.begin(), node.ids.end(), LeafId{0});
        *other = 1;
        check_node(columns, eligibility, weights, node);
      }
    }
  }
}

TEST(nothing_to_split_on) {
  Matrix m{10};
  m.add_indicator(10);
  m.add_indicator(5);
  const Columns columns = m.encode();
  for (const std::vector<double>& weights :
       {std::vector<double>{1, 0}, std::vector<double>{1, 1}}) {
    const std::uint32_t min_rows = weights[1] > 0 ? 6 : 1;
    const Eligibility eligibility(columns, bayesvc::kernels_named("auto"), weights, min_rows);
    CHECK(eligibility.variables().empty());
    check_node(columns, eligibility, weights, {std::vector<LeafId>(10, 0), 0, 0});
  }
}

TEST(rules_are_drawn_from_their_prior) {
  Rng rng = rng_of(32);
  int n_scores = 0;
  for (const Kind kind : {Kind::untied, Kind::binary, Kind::tied, Kind::messy}) {
    const Matrix m = matrix_of(kind, 200, rng);
    const Columns columns = m.encode();
    const std::vector<double> weights(columns.p(), 1.0);
    for (const std::uint32_t min_rows : {1u, 2u, 3u}) {
      const Eligibility eligibility(columns, bayesvc::kernels_named("auto"), weights, min_rows);
      for (int k = 0; k < 6; ++k) {
        const Node node = k ? random_node(m.n, rng) : Node{std::vector<LeafId>(m.n, 0), 0, 0};
        for (const std::uint32_t j : eligibility.variables()) {
          if (!eligibility.eligible(node.set(), j)) continue;
          CHECK_NEAR(z_of_rules(columns, eligibility, node, j, rng), 0.0, statistics::z_limit);
          ++n_scores;
        }
      }
    }
  }
  CHECK(n_scores > 40);
}

TEST(cutpoints_nearby_come_from_windows_around_the_old_one) {
  Rng rng = rng_of(34);
  for (const Kind kind : {Kind::untied, Kind::binary, Kind::tied}) {
    const Matrix m = matrix_of(kind, 200, rng);
    const Columns columns = m.encode();
    const bayesvc::Cutpoints cutpoints(columns, bayesvc::kernels_named("auto"), 1);
    for (int k = 0; k < 6; ++k) {
      const Node node = k ? random_node(m.n, rng) : Node{std::vector<LeafId>(m.n, 0), 0, 0};
      for (std::uint32_t coding = 0; coding < columns.n_codings(); ++coding)
        CHECK_NEAR(z_of_near(columns, cutpoints, node, coding, rng), 0.0, statistics::z_limit);
    }
  }
}

// A small node in many rows is counted through, a large one is met by chance.
TEST(random_rows_are_uniform) {
  Rng rng = rng_of(33);
  Matrix m{400};
  m.add_untied(rng);
  const Columns columns = m.encode();
  const bayesvc::Cutpoints cutpoints(columns, bayesvc::kernels_named("auto"), 1);
  for (const std::size_t size : {1u, 2u, 24u, 25u, 26u, 400u}) {
    Node node{std::vector<LeafId>(m.n, 0), 1, 2};
    for (std::size_t k = 0; k < size; ++k)
      node.ids[(k * 17) % m.n] = static_cast<LeafId>(1 + k % 2);
    std::vector<double> counts(m.n, 0.0), inside;
    for (int draw = 0; draw < 8000; ++draw) counts[cutpoints.random_row(node.set(), rng)] += 1;
    for (const std::size_t i : node.rows()) inside.push_back(counts[i]);
    CHECK(std::accumulate(inside.begin(), inside.end(), 0.0) == 8000);
    if (size > 1)
      CHECK_NEAR(statistics::z_of_counts(
                     inside, std::vector<double>(size, 1.0 / static_cast<double>(size))),
                 0.0, statistics::z_limit);
  }
}
