#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../least_squares.hpp"
#include "../rng.hpp"
#include "check.hpp"

using bayesvc::LinearModel;
using bayesvc::Rng;

namespace {

using Vector = std::vector<double>;

LinearModel of_matrix(const Vector& x, std::size_t n, std::size_t p, bool column_major) {
  const auto row = static_cast<std::ptrdiff_t>(column_major ? 1 : p);
  const auto column = static_cast<std::ptrdiff_t>(column_major ? n : 1);
  return {bayesvc::one_block({x.data(), row, column}, p), n};
}

Vector normals(std::size_t n, std::uint64_t stream) {
  Rng rng({stream, 0x13198a2e03707344ULL, 0xa4093822299f31d0ULL, 0x082efa98ec4e6c89ULL});
  Vector draws(n);
  for (double& draw : draws) draw = rng.normal();
  return draws;
}

void subtract_projection(Vector& v, const Vector& direction) {
  long double product = 0, square = 0;
  for (std::size_t r = 0; r < v.size(); ++r) {
    product += static_cast<long double>(v[r]) * direction[r];
    square += static_cast<long double>(direction[r]) * direction[r];
  }
  if (square > 0)
    for (std::size_t r = 0; r < v.size(); ++r)
      v[r] -= static_cast<double>(product / square) * direction[r];
}

double square_sum(const Vector& v) {
  double sum = 0.0;
  for (const double value : v) sum += value * value;
  return sum;
}

// The residual sum of squares by Gram and Schmidt's method, done twice for orthogonality.
double reference_rss(const Vector& x, std::size_t n, std::size_t p, Vector y) {
  std::vector<Vector> basis{Vector(n, 1.0)};
  for (std::size_t j = 0; j < p; ++j) {
    Vector column(x.data() + j * n, x.data() + (j + 1) * n);
    const double before = square_sum(column);
    for (int pass = 0; pass < 2; ++pass)
      for (const Vector& direction : basis) subtract_projection(column, direction);
    if (square_sum(column) > 1e-10 * before) basis.push_back(column);
  }
  for (int pass = 0; pass < 2; ++pass)
    for (const Vector& direction : basis) subtract_projection(y, direction);
  return square_sum(y);
}

Vector transposed(const Vector& x, std::size_t n, std::size_t p) {
  Vector result(x.size());
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t j = 0; j < p; ++j) result[r * p + j] = x[j * n + r];
  return result;
}

}  // namespace

TEST(least_squares_matches_orthogonalisation) {
  struct Case {
    std::size_t n, p;
  };
  for (const auto& [n, p] :
       {Case{2, 1}, {10, 3}, {50, 4}, {50, 48}, {300, 64}, {300, 65}, {700, 131}}) {
    const Vector x = normals(n * p, n + p), y = normals(n, 7 * n + p);
    const LinearModel model = of_matrix(x, n, p, true);
    CHECK(model.rank() == std::min(p, n - 1));
    CHECK_NEAR(model.residual_ss(y.data()), reference_rss(x, n, p, y), 1e-10 * square_sum(y));
  }
}

TEST(least_squares_of_either_layout_is_the_same) {
  const std::size_t n = 120, p = 70;
  const Vector x = normals(n * p, 1), y = normals(n, 2), by_rows = transposed(x, n, p);
  CHECK(of_matrix(x, n, p, true).residual_ss(y.data()) ==
        of_matrix(by_rows, n, p, false).residual_ss(y.data()));
}

TEST(least_squares_skips_dependent_columns) {
  const std::size_t n = 200, p = 150;
  Vector x = normals(n * p, 3);
  const auto column = [&](std::size_t j) { return x.data() + j * n; };
  std::size_t dependent = 0;
  for (std::size_t j = 2; j < p; j += 3, ++dependent)
    for (std::size_t r = 0; r < n; ++r) {
      const double sum = column(j - 1)[r] + column(0)[r], copy = 3.0 - 1e4 * column(j / 2)[r];
      column(j)[r] = j % 9 == 2 ? 0.1 : j % 9 == 5 ? copy : sum;
    }
  const Vector y = normals(n, 4);
  const LinearModel model = of_matrix(x, n, p, true);
  CHECK(model.rank() == p - dependent);
  CHECK_NEAR(model.residual_ss(y.data()), reference_rss(x, n, p, y), 1e-9 * square_sum(y));
}

TEST(least_squares_with_more_columns_than_rows) {
  const std::size_t n = 30, p = 500;
  const Vector x = normals(n * p, 5), y = normals(n, 6);
  const LinearModel model = of_matrix(x, n, p, true);
  CHECK(model.rank() == n - 1);
  CHECK(model.residual_ss(y.data()) == 0.0);
}

TEST(least_squares_of_degenerate_sizes) {
  const Vector x = {3.0, 1.0, 4.0}, y = {1.0, 5.0, 9.0};
  const LinearModel one_row = of_matrix(x, 1, 3, true);
  CHECK(one_row.rank() == 0 && one_row.residual_ss(y.data()) == 0.0);
  const LinearModel no_column = of_matrix({}, 3, 0, true);
  CHECK(no_column.rank() == 0);
  CHECK_NEAR(no_column.residual_ss(y.data()), 32.0, 1e-13);
  const LinearModel no_row = of_matrix({}, 0, 0, true);
  CHECK(no_row.rank() == 0 && no_row.residual_ss(nullptr) == 0.0);
  const Vector constant(20, 0.1), response = normals(10, 7);
  const LinearModel constants = of_matrix(constant, 10, 2, true);
  CHECK(constants.rank() == 0);
  CHECK_NEAR(of_matrix(response, 10, 1, true).residual_ss(constant.data()), 0.0, 1e-30);
}

TEST(least_squares_of_any_scale) {
  const std::size_t n = 100, p = 6;
  Vector x = normals(n * p, 8), y = normals(n, 9);
  const double plain = of_matrix(x, n, p, true).residual_ss(y.data());
  const double scales[p] = {1e150, 1e-150, 1.0, 1e300, 5e-308, 1e-30};
  for (std::size_t j = 0; j < p; ++j)
    for (std::size_t r = 0; r < n; ++r) x[j * n + r] *= scales[j];
  const LinearModel model = of_matrix(x, n, p, true);
  CHECK(model.rank() == p);
  CHECK_NEAR(model.residual_ss(y.data()), plain, 1e-10 * plain);
  for (const double scale : {1e150, 1e-150}) {
    Vector scaled = y;
    for (double& value : scaled) value *= scale;
    CHECK_NEAR(model.residual_ss(scaled.data()) / scale / scale, plain, 1e-10 * plain);
  }
}

TEST(least_squares_of_a_large_offset) {
  const std::size_t n = 2000;
  Vector x = normals(2 * n, 10), y = normals(n, 11);
  for (double& value : x) value = std::floor(value * 64.0) / 64.0;  // the offset keeps it exactly
  for (std::size_t r = 0; r < n; ++r) y[r] += 5.0 * x[r];
  const double plain = of_matrix(x, n, 2, true).residual_ss(y.data());
  for (double& value : x) value += 1e14;
  CHECK_NEAR(of_matrix(x, n, 2, true).residual_ss(y.data()), plain, 1e-9 * plain);
  for (double& value : y) value += 1e7;
  CHECK_NEAR(of_matrix(x, n, 2, true).residual_ss(y.data()), plain, 1e-6 * plain);
}

TEST(least_squares_of_a_perfect_fit) {
  const std::size_t n = 500, p = 20;
  const Vector x = normals(n * p, 12);
  Vector y(n, 2.0);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t j = 0; j < p; ++j) y[r] += static_cast<double>(j) * x[j * n + r];
  const double rss = of_matrix(x, n, p, true).residual_ss(y.data());
  CHECK(rss >= 0.0 && rss < 1e-10 * square_sum(y));
}

// The same bits whatever the vector registers, compiler or platform.
TEST(least_squares_is_the_same_everywhere) {
  const std::size_t n = 777, p = 99;
  const Vector x = normals(n * p, 13), y = normals(n, 14);
  CHECK(of_matrix(x, n, p, true).residual_ss(y.data()) == 0x1.4068c69197e32p+9);
}

TEST(least_squares_of_some_rows_and_variables) {
  const std::size_t n = 300, p = 150;
  const Vector x = normals(n * p, 21), y = normals(n, 22);
  std::vector<std::uint32_t> rows, variables;
  for (std::uint32_t i = 1; i < n; i += 2) rows.push_back(i);
  for (std::uint32_t j = 0; j < p; j += 3) variables.push_back(j);
  Vector part, response;
  for (const std::uint32_t j : variables)
    for (const std::uint32_t i : rows) part.push_back(x[j * n + i]);
  for (const std::uint32_t i : rows) response.push_back(y[i]);
  const LinearModel expected = of_matrix(part, rows.size(), variables.size(), true);
  const Vector by_rows = transposed(x, n, p);
  for (const bayesvc::MatrixView view :
       {bayesvc::MatrixView{x.data(), 1, 300}, bayesvc::MatrixView{by_rows.data(), 150, 1}}) {
    int pauses = 0;
    const LinearModel model(view, rows, variables, [&] { ++pauses; });
    CHECK(pauses > 0 && model.rank() == expected.rank());
    CHECK(model.residual_ss(response.data()) == expected.residual_ss(response.data()));
  }
  const LinearModel none(bayesvc::MatrixView{x.data(), 1, 300}, rows, {}, [] {});
  CHECK(none.rank() == 0 && none.residual_ss(response.data()) > 0);
}

// Blocks of uneven width, with constant and repeated columns: as if they came at once, and the last
// block is not asked for once nothing is left to explain.
TEST(least_squares_of_blocks) {
  const std::size_t n = 90, p = 80;
  Vector x = normals(n * p, 23);
  const Vector y = normals(n, 24);
  std::fill_n(x.begin(), n, 3.0);
  std::copy_n(x.begin() + 5 * n, n, x.begin() + 9 * n);
  const LinearModel whole = of_matrix(x, n, p, true);
  CHECK(whole.rank() == p - 2);
  std::size_t first = 0, width = 1, asked = 0;
  const bayesvc::NextBlock next = [&] {
    const bayesvc::ColumnBlock block{{x.data() + first * n, 1, static_cast<std::ptrdiff_t>(n)},
                                     std::min(width, p - first)};
    first += block.n_columns;
    width += 3;
    ++asked;
    return block;
  };
  CHECK(LinearModel(next, n).residual_ss(y.data()) == whole.residual_ss(y.data()));
  CHECK(first == p);

  const Vector wide = normals(20 * 500, 25);
  asked = 0;
  const LinearModel saturated(
      [&] { return bayesvc::ColumnBlock{{wide.data() + 20 * 8 * asked++, 1, 20}, 8}; }, 20);
  CHECK(saturated.saturated() && saturated.rank() == 19);
  CHECK(asked == 8);  // one round of the factorisation
}
