// The residuals that the trees are fitted to, in single or double precision.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "tree.hpp"

namespace bayesvc {

// A split of the rows of {first, second} under consideration.
struct Candidate {
  const Comparison* rule = nullptr;  // null: none
  LeafId first = 0;
  LeafId second = 0;
};

struct LeafSums {
  std::vector<double> sum;     // by leaf id
  std::vector<double> weight;  // of the rows, if they are weighted
  bool weighted = false;
  double left_sum = 0;  // of the candidate
  double left_weight = 0;
  std::uint32_t left_count = 0;
};

class Residual {
 public:
  virtual ~Residual() = default;

  // Takes the values of `previous` (may be null) out of the residuals, puts those of `current`
  // back in, and sums by its leaves.
  virtual void advance(const AssignedTree* previous, const AssignedTree& current,
                       const Candidate& candidate, LeafSums& out) = 0;
  // Sums by any ids, the residuals unchanged.
  virtual void sums(const LeafId* ids, std::size_t n_leaves, const Candidate& candidate,
                    LeafSums& out) = 0;
  // Takes the values of `previous` out and returns the sum of squares.
  virtual double finish(const AssignedTree& previous) = 0;
  // A leaf value as the residuals' precision holds it.
  double rounded(double value) const {
    return single_precision_ ? static_cast<double>(static_cast<float>(value)) : value;
  }
  std::size_t size() const { return n_; }
  // All rows at once.
  virtual void read(std::vector<double>& values) const = 0;
  virtual void write(const std::vector<double>& values) = 0;
  // The precisions of the rows, by which all sums are weighted, from now on; empty: all one.
  virtual void set_precisions(const std::vector<double>& precisions) = 0;

  static std::unique_ptr<Residual> make(bool single_precision, std::size_t n,
                                        const Kernels& kernels);

 protected:
  Residual(bool single_precision, std::size_t n) : single_precision_(single_precision), n_(n) {}

 private:
  const bool single_precision_;
  const std::size_t n_;
};

}  // namespace bayesvc
