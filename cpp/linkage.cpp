#include "linkage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "pages.hpp"

namespace bayesvc {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Distances between the clusters that are left, and what they are called outside.
class Clusters {
 public:
  Clusters(const double* points, std::size_t n, std::size_t d, const double* weights)
      : n_(n),
        alive_(n),
        distance_(new double[n * n]),
        penalty_(n, 0.0),
        weight_(weights, weights + n),
        name_(n) {
    prefer_huge_pages(distance_.get(), n * n * sizeof(double));
    std::vector<double> by_column(n * d);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < d; ++k) by_column[k * n + i] = points[i * d + k];
    for (std::size_t i = 0; i < n; ++i) {
      name_[i] = static_cast<std::uint32_t>(i);
      double* row = &at(i, 0);
      std::fill_n(row, n, 0.0);
      for (std::size_t k = 0; k < d; ++k) {
        const double* column = &by_column[k * n];
        const double here = column[i];
        for (std::size_t j = 0; j < n; ++j) row[j] += (here - column[j]) * (here - column[j]);
      }
      for (std::size_t j = 0; j < n; ++j) row[j] = std::sqrt(row[j]);
      row[i] = infinity;
    }
  }

  std::size_t any() const {
    std::size_t i = 0;
    while (weight_[i] == 0) ++i;
    return i;
  }
  // The first of the nearest. Several minima at a time, so that none waits for the one before.
  std::size_t nearest(std::size_t i) const {
    constexpr std::size_t width = 8;
    const double* row = &distance_[i * n_];
    double least[width];
    std::fill_n(least, width, infinity);
    std::size_t k = 0;
    for (; k + width <= n_; k += width)
      for (std::size_t l = 0; l < width; ++l) {
        const double here = row[k + l] + penalty_[k + l];
        least[l] = here < least[l] ? here : least[l];
      }
    for (; k < n_; ++k) least[0] = std::min(least[0], row[k] + penalty_[k]);
    const double smallest = *std::min_element(least, least + width);
    for (k = 0; row[k] + penalty_[k] != smallest;) ++k;
    return k;
  }
  double distance(std::size_t i, std::size_t j) const { return distance_[i * n_ + j]; }
  std::uint32_t name(std::size_t i) const { return name_[i]; }

  // y takes x in.
  void merge(std::size_t x, std::size_t y) {
    const double both = weight_[x] + weight_[y];
    for (std::size_t k = 0; k < n_; ++k) {
      const double from_x = at(x, k), from_y = at(y, k);
      const double mean = (weight_[x] * from_x + weight_[y] * from_y) / both;
      // Rounding must not bring a merged pair nearer than the nearer of the two was.
      const auto [low, high] = std::minmax(from_x, from_y);
      at(y, k) = at(k, y) = std::clamp(mean, low, high);
    }
    at(y, y) = infinity;
    weight_[y] = both;
    weight_[x] = 0;
    penalty_[x] = infinity;
    --alive_;
  }

  // Moves the living together once half of them are gone; `chain` is renumbered.
  void tidy(std::vector<std::size_t>& chain) {
    if (2 * alive_ > n_ || n_ < 64) return;
    std::vector<std::size_t> kept, place(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      if (weight_[i] == 0) continue;
      place[i] = kept.size();
      kept.push_back(i);
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      for (std::size_t j = 0; j < kept.size(); ++j)
        distance_[i * kept.size() + j] = at(kept[i], kept[j]);
      weight_[i] = weight_[kept[i]];
      penalty_[i] = 0;
      name_[i] = name_[kept[i]];
    }
    n_ = kept.size();
    for (std::size_t& i : chain) i = place[i];
  }

 private:
  double& at(std::size_t i, std::size_t j) { return distance_[i * n_ + j]; }

  std::size_t n_, alive_;
  std::unique_ptr<double[]> distance_;  // not a vector: n^2 zeros would be written in vain
  std::vector<double> penalty_;         // infinite for clusters that are gone
  std::vector<double> weight_;          // zero for these
  std::vector<std::uint32_t> name_;
};

}  // namespace

// Merges pairs that are each other's nearest, found by following nearest neighbours.
std::vector<ClusterMerge> average_linkage(const double* points, std::size_t n, std::size_t d,
                                          const double* weights) {
  Clusters clusters(points, n, d, weights);
  std::vector<ClusterMerge> merges;
  std::vector<std::size_t> chain;
  while (merges.size() + 1 < n) {
    if (chain.empty()) chain.push_back(clusters.any());
    for (;;) {
      const std::size_t x = chain.back(), y = clusters.nearest(x);
      // On a tie the chain turns back, or it could run in a circle.
      if (chain.size() > 1 &&
          clusters.distance(x, chain[chain.size() - 2]) == clusters.distance(x, y))
        break;
      chain.push_back(y);
    }
    const std::size_t x = chain.back(), y = chain[chain.size() - 2];
    chain.resize(chain.size() - 2);
    merges.push_back({clusters.name(x), clusters.name(y), clusters.distance(x, y)});
    clusters.merge(x, y);
    clusters.tidy(chain);
  }
  return merges;
}

}  // namespace bayesvc
