// Data of every kind of column, and slow but obvious answers to compare the core with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "../columns.hpp"
#include "../kernels.hpp"
#include "../rng.hpp"
#include "../tree.hpp"

namespace brute_force {

inline bayesvc::Rng rng_of(std::uint64_t stream) {
  return bayesvc::Rng({0x452821e638d01377ULL ^ stream, 0xbe5466cf34e90c6cULL,
                       0xc0ac29b7c97c50ddULL * (stream + 1), 0x3f84d5b5b5470917ULL});
}

inline std::uint32_t below(bayesvc::Rng& rng, std::size_t n) {
  return rng.below(static_cast<std::uint32_t>(n));
}

// Column by column.
struct Matrix {
  std::size_t n = 0;
  std::vector<double> x{};
  bayesvc::Layout layout{};

  std::size_t p() const { return x.size() / n; }
  double at(std::size_t i, std::size_t j) const { return x[j * n + i]; }
  bayesvc::Columns encode(bool keep_values = true) const {
    return bayesvc::Columns(x.data(), n, p(), 1, static_cast<std::ptrdiff_t>(n), keep_values,
                            layout);
  }
  void add_untied(bayesvc::Rng& rng) {
    for (std::size_t i = 0; i < n; ++i) x.push_back(rng.normal());
  }
  // Values 0 .. n_values - 1, nearly equally often.
  void add_tied(bayesvc::Rng& rng, std::size_t n_values) {
    for (std::size_t i = 0; i < n; ++i) x.push_back(below(rng, n_values));
  }
  void add_categories(bayesvc::Rng& rng, std::uint32_t n_categories) {
    layout.n_categories.resize(p(), 0);
    layout.n_categories.push_back(n_categories);
    add_tied(rng, n_categories);
  }
  // Takes away about one in `one_in` of the values of the last column.
  void lose_some(bayesvc::Rng& rng, std::size_t one_in) {
    for (std::size_t i = x.size() - n; i < x.size(); ++i)
      if (below(rng, one_in) == 0) x[i] = std::numeric_limits<double>::quiet_NaN();
  }
  // To be called last: the columns not named are variables of their own, before the group.
  void group(const std::vector<std::uint32_t>& columns) {
    for (std::uint32_t j = 0; j < p(); ++j)
      if (std::find(columns.begin(), columns.end(), j) == columns.end())
        layout.groups.push_back({j});
    layout.groups.push_back(columns);
    if (!layout.n_categories.empty()) layout.n_categories.resize(p(), 0);
  }
  // 1 in the first n_ones rows.
  void add_indicator(std::size_t n_ones) {
    for (std::size_t i = 0; i < n; ++i) x.push_back(i < n_ones ? 1.0 : 0.0);
  }
};

using Rows = std::vector<std::size_t>;

inline Rows rows_with(std::span<const bayesvc::LeafId> ids, bayesvc::LeafId first,
                      bayesvc::LeafId second) {
  Rows rows;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] == first || ids[i] == second) rows.push_back(i);
  return rows;
}

inline bool goes_left(const bayesvc::Columns& columns, const bayesvc::Rule& rule, std::size_t row) {
  const std::uint32_t code = columns.code(rule.coding, row);
  return columns.categorical(rule.coding) ? ((rule.cutpoint >> code) & 1) != 0
                                          : code <= rule.cutpoint;
}

// The cutpoints of a coding that leave at least min_rows rows on either side, ascending.
inline std::vector<std::uint64_t> admissible_cutpoints(const bayesvc::Columns& columns,
                                                       const Rows& rows, std::uint32_t coding,
                                                       std::uint32_t min_rows) {
  std::map<std::uint32_t, std::size_t> frequency;
  for (const std::size_t i : rows) ++frequency[columns.code(coding, i)];
  std::vector<std::uint64_t> cutpoints;
  if (columns.categorical(coding)) {
    for (std::uint64_t cutpoint = 0; cutpoint < std::uint64_t{1} << columns.n_categories(coding);
         ++cutpoint) {
      std::size_t left = 0;
      for (const std::size_t i : rows) left += goes_left(columns, {0, coding, cutpoint}, i);
      if (left >= min_rows && left + min_rows <= rows.size()) cutpoints.push_back(cutpoint);
    }
    return cutpoints;
  }
  std::size_t n_left = 0;
  for (const auto& [code, count] : frequency) {
    n_left += count;
    if (n_left >= min_rows && n_left + min_rows <= rows.size()) cutpoints.push_back(code);
  }
  return cutpoints;
}

// Every admissible rule of a variable with its prior probability: columns that have one alike, the
// codings of a column that have one alike, the cutpoints of a coding alike.
using Rules = std::vector<std::pair<bayesvc::Rule, double>>;

inline Rules rules(const bayesvc::Columns& columns, const Rows& rows, std::uint32_t variable,
                   std::uint32_t min_rows) {
  std::vector<Rules> by_column;
  for (const std::uint32_t first : columns.members(variable)) {
    std::vector<Rules> by_coding;
    for (std::uint32_t k = 0; k < columns.n_alike(first); ++k) {
      const auto cutpoints = admissible_cutpoints(columns, rows, first + k, min_rows);
      if (cutpoints.empty()) continue;
      by_coding.emplace_back();
      for (const std::uint64_t cutpoint : cutpoints)
        by_coding.back().push_back(
            {{variable, first + k, cutpoint}, 1.0 / double(cutpoints.size())});
    }
    if (by_coding.empty()) continue;
    by_column.emplace_back();
    for (const Rules& some : by_coding)
      for (const auto& [rule, share] : some)
        by_column.back().push_back({rule, share / double(by_coding.size())});
  }
  Rules found;
  for (const Rules& some : by_column)
    for (const auto& [rule, share] : some)
      found.push_back({rule, share / double(by_column.size())});
  return found;
}

inline bool eligible(const bayesvc::Columns& columns, const Rows& rows, std::uint32_t variable,
                     std::uint32_t min_rows) {
  return !rules(columns, rows, variable, min_rows).empty();
}

inline bool splittable(const bayesvc::Columns& columns, const Rows& rows,
                       const std::vector<double>& weights, std::uint32_t min_rows) {
  for (std::uint32_t j = 0; j < columns.p(); ++j)
    if (weights[j] > 0 && eligible(columns, rows, j, min_rows)) return true;
  return false;
}

}  // namespace brute_force
