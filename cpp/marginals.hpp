// The distribution of each variable over weighted rows, and the leaves of a forest under it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "saved_forests.hpp"

namespace bayesvc {

struct JointRows;

// What does not depend on the weights. A variable of numbers has its rows in order; any other has
// atoms, which are the distinct rows of its columns.
class Marginals {
 public:
  explicit Marginals(const JointRows& rows);

  struct Variable {
    bool numeric = false;
    std::vector<double> values;          // of numbers: sorted, without missing ones
    std::vector<std::uint32_t> order;    // rows in this order, those with a missing value last
    std::vector<std::uint32_t> atom_of;  // by row
    std::vector<std::uint32_t> row_of;   // by atom: a row that has its values
  };

  const JointRows& rows() const { return rows_; }
  const Variable& variable(std::size_t j) const { return variables_[j]; }
  std::size_t size() const { return variables_.size(); }

 private:
  const JointRows& rows_;
  std::vector<Variable> variables_;
};

// A set of atoms, one to a bit.
using AtomSet = std::vector<std::uint8_t>;

// The probabilities of the values of each variable under weights of sum 1.
class WeightedMarginals {
 public:
  WeightedMarginals(const Marginals& marginals, const double* weights);

  const Marginals& marginals() const { return marginals_; }
  // The probability of a value that is not missing and at most `cutpoint`.
  double below(std::size_t j, double cutpoint) const;
  double missing(std::size_t j) const { return missing_[j]; }
  // The probability of the atoms that are in both sets.
  double of_both(std::size_t j, const std::uint8_t* a, const std::uint8_t* b) const;

 private:
  const Marginals& marginals_;
  std::vector<double> missing_;
  std::vector<std::vector<double>> tables_;  // of numbers: cumulative; of atoms: sums of each byte
};

// The leaves of one draw that can be reached, with what leads to them.
class LeafTable {
 public:
  LeafTable(const SavedForests& forests, std::size_t draw, const WeightedMarginals& marginals);

  // By leaf: the values of one variable that lead there. Those of numbers are the interval of their
  // distribution function from `low` to `high`, and missing ones with probability `missing`.
  struct OfVariable {
    std::vector<double> low, high, missing, probability, inverse;
    std::vector<std::uint8_t> atoms;  // `bytes` to a leaf
    std::size_t bytes = 0;
  };

  std::size_t size() const { return value.size(); }
  const OfVariable& of(std::size_t j) const { return variables_[j]; }
  // out[l'] = the probability that a value of j which leads to l' leads to l of the other table
  // too.
  void ratios(const LeafTable& other, std::size_t l, std::size_t j, double* out) const;

  std::vector<double> value, probability;
  std::vector<std::vector<std::uint32_t>> constrained;  // by leaf: the variables split on above it

 private:
  struct Region;
  void descend(std::uint64_t node, Region& region);
  void split(std::uint64_t node, Region& region);
  void add_leaf(double leaf_value, const Region& region);

  const SavedForests& forests_;
  const WeightedMarginals& marginals_;
  std::vector<OfVariable> variables_;
};

}  // namespace bayesvc
