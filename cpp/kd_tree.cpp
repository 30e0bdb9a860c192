#include "kd_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bayesvc {

KdTree::KdTree(const std::vector<double>& points, std::size_t d)
    : d_(d), order_(points.size() / d), axis_(order_.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  build(points, 0, size());
  values_.reserve(points.size());
  for (const std::size_t i : order_)
    for (std::size_t k = 0; k < d; ++k) values_.push_back(points[i * d + k]);
}

void KdTree::build(const std::vector<double>& points, std::size_t first, std::size_t last) {
  if (last - first <= few) return;
  const auto value = [&](std::size_t i, std::size_t k) { return points[i * d_ + k]; };
  std::size_t widest = 0;
  double most = -1;
  for (std::size_t k = 0; k < d_; ++k) {
    double low = value(order_[first], k), high = low;
    for (std::size_t at = first; at < last; ++at) {
      low = std::min(low, value(order_[at], k));
      high = std::max(high, value(order_[at], k));
    }
    if (high - low > most) most = high - low, widest = k;
  }
  const std::size_t middle = middle_of(first, last);
  const auto place = [&](std::size_t at) {
    return order_.begin() + static_cast<std::ptrdiff_t>(at);
  };
  std::nth_element(place(first), place(middle), place(last), [&](std::size_t i, std::size_t j) {
    return std::pair{value(i, widest), i} < std::pair{value(j, widest), j};
  });
  axis_[middle] = widest;
  build(points, first, middle);
  build(points, middle + 1, last);
}

}  // namespace bayesvc
