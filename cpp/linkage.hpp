// Average linkage of weighted points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesvc {

struct ClusterMerge {
  std::uint32_t first = 0, second = 0;  // a point of either cluster
  double height = 0;
};

// The merges of n points in d dimensions (row after row) with these weights, in the order in which
// they were found: not by height. With more than `most_in_matrix` points neighbours merge first,
// until the distances between all clusters fit into a matrix with so many rows.
std::vector<ClusterMerge> average_linkage(const double* points, std::size_t n, std::size_t d,
                                          const double* weights, std::size_t most_in_matrix = 2000);

}  // namespace bayesvc
