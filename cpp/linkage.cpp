#include "linkage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "kd_tree.hpp"
#include "pages.hpp"

namespace bayesvc {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Cluster {
  std::vector<std::uint32_t> members;
  std::vector<double> centre;  // weighted mean of the members
  double weight = 0;
  double height = 0;  // of the merge that made it
};

class Points {
 public:
  Points(const double* points, std::size_t n, std::size_t d, const double* weights)
      : values_(points), n_(n), d_(d), weights_(weights) {
    double largest = 0;
    for (std::size_t k = 0; k < n * d; ++k) largest = std::max(largest, std::fabs(points[k]));
    rounding_ = 1e-12 * largest;
  }

  std::size_t n() const { return n_; }
  std::size_t d() const { return d_; }
  double value(std::size_t i, std::size_t k) const { return values_[i * d_ + k]; }
  double weight(std::size_t i) const { return weights_[i]; }
  double rounding() const { return rounding_; }  // more than the error of a centre's coordinates

  double distance(const double* a, const double* b) const {
    double sum = 0;
    for (std::size_t k = 0; k < d_; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(sum);
  }
  double mean_distance(const Cluster& a, const Cluster& b) const {
    if (a.members.size() == 1 && b.members.size() == 1)
      return distance(values_ + a.members[0] * d_, values_ + b.members[0] * d_);
    double sum = 0;
    for (const std::uint32_t i : a.members)
      for (const std::uint32_t j : b.members)
        sum += weights_[i] * weights_[j] * distance(values_ + i * d_, values_ + j * d_);
    return sum / (a.weight * b.weight);
  }
  std::vector<Cluster> singletons() const {
    std::vector<Cluster> clusters(n_);
    for (std::size_t i = 0; i < n_; ++i)
      clusters[i] = {{static_cast<std::uint32_t>(i)},
                     {values_ + i * d_, values_ + (i + 1) * d_},
                     weights_[i],
                     0.0};
    return clusters;
  }

 private:
  const double* values_;
  std::size_t n_, d_;
  const double* weights_;
  double rounding_ = 0;
};

Cluster joined(const Cluster& a, const Cluster& b, double height) {
  Cluster both{a.members, a.centre, a.weight + b.weight, std::max({height, a.height, b.height})};
  both.members.insert(both.members.end(), b.members.begin(), b.members.end());
  for (std::size_t k = 0; k < both.centre.size(); ++k)
    both.centre[k] += (b.centre[k] - a.centre[k]) * (b.weight / both.weight);
  return both;
}

using Nearest = std::vector<std::pair<std::size_t, double>>;  // which, and how far

// Decides between pairs of equal distance. As good as random, so that in a row of such pairs many
// are each other's nearest; and the same for both clusters of a pair.
std::uint64_t precedence(const Cluster& a, const Cluster& b) {
  const auto [low, high] = std::minmax(a.members[0], b.members[0]);
  const std::uint64_t pair = ((std::uint64_t{high} << 32) | low) * 0x9e3779b97f4a7c15u;
  return (pair ^ (pair >> 32)) * 0x9e3779b97f4a7c15u;
}

// Finds the nearest other cluster where it is not known. The mean distance of two clusters is at
// least that of their centres, so only few are looked at.
void find_nearest(const Points& points, const std::vector<Cluster>& clusters, Nearest& nearest) {
  std::vector<double> centres;
  for (const Cluster& cluster : clusters)
    centres.insert(centres.end(), cluster.centre.begin(), cluster.centre.end());
  const KdTree nearby(centres, points.d());
  for (std::size_t place = 0; place < nearby.size(); ++place) {
    const std::size_t i = nearby.point(place);
    auto& [best, least] = nearest[i];
    if (best < clusters.size()) continue;
    double reach = infinity;  // of centres that can still matter, squared
    nearby.visit(place, reach, [&, &best = best, &least = least](std::size_t j) {
      const double here = points.mean_distance(clusters[std::min(i, j)], clusters[std::max(i, j)]);
      if (here > least) return;
      if (here == least &&
          precedence(clusters[i], clusters[j]) > precedence(clusters[i], clusters[best]))
        return;
      best = j;
      least = here;
      reach = (here + points.rounding()) * (here + points.rounding());
    });
  }
}

// Merges pairs that are each other's nearest until few clusters are left. Average linkage may
// merge such pairs in any order.
void merge_neighbours(const Points& points, std::size_t most, std::vector<Cluster>& clusters,
                      std::vector<ClusterMerge>& merges) {
  constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();
  Nearest nearest(clusters.size(), {unknown, infinity});
  while (clusters.size() > most) {
    find_nearest(points, clusters, nearest);
    std::vector<Cluster> left;
    std::vector<std::size_t> place(clusters.size(), unknown);
    Nearest still_nearest;  // merging others brings none nearer
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      const auto [j, distance] = nearest[i];
      if (nearest[j].first != i) {
        place[i] = left.size();
        left.push_back(std::move(clusters[i]));
        still_nearest.push_back(nearest[i]);
      } else if (i < j) {
        left.push_back(joined(clusters[i], clusters[j], distance));
        merges.push_back({clusters[i].members[0], clusters[j].members[0], left.back().height});
        still_nearest.push_back({unknown, infinity});
      }
    }
    for (auto& [j, distance] : still_nearest) {
      if (j != unknown) j = place[j];
      if (j == unknown) distance = infinity;
    }
    // Clusters that were merged meanwhile may be as near as a nearest one that was kept, and take
    // precedence over it: look again, and some pair is each other's nearest.
    const bool stuck = left.size() == clusters.size();
    clusters = std::move(left);
    nearest = std::move(still_nearest);
    if (stuck) nearest.assign(clusters.size(), {unknown, infinity});
  }
}

// Distances between the clusters that are left, and a point of each.
class Distances {
 public:
  Distances(const Points& points, const std::vector<Cluster>& clusters)
      : n_(clusters.size()), alive_(n_), distance_(new double[n_ * n_]), penalty_(n_, 0.0) {
    prefer_huge_pages(distance_.get(), n_ * n_ * sizeof(double));
    for (const Cluster& cluster : clusters) {
      weight_.push_back(cluster.weight);
      height_.push_back(cluster.height);
      name_.push_back(cluster.members[0]);
    }
    fill(points, clusters);
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

  // y takes x in.
  ClusterMerge merge(std::size_t x, std::size_t y) {
    const double both = weight_[x] + weight_[y];
    height_[y] = std::max({distance(x, y), height_[x], height_[y]});
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
    return {name_[x], name_[y], height_[y]};
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
      height_[i] = height_[kept[i]];
      penalty_[i] = 0;
      name_[i] = name_[kept[i]];
    }
    n_ = kept.size();
    for (std::size_t& i : chain) i = place[i];
  }

 private:
  double& at(std::size_t i, std::size_t j) { return distance_[i * n_ + j]; }

  // From each point to all those of the clusters before its own, which lie side by side.
  void fill(const Points& points, const std::vector<Cluster>& clusters) {
    std::vector<std::uint32_t> order;
    for (const Cluster& cluster : clusters)
      order.insert(order.end(), cluster.members.begin(), cluster.members.end());
    const std::size_t m = order.size();
    std::vector<double> by_column(m * points.d()), weight(m), apart(m), sums(n_);
    for (std::size_t j = 0; j < m; ++j) {
      weight[j] = points.weight(order[j]);
      for (std::size_t k = 0; k < points.d(); ++k) by_column[k * m + j] = points.value(order[j], k);
    }
    for (std::size_t a = 0, start = 0; a < n_; ++a) {
      std::fill(sums.begin(), sums.end(), 0.0);
      const std::size_t size = clusters[a].members.size();
      for (std::size_t i = start; i < start + size; ++i) {
        std::fill_n(apart.begin(), start, 0.0);
        for (std::size_t k = 0; k < points.d(); ++k) {
          const double* column = &by_column[k * m];
          const double here = column[i];
          for (std::size_t j = 0; j < start; ++j)
            apart[j] += (here - column[j]) * (here - column[j]);
        }
        for (std::size_t j = 0; j < start; ++j) apart[j] = std::sqrt(apart[j]);
        for (std::size_t b = 0, j = 0; b < a; ++b) {
          const std::size_t last = j + clusters[b].members.size();
          if (size == 1 && last == j + 1) {  // as it is: a factor and its inverse leave a rest
            at(a, b) = apart[j++];
            continue;
          }
          for (; j < last; ++j) sums[b] += weight[i] * weight[j] * apart[j];
        }
      }
      for (std::size_t b = 0; b < a; ++b) {
        if (size > 1 || clusters[b].members.size() > 1)
          at(a, b) = sums[b] / (clusters[a].weight * clusters[b].weight);
        at(b, a) = at(a, b);
      }
      at(a, a) = infinity;
      start += size;
    }
  }

  std::size_t n_, alive_;
  std::unique_ptr<double[]> distance_;  // not a vector: n^2 zeros would be written in vain
  std::vector<double> penalty_;         // infinite for clusters that are gone
  std::vector<double> weight_;          // zero for these
  std::vector<double> height_;
  std::vector<std::uint32_t> name_;
};

}  // namespace

std::vector<ClusterMerge> average_linkage(const double* points, std::size_t n, std::size_t d,
                                          const double* weights, std::size_t most_in_matrix) {
  const Points all(points, n, d, weights);
  std::vector<Cluster> clusters = all.singletons();
  std::vector<ClusterMerge> merges;
  merge_neighbours(all, std::max<std::size_t>(most_in_matrix, 1), clusters, merges);
  Distances distances(all, clusters);
  // Pairs that are each other's nearest, found by following nearest neighbours.
  std::vector<std::size_t> chain;
  while (merges.size() + 1 < n) {
    if (chain.empty()) chain.push_back(distances.any());
    for (;;) {
      const std::size_t x = chain.back(), y = distances.nearest(x);
      // On a tie the chain turns back, or it could run in a circle.
      if (chain.size() > 1 &&
          distances.distance(x, chain[chain.size() - 2]) == distances.distance(x, y))
        break;
      chain.push_back(y);
    }
    const std::size_t x = chain.back(), y = chain[chain.size() - 2];
    chain.resize(chain.size() - 2);
    merges.push_back(distances.merge(x, y));
    distances.tidy(chain);
  }
  return merges;
}

}  // namespace bayesvc
