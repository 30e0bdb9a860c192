// Data of every kind of column, and slow but obvious answers to compare the core with.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "../columns.hpp"
#include "../kernels.hpp"
#include "../rng.hpp"

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

  std::size_t p() const { return x.size() / n; }
  double at(std::size_t i, std::size_t j) const { return x[j * n + i]; }
  bayesvc::Columns encode(bool keep_values = true) const {
    return bayesvc::Columns(x.data(), n, p(), 1, static_cast<std::ptrdiff_t>(n), keep_values);
  }
  void add_untied(bayesvc::Rng& rng) {
    for (std::size_t i = 0; i < n; ++i) x.push_back(rng.normal());
  }
  // Values 0 .. n_values - 1, nearly equally often.
  void add_tied(bayesvc::Rng& rng, std::size_t n_values) {
    for (std::size_t i = 0; i < n; ++i) x.push_back(below(rng, n_values));
  }
  // 1 in the first n_ones rows.
  void add_indicator(std::size_t n_ones) {
    for (std::size_t i = 0; i < n; ++i) x.push_back(i < n_ones ? 1.0 : 0.0);
  }
};

using Rows = std::vector<std::size_t>;

inline Rows rows_with(const std::vector<bayesvc::LeafId>& ids, bayesvc::LeafId first,
                      bayesvc::LeafId second) {
  Rows rows;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] == first || ids[i] == second) rows.push_back(i);
  return rows;
}

// The cuts that leave at least min_rows rows on either side, ascending.
inline std::vector<std::uint32_t> admissible_cuts(const bayesvc::Columns& columns, const Rows& rows,
                                                  std::size_t variable, std::uint32_t min_rows) {
  std::map<std::uint32_t, std::size_t> frequency;
  for (const std::size_t i : rows) ++frequency[columns.code(variable, i)];
  std::vector<std::uint32_t> cuts;
  std::size_t n_left = 0;
  for (const auto& [code, count] : frequency) {
    n_left += count;
    if (n_left >= min_rows && n_left + min_rows <= rows.size()) cuts.push_back(code);
  }
  return cuts;
}

inline bool splittable(const bayesvc::Columns& columns, const Rows& rows,
                       const std::vector<double>& weights, std::uint32_t min_rows) {
  for (std::size_t j = 0; j < columns.p(); ++j)
    if (weights[j] > 0 && !admissible_cuts(columns, rows, j, min_rows).empty()) return true;
  return false;
}

}  // namespace brute_force
