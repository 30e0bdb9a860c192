#include "saved_forests.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace bayesvc {

void SavedForests::add(const Forest& forest) {
  n_trees = forest.trees().size();
  const Columns& columns = forest.columns();
  for (const PlantedTree& planted : forest.trees()) {
    const Tree& tree = planted.tree;
    tree_start.push_back(variable.size());
    const auto append = [&](auto&& self, std::int32_t k) -> void {
      const Node& node = tree.node(k);
      const std::size_t at = variable.size();
      right.push_back(0);
      if (node.is_leaf()) {
        variable.push_back(-1);
        value.push_back(tree.mu[node.leaf]);
        return;
      }
      variable.push_back(static_cast<std::int32_t>(node.rule.variable));
      value.push_back(columns.value(node.rule.variable, node.rule.cut));
      self(self, node.left);
      right[at] = static_cast<std::int32_t>(variable.size() - at);
      self(self, node.right);
    };
    append(append, 0);
  }
}

void SavedForests::check(std::size_t p) const {
  const std::size_t size = variable.size();
  const auto refuse = [] {
    throw std::invalid_argument("forests: the arrays do not describe trees; the data are damaged");
  };
  if (right.size() != size || value.size() != size || n_trees == 0 ||
      tree_start.size() % n_trees != 0)
    refuse();
  for (std::size_t t = 0; t < tree_start.size(); ++t) {
    const std::uint64_t begin = tree_start[t];
    const std::uint64_t end = t + 1 < tree_start.size() ? tree_start[t + 1] : size;
    if (begin >= end || end > size) refuse();
    // A node that follows a leaf is the right child of the last split that still waits for one.
    std::vector<std::uint64_t> waiting;
    for (std::uint64_t k = begin; k < end; ++k) {
      if (k > begin && variable[k - 1] < 0) {
        if (waiting.empty() || right[waiting.back()] < 0 ||
            waiting.back() + static_cast<std::uint64_t>(right[waiting.back()]) != k)
          refuse();
        waiting.pop_back();
      }
      if (variable[k] < 0) continue;
      if (static_cast<std::size_t>(variable[k]) >= p) refuse();
      waiting.push_back(k);
    }
    if (!waiting.empty() || variable[end - 1] >= 0) refuse();
  }
}

void SavedForests::predict_draw(std::size_t draw, const double* x, std::size_t n_rows,
                                std::ptrdiff_t row_stride, std::ptrdiff_t column_stride,
                                double* sums) const {
  for (std::size_t i = 0; i < n_rows; ++i) sums[i] = 0;
  for (std::size_t t = 0; t < n_trees; ++t) {
    const std::uint64_t root = tree_start[draw * n_trees + t];
    for (std::size_t i = 0; i < n_rows; ++i) {
      const double* row = x + static_cast<std::ptrdiff_t>(i) * row_stride;
      std::uint64_t k = root;
      while (variable[k] >= 0) {
        const bool left = row[variable[k] * column_stride] <= value[k];
        k += left ? 1u : static_cast<std::uint64_t>(right[k]);
      }
      sums[i] += value[k];
    }
  }
}

void SavedForests::predict(const double* x, std::size_t n_rows, std::ptrdiff_t row_stride,
                           std::ptrdiff_t column_stride, std::size_t n_threads, double* out) const {
  n_threads = std::max<std::size_t>(1, std::min(n_threads, n_draws()));
  const auto work = [&](std::size_t first) {
    for (std::size_t draw = first; draw < n_draws(); draw += n_threads)
      predict_draw(draw, x, n_rows, row_stride, column_stride, out + draw * n_rows);
  };
  std::vector<std::thread> threads;
  for (std::size_t k = 1; k < n_threads; ++k) threads.emplace_back(work, k);
  work(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace bayesvc
