// Points in a k-d tree, to look at those near one of them.
#pragma once

#include <cstddef>
#include <vector>

namespace bayesvc {

class KdTree {
 public:
  // n points in d dimensions, row after row.
  KdTree(const std::vector<double>& points, std::size_t d);

  std::size_t size() const { return order_.size(); }
  // The point at this place of the tree. To go through them in this order is kind to the cache.
  std::size_t point(std::size_t place) const { return order_[place]; }

  // Calls look(j) for every other point j within the distance sqrt(reach) of the one at `place`,
  // and maybe some that are further away; look may make `reach` smaller.
  template <class Look>
  void visit(std::size_t place, const double& reach, Look look) const {
    visit(0, size(), place, reach, look);
  }

 private:
  static constexpr std::size_t few = 8;  // are looked at one after the other

  static std::size_t middle_of(std::size_t first, std::size_t last) {
    return first + (last - first) / 2;
  }
  void build(const std::vector<double>& points, std::size_t first, std::size_t last);

  template <class Look>
  void visit(std::size_t first, std::size_t last, std::size_t place, const double& reach,
             Look& look) const {
    if (last - first <= few) {
      for (std::size_t other = first; other < last; ++other) try_one(place, other, reach, look);
      return;
    }
    const std::size_t middle = middle_of(first, last), axis = axis_[middle];
    const double gap = values_[place * d_ + axis] - values_[middle * d_ + axis];
    if (gap < 0)
      visit(first, middle, place, reach, look);
    else
      visit(middle + 1, last, place, reach, look);
    if (gap * gap > reach) return;
    try_one(place, middle, reach, look);
    if (gap < 0)
      visit(middle + 1, last, place, reach, look);
    else
      visit(first, middle, place, reach, look);
  }

  template <class Look>
  void try_one(std::size_t place, std::size_t other, const double& reach, Look& look) const {
    const double *a = &values_[place * d_], *b = &values_[other * d_];
    double squared = 0;
    for (std::size_t k = 0; k < d_; ++k) squared += (a[k] - b[k]) * (a[k] - b[k]);
    if (squared <= reach && place != other) look(order_[other]);
  }

  std::size_t d_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> axis_;  // of the middle of each range: lower before, higher after it
  std::vector<double> values_;     // of the points in the tree's order
};

}  // namespace bayesvc
