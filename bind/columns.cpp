#include "columns.hpp"

#include "bind.hpp"
#include "correlation.hpp"
#include "least_squares.hpp"

using bayesvc::Columns;
using bayesvc::LinearModel;

namespace {

std::size_t checked(const Columns& columns, std::size_t j) {
  if (j >= columns.p()) throw nb::index_error("column out of range");
  return j;
}

template <class Get>
nb::object per_column(const Columns& columns, Get get) {
  std::vector<std::int64_t> out;
  for (std::size_t j = 0; j < columns.p(); ++j) out.push_back(get(j));
  return to_numpy(std::move(out));
}

}  // namespace

void bind_columns(nb::module_& m) {
  nb::class_<Columns>(m, "Columns")
      .def(
          "__init__",
          [](Columns* self, const Matrix& x, bool keep_values) {
            const double* data = x.data();
            const std::size_t n = x.shape(0), p = x.shape(1);
            const std::ptrdiff_t row = x.stride(0), column = x.stride(1);
            nb::gil_scoped_release release;
            new (self) Columns(data, n, p, row, column, keep_values);
          },
          nb::arg("X"), nb::arg("keep_values") = false)
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
             return per_column(self, [&](std::size_t j) { return self.n_distinct(j); });
           })
      .def("max_ties",
           [](const Columns& self) {
             return per_column(self, [&](std::size_t j) { return self.max_ties(j); });
           })
      .def(
          "correlations",
          [](const Columns& self, const std::vector<std::uint32_t>& chosen) {
            for (const std::uint32_t j : chosen) checked(self, j);
            std::vector<double> found;
            {
              nb::gil_scoped_release release;
              found = bayesvc::code_correlations(self, chosen);
            }
            return to_numpy(std::move(found), {chosen.size(), self.p()});
          },
          nb::arg("chosen"))
      .def("codes",
           [](const Columns& self, std::size_t j) {
             std::vector<std::uint32_t> out(self.n());
             for (std::size_t i = 0; i < out.size(); ++i) out[i] = self.code(checked(self, j), i);
             return to_numpy(std::move(out));
           })
      .def("values", [](const Columns& self, std::size_t j) {
        if (!self.has_values()) throw nb::value_error("values were not kept: keep_values=False");
        std::vector<double> out(self.n_distinct(checked(self, j)));
        for (std::size_t k = 0; k < out.size(); ++k)
          out[k] = self.value(j, static_cast<std::uint32_t>(k));
        return to_numpy(std::move(out));
      });
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
      .def("residual_ss",
           [](const LinearModel& self, const Vector& y) { return self.residual_ss(y.data()); });
}
