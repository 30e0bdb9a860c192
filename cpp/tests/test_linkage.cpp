#include <algorithm>
#include <cmath>

#include "../linkage.hpp"
#include "brute_force.hpp"
#include "check.hpp"

namespace {

// Heights by the definition: the mean distance over all pairs of points, each as often as it
// weighs; the nearest two clusters merge.
std::vector<double> slow_heights(const std::vector<double>& points, std::size_t d,
                                 const std::vector<double>& weights) {
  std::vector<std::vector<std::size_t>> clusters;
  for (std::size_t i = 0; i < weights.size(); ++i) clusters.push_back({i});
  const auto distance = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < d; ++k) sum += std::pow(points[i * d + k] - points[j * d + k], 2);
    return std::sqrt(sum);
  };
  const auto mean_distance = [&](const auto& a, const auto& b) {
    double sum = 0, total = 0;
    for (const std::size_t i : a)
      for (const std::size_t j : b) {
        sum += weights[i] * weights[j] * distance(i, j);
        total += weights[i] * weights[j];
      }
    return sum / total;
  };
  std::vector<double> heights;
  while (clusters.size() > 1) {
    double best = HUGE_VAL;
    std::size_t x = 0, y = 0;
    for (std::size_t i = 0; i < clusters.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (const double here = mean_distance(clusters[i], clusters[j]); here < best)
          best = here, x = i, y = j;
    heights.push_back(best);
    clusters[y].insert(clusters[y].end(), clusters[x].begin(), clusters[x].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(x));
  }
  return heights;
}

}  // namespace

TEST(average_linkage_against_its_definition) {
  bayesvc::Rng rng = brute_force::rng_of(81);
  for (const std::size_t n : {2u, 3u, 17u, 130u}) {
    for (const std::size_t d : {1u, 2u, 4u}) {
      std::vector<double> points(n * d), weights(n);
      for (double& x : points) x = rng.normal();
      for (double& w : weights) w = 1 + rng.below(9);
      const auto expected = slow_heights(points, d, weights);
      for (const std::size_t most_in_matrix : {1u, 5u, 40u, 1000u}) {
        const auto merges =
            bayesvc::average_linkage(points.data(), n, d, weights.data(), most_in_matrix);
        CHECK(merges.size() == n - 1);
        std::vector<double> heights;
        for (const auto& merge : merges) {
          CHECK(merge.first != merge.second && merge.first < n && merge.second < n);
          heights.push_back(merge.height);
        }
        std::sort(heights.begin(), heights.end());
        for (std::size_t k = 0; k + 1 < n; ++k) CHECK_NEAR(heights[k], expected[k], 1e-12);
      }
    }
  }
}

TEST(average_linkage_with_ties_ends) {
  std::vector<double> points, weights;
  for (int i = 0; i < 200; ++i) {
    points.push_back(i % 10);
    points.push_back(i / 10);
    weights.push_back(1);
  }
  std::vector<double> counts(900);  // few values, as counts and ranks have
  bayesvc::Rng rng = brute_force::rng_of(82);
  for (double& x : counts) x = rng.below(4);
  const std::vector<double> alike(300, 2.0);
  for (const std::size_t most_in_matrix : {1u, 20u, 1000u}) {
    CHECK(bayesvc::average_linkage(counts.data(), 300, 3, alike.data(), most_in_matrix).size() ==
          299);
    CHECK(bayesvc::average_linkage(points.data(), 200, 2, weights.data(), most_in_matrix).size() ==
          199);
  }
  CHECK(bayesvc::average_linkage(points.data(), 1, 2, weights.data()).empty());
}
