#include "marginals.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "variance_shares.hpp"

namespace bayesvc {

namespace {

constexpr std::size_t n_bytes = 256;  // values of a byte

// Whether row a comes before row b in a column; missing values come last.
bool before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

Marginals::Marginals(const JointRows& rows) : rows_(rows), variables_(rows.numeric.size()) {
  for (std::size_t j = 0; j < variables_.size(); ++j) {
    Variable& own = variables_[j];
    own.numeric = rows.numeric[j] != 0;
    std::vector<const double*> columns;
    for (std::size_t c = 0; c < rows.variable_of.size(); ++c)
      if (rows.variable_of[c] == j) columns.push_back(rows.x + c * rows.n);
    own.order.resize(rows.n);
    std::iota(own.order.begin(), own.order.end(), 0u);
    std::stable_sort(own.order.begin(), own.order.end(), [&](std::uint32_t a, std::uint32_t b) {
      for (const double* column : columns)
        if (!same(column[a], column[b])) return before(column[a], column[b]);
      return false;
    });
    if (own.numeric) {
      for (const std::uint32_t i : own.order)
        if (!std::isnan(columns[0][i])) own.values.push_back(columns[0][i]);
      continue;
    }
    own.atom_of.resize(rows.n);
    for (std::size_t k = 0; k < rows.n; ++k) {
      const std::uint32_t i = own.order[k];
      const auto as_last = [&](const double* column) {
        return same(column[i], column[own.order[k - 1]]);
      };
      if (k == 0 || !std::all_of(columns.begin(), columns.end(), as_last)) own.row_of.push_back(i);
      own.atom_of[i] = static_cast<std::uint32_t>(own.row_of.size() - 1);
    }
  }
}

WeightedMarginals::WeightedMarginals(const Marginals& marginals, const double* weights)
    : marginals_(marginals), missing_(marginals.size()), tables_(marginals.size()) {
  for (std::size_t j = 0; j < marginals.size(); ++j) {
    const Marginals::Variable& own = marginals.variable(j);
    std::vector<double>& table = tables_[j];
    if (own.numeric) {
      table.resize(own.values.size() + 1);
      for (std::size_t k = 0; k < own.values.size(); ++k)
        table[k + 1] = table[k] + weights[own.order[k]];
      for (std::size_t k = own.values.size(); k < own.order.size(); ++k)
        missing_[j] += weights[own.order[k]];
      continue;
    }
    const std::size_t n_atoms = own.row_of.size();
    std::vector<double> of_atom((n_atoms + 7) / 8 * 8);
    for (std::size_t i = 0; i < own.atom_of.size(); ++i) of_atom[own.atom_of[i]] += weights[i];
    table.resize(of_atom.size() / 8 * n_bytes);
    for (std::size_t byte = 0; byte < of_atom.size() / 8; ++byte)
      for (std::size_t bits = 1; bits < n_bytes; ++bits) {
        std::size_t highest = 7;
        while (!(bits >> highest & 1)) --highest;
        table[byte * n_bytes + bits] =
            table[byte * n_bytes + (bits & ~(std::size_t{1} << highest))] +
            of_atom[8 * byte + highest];
      }
  }
}

double WeightedMarginals::below(std::size_t j, double cutpoint) const {
  const std::vector<double>& values = marginals_.variable(j).values;
  const auto at = std::upper_bound(values.begin(), values.end(), cutpoint) - values.begin();
  return tables_[j][static_cast<std::size_t>(at)];
}

double WeightedMarginals::of_both(std::size_t j, const std::uint8_t* a,
                                  const std::uint8_t* b) const {
  const std::vector<double>& table = tables_[j];
  double sum = 0;
  for (std::size_t k = 0; k < table.size() / n_bytes; ++k)
    sum += table[k * n_bytes + (a[k] & b[k])];
  return sum;
}

// The values of each variable that lead to a node.
struct LeafTable::Region {
  struct Part {
    double low = 0, high = 0;
    bool missing = true;
    AtomSet atoms;
    bool split = false;  // whether the variable was split on above
  };
  std::vector<Part> parts;
  std::vector<std::uint32_t> constrained;
};

LeafTable::LeafTable(const SavedForests& forests, std::size_t draw,
                     const WeightedMarginals& marginals)
    : forests_(forests), marginals_(marginals), variables_(marginals.marginals().size()) {
  Region region;
  region.parts.resize(variables_.size());
  for (std::size_t j = 0; j < variables_.size(); ++j) {
    const Marginals::Variable& own = marginals.marginals().variable(j);
    Region::Part& part = region.parts[j];
    if (own.numeric) {
      part.high = own.values.empty() ? 0 : marginals.below(j, own.values.back());
    } else {
      part.atoms.assign((own.row_of.size() + 7) / 8, 0xff);
      variables_[j].bytes = part.atoms.size();
    }
  }
  for (std::size_t t = draw * forests.n_trees; t < (draw + 1) * forests.n_trees; ++t)
    descend(forests.tree_start[t], region);
}

void LeafTable::descend(std::uint64_t node, Region& region) {
  if (forests_.variable[node] < 0)
    add_leaf(forests_.value[node], region);
  else
    split(node, region);
}

void LeafTable::split(std::uint64_t node, Region& region) {
  const JointRows& rows = marginals_.marginals().rows();
  const auto column = static_cast<std::size_t>(forests_.variable[node]);
  const std::size_t j = rows.variable_of[column];
  const Marginals::Variable& own = marginals_.marginals().variable(j);
  const Region::Part before = region.parts[j];
  if (!before.split) region.constrained.push_back(static_cast<std::uint32_t>(j));
  const double cut = own.numeric ? marginals_.below(j, forests_.value[node]) : 0;
  const std::uint64_t children[] = {node + 1,
                                    node + static_cast<std::uint64_t>(forests_.right[node])};
  for (const bool left : {true, false}) {
    Region::Part& part = region.parts[j];
    part = before;
    part.split = true;
    if (own.numeric) {
      (left ? part.high : part.low) = left ? std::min(before.high, cut) : std::max(before.low, cut);
      part.missing = before.missing && left == forests_.goes_left(node, std::nan(""));
    } else {
      const double* values = rows.x + column * rows.n;
      for (std::size_t a = 0; a < own.row_of.size(); ++a)
        if (left != forests_.goes_left(node, values[own.row_of[a]]))
          part.atoms[a / 8] &= static_cast<std::uint8_t>(~(1u << a % 8));
    }
    descend(children[left ? 0 : 1], region);
  }
  region.parts[j] = before;
  if (!before.split) region.constrained.pop_back();
}

void LeafTable::add_leaf(double leaf_value, const Region& region) {
  std::vector<double> each(variables_.size(), 1);
  double reached = 1;
  for (const std::uint32_t j : region.constrained) {
    const Region::Part& part = region.parts[j];
    const bool numeric = marginals_.marginals().variable(j).numeric;
    each[j] = numeric
                  ? std::max(0.0, part.high - part.low) + (part.missing ? marginals_.missing(j) : 0)
                  : marginals_.of_both(j, part.atoms.data(), part.atoms.data());
    reached *= each[j];
  }
  if (!(reached > 0)) return;
  value.push_back(leaf_value);
  probability.push_back(reached);
  constrained.push_back(region.constrained);
  for (std::size_t j = 0; j < variables_.size(); ++j) {
    const Region::Part& part = region.parts[j];
    OfVariable& own = variables_[j];
    own.low.push_back(part.low);
    own.high.push_back(std::max(part.low, part.high));
    own.missing.push_back(part.missing ? marginals_.missing(j) : 0);
    own.probability.push_back(each[j]);
    own.inverse.push_back(1 / each[j]);
    own.atoms.insert(own.atoms.end(), part.atoms.begin(), part.atoms.end());
  }
}

void LeafTable::ratios(const LeafTable& other, std::size_t l, std::size_t j, double* out) const {
  const OfVariable &own = variables_[j], &theirs = other.variables_[j];
  const std::size_t n = size();
  if (marginals_.marginals().variable(j).numeric) {
    const double low = theirs.low[l], high = theirs.high[l];
    const double take_missing = theirs.missing[l] > 0 ? 1 : 0;
    const double *lows = own.low.data(), *highs = own.high.data();
    const double *missing = own.missing.data(), *inverse = own.inverse.data();
    for (std::size_t i = 0; i < n; ++i) {
      const double top = highs[i] < high ? highs[i] : high;
      const double bottom = lows[i] > low ? lows[i] : low;
      const double overlap = top > bottom ? top - bottom : 0;
      out[i] = (overlap + take_missing * missing[i]) * inverse[i];
    }
    return;
  }
  const std::uint8_t* wanted = theirs.atoms.data() + l * theirs.bytes;
  for (std::size_t i = 0; i < n; ++i) {
    const bool split = own.probability[i] != 1;
    const double both = split ? marginals_.of_both(j, wanted, own.atoms.data() + i * own.bytes)
                              : theirs.probability[l];
    out[i] = both * own.inverse[i];
  }
}

}  // namespace bayesvc
