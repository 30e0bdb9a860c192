#include "residual.hpp"

#include <algorithm>

#include "aligned.hpp"

namespace bayesvc {
namespace {

template <class Real>
class ResidualOf final : public Residual {
 public:
  ResidualOf(std::size_t n, const Kernels& kernels)
      : Residual(sizeof(Real) == sizeof(float), n), kernels_(kernels), values_(n, Real{0}) {}

  void advance(const AssignedTree* previous, const AssignedTree& current,
               const Candidate& candidate, LeafSums& out) override {
    const std::size_t n_leaves = current.tree.n_leaves();
    fill(current_table_, current.tree.mu, Real{1});
    if (previous) {
      fill(previous_table_, previous->tree.mu, Real{-1});
      run(previous->ids.data(), previous_table_, previous->tree.n_leaves(), current.ids.data(),
          current_table_, n_leaves, candidate, out);
    } else {
      zeros(n_leaves);
      run(current.ids.data(), zero_table_, n_leaves, current.ids.data(), current_table_, n_leaves,
          candidate, out);
    }
  }

  void sums(const LeafId* ids, std::size_t n_leaves, const Candidate& candidate,
            LeafSums& out) override {
    zeros(n_leaves);
    run(ids, zero_table_, n_leaves, ids, zero_table_, n_leaves, candidate, out);
  }

  double finish(const AssignedTree& previous) override {
    fill(previous_table_, previous.tree.mu, Real{-1});
    Finish<Real> task;
    task.residual = values_.data();
    task.n = values_.size();
    task.ids = previous.ids.data();
    task.shift = previous_table_.data();
    task.n_leaves = previous.tree.n_leaves();
    if (weights_.empty()) return chosen(kernels_.finish_single, kernels_.finish_double)(task);
    task.weights = weights_.data();
    return chosen(kernels_.finish_weighted_single, kernels_.finish_weighted_double)(task);
  }

  void read(std::vector<double>& values) const override {
    for (std::size_t i = 0; i < values_.size(); ++i) values[i] = static_cast<double>(values_[i]);
  }
  void write(const std::vector<double>& values) override {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<Real>(values[i]);
  }
  void set_precisions(const std::vector<double>& precisions) override {
    weights_.resize(precisions.size());
    for (std::size_t i = 0; i < weights_.size(); ++i)
      weights_[i] = static_cast<Real>(precisions[i]);
  }

 private:
  // The kernel of this precision.
  template <class Single, class Double>
  static auto chosen(Single single, Double twice) {
    if constexpr (sizeof(Real) == sizeof(float))
      return single;
    else
      return twice;
  }

  static void fill(std::vector<Real>& table, const std::vector<double>& mu, Real sign) {
    if (table.size() < mu.size() + table_padding) table.resize(mu.size() + table_padding);
    for (std::size_t k = 0; k < mu.size(); ++k) table[k] = sign * static_cast<Real>(mu[k]);
  }

  void zeros(std::size_t n_leaves) {
    if (zero_table_.size() < n_leaves + table_padding)
      zero_table_.resize(n_leaves + table_padding, Real{0});
  }

  void run(const LeafId* previous_ids, const std::vector<Real>& previous_table,
           std::size_t n_previous, const LeafId* current_ids,
           const std::vector<Real>& current_table, std::size_t n_current,
           const Candidate& candidate, LeafSums& out) {
    if (out.sum.size() < n_current) out.sum.resize(n_current);
    const std::size_t n_sums = n_current * (weights_.empty() ? 1 : 2);
    if (totals_.size() < n_sums * n_totals) {
      lane_buffer_.resize(n_sums * lanes, Real{0});
      totals_.resize(n_sums * n_totals);
    }
    Advance<Real> task;
    task.residual = values_.data();
    task.n = values_.size();
    task.previous_ids = previous_ids;
    task.previous_shift = previous_table.data();
    task.n_previous = n_previous;
    task.current_ids = current_ids;
    task.current_shift = current_table.data();
    task.n_current = n_current;
    if (candidate.rule) {
      task.column = candidate.rule->column;
      task.cutpoint = candidate.rule->cutpoint;
      task.first = candidate.first;
      task.second = candidate.second;
    }
    task.sums = out.sum.data();
    task.lane_buffer = lane_buffer_.data();
    task.totals = totals_.data();
    out.weighted = !weights_.empty();
    if (!out.weighted) {
      chosen(kernels_.advance_single, kernels_.advance_double)(task);
    } else {
      if (out.weight.size() < n_current) out.weight.resize(n_current);
      task.weights = weights_.data();
      task.weight_sums = out.weight.data();
      chosen(kernels_.advance_weighted_single, kernels_.advance_weighted_double)(task);
      out.left_weight = task.left_weight;
    }
    out.left_sum = task.left_sum;
    out.left_count = task.left_count;
  }

  const Kernels& kernels_;
  AlignedVector<Real> values_, weights_;
  std::vector<Real> previous_table_ = std::vector<Real>(table_padding);
  std::vector<Real> current_table_ = std::vector<Real>(table_padding);
  std::vector<Real> zero_table_ = std::vector<Real>(table_padding);
  std::vector<Real> lane_buffer_;
  std::vector<double> totals_;
};

}  // namespace

std::unique_ptr<Residual> Residual::make(bool single_precision, std::size_t n,
                                         const Kernels& kernels) {
  if (single_precision) return std::make_unique<ResidualOf<float>>(n, kernels);
  return std::make_unique<ResidualOf<double>>(n, kernels);
}

}  // namespace bayesvc
