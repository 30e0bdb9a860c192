#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "../columns.hpp"
#include "brute_force.hpp"
#include "check.hpp"

using bayesvc::CodeWidth;
using bayesvc::Columns;
using bayesvc::Rng;
using brute_force::rng_of;

namespace {

using Column = std::vector<double>;

CodeWidth narrowest(std::size_t n_distinct) {
  if (n_distinct <= 256) return CodeWidth::bits8;
  return n_distinct <= 65536 ? CodeWidth::bits16 : CodeWidth::bits32;
}

// Column j of the encoded matrix against sorting and searching.
void check_column(const Columns& columns, std::size_t j, const Column& x) {
  Column distinct = x;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  CHECK(columns.n_distinct(j) == distinct.size());
  CHECK(columns.view(j).width == narrowest(distinct.size()));
  if (columns.n_distinct(j) != distinct.size()) return;
  std::vector<std::uint32_t> frequency(distinct.size(), 0);
  bool codes_agree = true, values_agree = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto rank = static_cast<std::uint32_t>(
        std::lower_bound(distinct.begin(), distinct.end(), x[i]) - distinct.begin());
    codes_agree = codes_agree && columns.code(j, i) == rank;
    ++frequency[rank];
  }
  CHECK(codes_agree);
  CHECK(columns.max_ties(j) == *std::max_element(frequency.begin(), frequency.end()));
  if (!columns.has_values()) return;
  for (std::uint32_t code = 0; code < distinct.size(); ++code)
    values_agree = values_agree && columns.value(j, code) == distinct[code];
  CHECK(values_agree);
}

void check_alone(const Column& x) {
  check_column(Columns(x.data(), x.size(), 1, 1, 1, true), 0, x);
}

template <class F>
Column column_of(std::size_t n, F&& f) {
  Column x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = f(i);
  return x;
}

// k values, each at least once.
Column with_distinct(std::size_t n, std::size_t k, Rng& rng) {
  return column_of(n, [&](std::size_t i) {
    const double code = i < k ? static_cast<double>(i) : brute_force::below(rng, k);
    return std::fmod(code * 7919.0, 1048583.0) - 500000.25;  // distinct, in no order
  });
}

}  // namespace

TEST(columns_agree_with_sorting) {
  Rng rng = rng_of(1);
  for (const std::size_t n : {1u, 2u, 3u, 8u, 9u, 100u, 1000u}) {
    check_alone(column_of(n, [&](std::size_t) { return rng.normal(); }));
    check_alone(column_of(n, [&](std::size_t) { return rng.normal() * 1e-310; }));
    check_alone(column_of(n, [&](std::size_t) { return std::exp(300.0 * rng.normal()); }));
    check_alone(column_of(n, [&](std::size_t) { return std::floor(4.0 * rng.normal()); }));
    check_alone(column_of(n, [&](std::size_t) { return rng.below(2); }));
    check_alone(column_of(n, [&](std::size_t) { return -3.5; }));
    check_alone(column_of(n, [&](std::size_t) { return static_cast<double>(rng.below(9)); }));
    check_alone(column_of(n, [&](std::size_t) { return static_cast<double>(rng.below(8)) - 4; }));
    check_alone(column_of(n, [](std::size_t i) { return -static_cast<double>(i); }));
  }
}

TEST(columns_hold_extreme_values) {
  const double infinitesimal = DBL_TRUE_MIN;
  check_alone({DBL_MAX, -DBL_MAX, 0.0, infinitesimal, -infinitesimal, DBL_MIN, 1.0, -1.0, 1.0,
               std::nextafter(1.0, 2.0), DBL_MAX, std::nextafter(-1.0, -2.0), -DBL_MIN});
  check_alone({DBL_MAX, -DBL_MAX, infinitesimal, -infinitesimal});
}

TEST(columns_see_one_zero) {
  Rng rng = rng_of(2);
  for (const std::size_t n_values : {1u, 2u, 5u, 7u, 40u}) {  // short way and sorted way
    const Column x = column_of(200, [&](std::size_t i) {
      const double value = static_cast<double>(i % n_values);
      return value == 0 && rng.below(2) ? -0.0 : value;
    });
    const Columns columns(x.data(), x.size(), 1, 1, 1, true);
    check_column(columns, 0, x);
    CHECK(!std::signbit(columns.value(0, 0)));
  }
  const Column zeros = {0.0, -0.0, 0.0};
  CHECK(Columns(zeros.data(), 3, 1, 1, 1, true).max_ties(0) == 3);
}

TEST(columns_widen_at_the_right_number_of_values) {
  Rng rng = rng_of(3);
  for (const std::size_t k : {255u, 256u, 257u, 300u}) check_alone(with_distinct(700, k, rng));
  for (const std::size_t k : {65535u, 65536u, 65537u, 70000u})
    check_alone(with_distinct(70001, k, rng));
}

TEST(columns_of_all_widths_side_by_side) {
  Rng rng = rng_of(4);
  const std::size_t n = 66003;  // a multiple of no alignment
  std::vector<Column> x;
  for (const std::size_t k : {2u, 65537u, 1u, 257u, 66003u, 8u, 9u})
    x.push_back(with_distinct(n, k, rng));
  Column joined;
  for (const Column& column : x) joined.insert(joined.end(), column.begin(), column.end());
  for (const bool keep : {true, false}) {
    const Columns columns(joined.data(), n, x.size(), 1, static_cast<std::ptrdiff_t>(n), keep);
    CHECK(columns.n() == n && columns.p() == x.size() && columns.has_values() == keep);
    for (std::size_t j = 0; j < x.size(); ++j) check_column(columns, j, x[j]);
    CHECK(columns.nbytes() >= n * (1 + 4 + 1 + 2 + 4 + 1 + 1));
    CHECK(columns.nbytes() < n * (1 + 4 + 1 + 2 + 4 + 1 + 1) + 64 * x.size());
  }
}

TEST(columns_read_any_strides) {
  Rng rng = rng_of(5);
  const std::size_t n = 61, p = 4;
  std::vector<Column> x(p);
  for (std::size_t j = 0; j < p; ++j)
    x[j] = column_of(n, [&](std::size_t) { return j % 2 ? rng.normal() : rng.below(5); });
  struct Layout {
    std::ptrdiff_t row, column;
  };
  for (const Layout layout : {Layout{4, 1}, Layout{1, 61}, Layout{9, 2}, Layout{2, 130},
                              Layout{-4, 1}, Layout{4, -1}, Layout{-1, -61}}) {
    std::vector<double> memory(1000, NAN);
    double* origin = memory.data();
    if (layout.row < 0) origin -= layout.row * static_cast<std::ptrdiff_t>(n - 1);
    if (layout.column < 0) origin -= layout.column * static_cast<std::ptrdiff_t>(p - 1);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < p; ++j)
        origin[static_cast<std::ptrdiff_t>(i) * layout.row +
               static_cast<std::ptrdiff_t>(j) * layout.column] = x[j][i];
    const Columns columns(origin, n, p, layout.row, layout.column, true);
    for (std::size_t j = 0; j < p; ++j) check_column(columns, j, x[j]);
  }
}

TEST(columns_of_some_rows_and_variables) {
  Rng rng = rng_of(6);
  const std::size_t n = 66003;
  std::vector<Column> x;
  for (const std::size_t k : {66003u, 1u, 2u, 3u, 40u, 300u, 40000u})
    x.push_back(with_distinct(n, k, rng));
  Column joined;
  for (const Column& column : x) joined.insert(joined.end(), column.begin(), column.end());
  const Columns whole(joined.data(), n, x.size(), 1, static_cast<std::ptrdiff_t>(n), true);
  for (const std::uint32_t share : {2u, 1u, 100u, 20000u}) {  // one row in so many
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < n; ++i)
      if (rng.below(share) == 0) rows.push_back(i);
    if (rows.empty()) rows.push_back(5);
    for (const std::vector<std::uint32_t>& variables :
         {std::vector<std::uint32_t>{}, {2}, {0, 1, 2, 3, 4, 5, 6}, {6, 0, 0, 3}}) {
      const Columns part(whole, rows, variables);
      CHECK(part.n() == rows.size() && part.p() == variables.size() && !part.has_values());
      for (std::size_t k = 0; k < variables.size(); ++k)
        check_column(part, k, column_of(rows.size(), [&](std::size_t i) {
                       return x[variables[k]][rows[i]];
                     }));
    }
  }
}
