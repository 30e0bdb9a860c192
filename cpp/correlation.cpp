#include "correlation.hpp"

#include <array>
#include <cmath>

namespace bayesvc {
namespace {

struct Sums {
  double first = 0, squares = 0, products = 0;
};

// Several partial sums, so that no addition waits for the one before.
template <class Code>
Sums sums_of(const Code* codes, const std::vector<double>& other) {
  constexpr std::size_t width = 4;
  std::array<double, width> first{}, squares{}, products{};
  for (std::size_t i = 0; i < other.size(); ++i) {
    const double code = codes[i];
    first[i % width] += code;
    squares[i % width] += code * code;
    products[i % width] += code * other[i];
  }
  Sums sums;
  for (std::size_t k = 0; k < width; ++k) {
    sums.first += first[k];
    sums.squares += squares[k];
    sums.products += products[k];
  }
  return sums;
}

// The codes less their mean, scaled to unit length; all zero if they are all equal.
std::vector<double> standardised(const Columns& columns, std::uint32_t coding) {
  const auto n = static_cast<double>(columns.n());
  std::vector<double> values(columns.n());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] = columns.code(coding, i);
  for (double& value : values) {
    value -= sum / n;
    squares += value * value;
  }
  for (double& value : values) value = squares > 0 ? value / std::sqrt(squares) : 0.0;
  return values;
}

// Groups and categories have no order to compare.
bool ordered(const Columns& columns, std::size_t variable) {
  return columns.one_column(variable) && !columns.categorical(columns.members(variable)[0]);
}

}  // namespace

std::vector<double> code_correlations(const Columns& columns,
                                      const std::vector<std::uint32_t>& chosen) {
  const auto n = static_cast<double>(columns.n());
  std::vector<double> found;
  found.reserve(chosen.size() * columns.p());
  for (const std::uint32_t one : chosen) {
    const std::vector<double> values = standardised(columns, columns.members(one)[0]);
    for (std::size_t j = 0; j < columns.p(); ++j) {
      const std::uint32_t coding = columns.members(j)[0];
      if (!ordered(columns, one) || !ordered(columns, j) || columns.n_distinct(coding) < 2) {
        found.push_back(0.0);
        continue;
      }
      const Sums sums = with_codes(columns.view(coding),
                                   [&](const auto* codes) { return sums_of(codes, values); });
      const double spread = sums.squares - sums.first * sums.first / n;
      found.push_back(sums.products / std::sqrt(spread));
    }
  }
  return found;
}

}  // namespace bayesvc
