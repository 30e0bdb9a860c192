// Correlations between columns by the ranks of their values, which is all that trees see.
#pragma once

#include <cstdint>
#include <vector>

#include "columns.hpp"

namespace bayesvc {

// Of the codes of each chosen column with those of every column, row by row: chosen x p. Zero
// where a column is constant.
std::vector<double> code_correlations(const Columns& columns,
                                      const std::vector<std::uint32_t>& chosen);

}  // namespace bayesvc
