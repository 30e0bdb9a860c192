#include "columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "bind.hpp"
#include "correlation.hpp"
#include "least_squares.hpp"

using bayesvc::Columns;
using bayesvc::LinearModel;

namespace {

// Rows, columns and codes are numbered in 32 bits, and -1 is no column.
void check_size(const std::string& what, std::size_t size) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  const std::string found = "X has " + std::to_string(size) + " " + what;
  if (size > most) throw nb::value_error((found + "; pass at most 2147483647").c_str());
}

std::size_t checked(std::size_t at, std::size_t size) {
  if (at >= size) throw nb::index_error("column out of range");
  return at;
}

// The largest over the columns of each variable.
template <class Get>
nb::object per_variable(const Columns& columns, Get get) {
  std::vector<std::int64_t> out(columns.p(), 0);
  for (std::size_t j = 0; j < columns.p(); ++j)
    for (const std::uint32_t coding : columns.members(j))
      out[j] = std::max<std::int64_t>(out[j], get(coding));
  return to_numpy(std::move(out));
}

void check(const bayesvc::Layout& layout, const Matrix& x) {
  const std::size_t n = x.shape(0), p = x.shape(1);
  check_size("rows", n);
  check_size("columns", p);
  if (!layout.n_categories.empty() && layout.n_categories.size() != p)
    refuse("n_categories must have one value for each column", layout.n_categories.size());
  for (std::size_t j = 0; j < layout.n_categories.size(); ++j) {
    const std::uint32_t k = layout.n_categories[j];
    if (k > bayesvc::max_categories) refuse("n_categories must be at most 64", k);
    for (std::size_t i = 0; k > 0 && i < n; ++i)
      if (!(x(i, j) >= 0 && x(i, j) < k && x(i, j) == std::floor(x(i, j))))
        refuse("X must hold categories from 0 to n_categories - 1", x(i, j));
  }
  for (const auto& group : layout.groups) {
    if (group.empty())
      throw nb::value_error("groups must have at least one column each. Got none instead.");
    for (const std::uint32_t j : group)
      if (j >= p) refuse("groups must name columns of X", j);
  }
}

nb::object correlations(const Columns& self, const std::vector<std::uint32_t>& chosen) {
  for (const std::uint32_t j : chosen) checked(j, self.p());
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found = bayesvc::code_correlations(self, chosen);
  }
  return to_numpy(std::move(found), {chosen.size(), self.p()});
}

nb::object codes(const Columns& self, std::size_t coding) {
  std::vector<std::uint32_t> out(self.n());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = self.code(checked(coding, self.n_codings()), i);
  return to_numpy(std::move(out));
}

nb::object values(const Columns& self, std::size_t coding) {
  if (!self.has_values()) throw nb::value_error("values needs Columns made with keep_values=True");
  if (self.categorical(checked(coding, self.n_codings())))
    throw nb::value_error("a categorical column has no values");
  std::vector<double> out(self.n_distinct(coding));
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = self.value(coding, static_cast<std::uint32_t>(k));
  return to_numpy(std::move(out));
}

}  // namespace

void bind_columns(nb::module_& m) {
  nb::class_<Columns>(m, "Columns")
      .def(
          "__init__",
          [](Columns* self, const Matrix& x, bool keep_values,
             const std::vector<std::uint32_t>& n_categories,
             const std::vector<std::vector<std::uint32_t>>& groups) {
            const bayesvc::Layout layout{n_categories, groups};
            check(layout, x);
            const double* data = x.data();
            const std::size_t n = x.shape(0), p = x.shape(1);
            const std::ptrdiff_t row = x.stride(0), column = x.stride(1);
            nb::gil_scoped_release release;
            new (self) Columns(data, n, p, row, column, keep_values, layout);
          },
          nb::arg("X"), nb::arg("keep_values") = false,
          nb::arg("n_categories") = std::vector<std::uint32_t>(),
          nb::arg("groups") = std::vector<std::vector<std::uint32_t>>())
      .def_prop_ro("n", &Columns::n)
      .def_prop_ro("p", &Columns::p)
      .def_prop_ro("nbytes", &Columns::nbytes)
      .def_prop_ro("fingerprint",
                   [](const Columns& self) {
                     const auto words = self.fingerprint();
                     return nb::make_tuple(words[0], words[1]);
                   })
      .def("n_distinct",
           [](const Columns& self) {
             return per_variable(self, [&](std::size_t k) { return self.n_distinct(k); });
           })
      .def("max_ties",
           [](const Columns& self) {
             return per_variable(self, [&](std::size_t k) { return self.max_ties(k); });
           })
      .def("correlations", correlations, nb::arg("chosen"))
      .def("codes", codes)
      .def("values", values);
}

void bind_linear_model(nb::module_& m) {
  nb::class_<LinearModel>(m, "LinearModel")
      .def(
          "__init__",
          [](LinearModel* self, const Matrix& x) {
            const double* data = x.data();
            const std::size_t n = x.shape(0), p = x.shape(1);
            const std::ptrdiff_t row = x.stride(0), column = x.stride(1);
            const bool column_major = row == 1 && column == static_cast<std::ptrdiff_t>(n);
            const bool row_major = column == 1 && row == static_cast<std::ptrdiff_t>(p);
            nb::gil_scoped_release release;
            std::vector<double> copy;
            if (!column_major && !row_major) {
              for (std::size_t k = 0; k < n * p; ++k)
                copy.push_back(data[static_cast<std::ptrdiff_t>(k / p) * row +
                                    static_cast<std::ptrdiff_t>(k % p) * column]);
              data = copy.data();
            }
            new (self) LinearModel(data, n, p, column_major);
          },
          nb::arg("X"))
      .def_prop_ro("rank", &LinearModel::rank)
      .def("residual_ss", [](const LinearModel& self, const Vector& y) {
        if (y.shape(0) != self.n()) refuse("y must have one value for each row", y.shape(0));
        return self.residual_ss(y.data());
      });
}
