#include "saved_forests.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "pages.hpp"

namespace bayesvc {

struct SavedForests::Rows {
  const double* x;
  std::size_t n;
  std::ptrdiff_t row_stride, column_stride;
};

namespace {

// out[i] = choice(i, goes_left(value of row i)); neighbouring rows make the loop a vector one.
template <class GoesLeft, class Choice>
void pick_each(const double* column, std::size_t n, std::ptrdiff_t stride, double* out,
               GoesLeft goes_left, Choice choice) {
  if (stride == 1) {
    for (std::size_t i = 0; i < n; ++i) out[i] = choice(i, goes_left(column[i]));
    return;
  }
  for (std::size_t i = 0; i < n; ++i)
    out[i] = choice(i, goes_left(column[static_cast<std::ptrdiff_t>(i) * stride]));
}

// Adds the value of the last node; those before it that have none get zero.
template <class T>
void set_at(std::vector<T>& values, std::size_t at, T value) {
  values.resize(at + 1);
  values[at] = value;
}

std::size_t n_nodes(const Forest& forest) {
  std::size_t n = 0;
  for (const AssignedTree& assigned : forest.trees()) n += assigned.tree.nodes().size();
  return n;
}

}  // namespace

template <class Choice>
void SavedForests::pick(std::uint64_t k, const Rows& rows, double* out, Choice choice) const {
  const double* column = rows.x + variable[k] * rows.column_stride;
  const auto pick = [&](auto goes_left) {
    pick_each(column, rows.n, rows.row_stride, out, goes_left, choice);
  };
  const double cutpoint = value[k];
  if (!subset.empty() && subset[k])
    pick([left = subset[k]](double x) {  // what is no category goes right
      return x >= 0 && x < max_categories && ((left >> static_cast<unsigned>(x)) & 1);
    });
  else if (!missing_left.empty() && missing_left[k])
    pick([cutpoint](double x) { return !(x > cutpoint); });
  else
    pick([cutpoint](double x) { return x <= cutpoint; });
}

bool SavedForests::goes_left(std::uint64_t node, double x) const {
  if (!subset.empty() && subset[node])
    return x >= 0 && x < max_categories && ((subset[node] >> static_cast<unsigned>(x)) & 1);
  if (!missing_left.empty() && missing_left[node]) return !(x > value[node]);
  return x <= value[node];
}

SavedForests SavedForests::every(std::size_t step) const {
  SavedForests out;
  out.n_trees = n_trees;
  const auto copy = [](auto& to, const auto& from, std::uint64_t begin, std::uint64_t end) {
    if (!from.empty()) to.insert(to.end(), from.data() + begin, from.data() + end);
  };
  for (std::size_t draw = 0; draw < n_draws(); draw += step)
    for (std::size_t t = draw * n_trees; t < (draw + 1) * n_trees; ++t) {
      const std::uint64_t begin = tree_start[t];
      const std::uint64_t end = t + 1 < tree_start.size() ? tree_start[t + 1] : variable.size();
      out.tree_start.push_back(out.variable.size());
      copy(out.variable, variable, begin, end);
      copy(out.right, right, begin, end);
      copy(out.value, value, begin, end);
      copy(out.missing_left, missing_left, begin, end);
      copy(out.subset, subset, begin, end);
    }
  return out;
}

void SavedForests::reserve(const Forest& forest, std::size_t n_draws) {
  const std::size_t size = n_draws * n_nodes(forest);
  const std::size_t with_margin = size + size / 4;  // forests differ from draw to draw
  const auto reserve_pages = [with_margin](auto& part) {
    part.reserve(with_margin);
    prefer_huge_pages(part.data(), with_margin * sizeof part[0]);
  };
  reserve_pages(variable);
  reserve_pages(right);
  reserve_pages(value);
  tree_start.reserve(n_draws * forest.trees().size());
}

void SavedForests::add(const Forest& forest) {
  n_trees = forest.trees().size();
  const Columns& columns = forest.columns();
  std::size_t at = variable.size();
  const std::size_t end = at + n_nodes(forest);
  variable.resize(end, -1);
  right.resize(end);
  value.resize(end);
  for (const AssignedTree& assigned : forest.trees()) {
    const Tree& tree = assigned.tree;
    tree_start.push_back(at);
    const auto append = [&](auto&& self, std::int32_t k) -> void {
      const Node& node = tree.node(k);
      const std::size_t here = at++;
      if (node.is_leaf()) {
        value[here] = tree.mu[node.leaf];
        return;
      }
      const Rule& rule = node.rule;
      variable[here] = static_cast<std::int32_t>(columns.column(rule.coding));
      if (columns.categorical(rule.coding))
        set_at(subset, here, rule.cutpoint);
      else
        value[here] = columns.value(rule.coding, static_cast<std::uint32_t>(rule.cutpoint));
      if (columns.missing_low(rule.coding)) set_at<std::uint8_t>(missing_left, here, 1);
      self(self, node.left);
      right[here] = static_cast<std::int32_t>(at - here);
      self(self, node.right);
    };
    append(append, 0);
  }
  if (!missing_left.empty()) missing_left.resize(end);
  if (!subset.empty()) subset.resize(end);
}

void SavedForests::check(std::size_t p) const {
  const std::size_t size = variable.size();
  const auto refuse = [] {
    throw std::invalid_argument("forests: the arrays do not describe trees; the data are damaged");
  };
  const auto fits = [size](const auto& part) { return part.empty() || part.size() == size; };
  if (right.size() != size || value.size() != size || n_trees == 0 || !fits(missing_left) ||
      !fits(subset) || tree_start.size() % n_trees != 0)
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

std::vector<char> SavedForests::split_on_any(const std::vector<std::int32_t>& columns) const {
  std::vector<char> found(tree_start.size(), 0);
  for (std::size_t t = 0; t < tree_start.size(); ++t) {
    const std::uint64_t end = t + 1 < tree_start.size() ? tree_start[t + 1] : variable.size();
    for (std::uint64_t k = tree_start[t]; k < end && !found[t]; ++k)
      found[t] = variable[k] >= 0 &&
                 std::find(columns.begin(), columns.end(), variable[k]) != columns.end();
  }
  return found;
}

void SavedForests::predict_draw(std::size_t draw, const Rows& rows, const std::vector<char>& wanted,
                                Scratch& scratch, double* sums) const {
  for (std::size_t first = 0; first < rows.n; first += rows_at_once) {
    Rows some = rows;
    some.x += static_cast<std::ptrdiff_t>(first) * rows.row_stride;
    some.n = std::min(rows_at_once, rows.n - first);
    double* out = sums + first;
    Values tree;
    std::fill_n(out, some.n, 0.0);
    for (std::size_t t = draw * n_trees; t < (draw + 1) * n_trees; ++t) {
      if (!wanted.empty() && !wanted[t]) continue;
      evaluate(tree_start[t], some, 0, scratch, tree.data());
      for (std::size_t i = 0; i < some.n; ++i) out[i] += tree[i];
    }
  }
}

// Both children are evaluated at every row and the right one is picked afterwards: with the few
// splits these trees have, that is much quicker than a walk with branches nobody can predict.
void SavedForests::evaluate(std::uint64_t k, const Rows& rows, std::size_t depth, Scratch& scratch,
                            double* out) const {
  if (variable[k] < 0) {
    std::fill_n(out, rows.n, value[k]);
    return;
  }
  const std::uint64_t left = k + 1, other = k + static_cast<std::uint64_t>(right[k]);
  if (variable[left] < 0 && variable[other] < 0) {
    const double a = value[left], b = value[other];
    pick(k, rows, out, [=](std::size_t, bool low) { return low ? a : b; });
    return;
  }
  if (depth == most_nested) return walk(k, rows, out);
  if (scratch.size() <= depth) scratch.emplace_back();
  double* high = scratch[depth].data();
  evaluate(left, rows, depth + 1, scratch, out);
  evaluate(other, rows, depth + 1, scratch, high);
  pick(k, rows, out, [=](std::size_t i, bool low) {
    const double a = out[i], b = high[i];  // read both: a conditional read makes no vector loop
    return low ? a : b;
  });
}

void SavedForests::walk(std::uint64_t k, const Rows& rows, double* out) const {
  for (std::size_t i = 0; i < rows.n; ++i) {
    const double* row = rows.x + static_cast<std::ptrdiff_t>(i) * rows.row_stride;
    std::uint64_t at = k;
    while (variable[at] >= 0)
      at += goes_left(at, row[variable[at] * rows.column_stride])
                ? 1
                : static_cast<std::uint64_t>(right[at]);
    out[i] = value[at];
  }
}

void SavedForests::predict(const double* x, std::size_t n_rows, std::ptrdiff_t row_stride,
                           std::ptrdiff_t column_stride, std::size_t n_threads, double* out,
                           const std::vector<char>& wanted) const {
  n_threads = std::max<std::size_t>(1, std::min(n_threads, n_draws()));
  const Rows rows{x, n_rows, row_stride, column_stride};
  const auto work = [&](std::size_t first) {
    Scratch scratch;
    for (std::size_t draw = first; draw < n_draws(); draw += n_threads)
      predict_draw(draw, rows, wanted, scratch, out + draw * n_rows);
  };
  std::vector<std::thread> threads;
  for (std::size_t k = 1; k < n_threads; ++k) threads.emplace_back(work, k);
  work(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace bayesvc
