#include "columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
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

void check(const bayesvc::Layout& layout, std::size_t n, std::size_t p) {
  check_size("rows", n);
  check_size("columns", p);
  if (!layout.n_categories.empty() && layout.n_categories.size() != p)
    refuse("n_categories must have one value for each column", layout.n_categories.size());
  for (const std::uint32_t k : layout.n_categories)
    if (k > bayesvc::max_categories) refuse("n_categories must be at most 64", k);
  for (const auto& group : layout.groups) {
    if (group.empty())
      throw nb::value_error("groups must have at least one column each. Got none instead.");
    for (const std::uint32_t j : group)
      if (j >= p) refuse("groups must name columns of X", j);
  }
}

// Of columns from `first` on.
void check_categories(const bayesvc::Layout& layout, const Matrix& x, std::size_t first) {
  for (std::size_t j = 0; j < x.shape(1) && !layout.n_categories.empty(); ++j) {
    const std::uint32_t k = layout.n_categories[first + j];
    for (std::size_t i = 0; k > 0 && i < x.shape(0); ++i)
      if (!(x(i, j) >= 0 && x(i, j) < k && x(i, j) == std::floor(x(i, j))))
        refuse("X must hold categories from 0 to n_categories - 1", x(i, j));
  }
}

// Matrices with the same rows, from an iterator of Python. The last one is kept alive.
class Blocks {
 public:
  Blocks(nb::iterator blocks, std::size_t n) : blocks_(std::move(blocks)), n_(n) {}

  // Returns the next columns, after the last ones were given back; needs the interpreter's lock.
  const Matrix* next() {
    block_ = {};
    const nb::object found = nb::steal(PyIter_Next(blocks_.ptr()));
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    if (!found.is_valid()) return nullptr;
    block_ = nb::cast<Matrix>(found, false);
    if (block_.shape(0) != n_) refuse("blocks must have one value for each row", block_.shape(0));
    return &block_;
  }

  static bayesvc::ColumnBlock view(const Matrix& x) {
    return {{x.data(), x.stride(0), x.stride(1)}, x.shape(1)};
  }

 private:
  nb::object blocks_;
  std::size_t n_;
  Matrix block_;
};

Columns columns_of_blocks(nb::iterator blocks, std::size_t n, std::size_t p, bool keep_values,
                          const std::vector<std::uint32_t>& n_categories,
                          const std::vector<std::vector<std::uint32_t>>& groups) {
  const bayesvc::Layout layout{n_categories, groups};
  check(layout, n, p);
  Blocks source(std::move(blocks), n);
  std::size_t first = 0;
  const auto next = [&] {
    nb::gil_scoped_acquire lock;
    const Matrix* x = source.next();
    if (x == nullptr || x->shape(1) == 0 || x->shape(1) > p - first)
      refuse("blocks must have p columns together", first);
    check_categories(layout, *x, first);
    first += x->shape(1);
    return Blocks::view(*x);
  };
  nb::gil_scoped_release release;
  return {next, n, p, keep_values, layout};
}

LinearModel model_of_blocks(nb::iterator blocks, std::size_t n) {
  Blocks source(std::move(blocks), n);
  const auto next = [&] {
    nb::gil_scoped_acquire lock;
    const Matrix* x = source.next();
    return x == nullptr ? bayesvc::ColumnBlock{} : Blocks::view(*x);
  };
  nb::gil_scoped_release release;
  return {next, n};
}

template <class T>
nb::object borrowed(std::span<const T> values, nb::handle owner) {
  return nb::cast(nb::ndarray<nb::numpy, const T>(values.data(), {values.size()}, owner));
}

template <class T>
std::vector<T> vector_of(const nb::handle& values) {
  const auto found = nb::cast<nb::ndarray<const T, nb::ndim<1>, nb::c_contig>>(values);
  return {found.data(), found.data() + found.size()};
}

nb::tuple get_state(nb::handle self) {
  const auto& columns = nb::cast<const Columns&>(self);
  auto state = columns.state();
  return nb::make_tuple(state.n, state.has_values, state.fingerprint,
                        to_numpy(std::move(state.info)), to_numpy(std::move(state.members)),
                        to_numpy(std::move(state.first_member)), to_numpy(std::move(state.values)),
                        borrowed(columns.all_codes(), self));
}

void set_state(Columns& self, const nb::tuple& parts) {
  const auto codes = nb::cast<nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig>>(parts[7]);
  Columns::State state{nb::cast<std::size_t>(parts[0]),
                       nb::cast<bool>(parts[1]),
                       nb::cast<std::array<std::uint64_t, 2>>(parts[2]),
                       vector_of<unsigned char>(parts[3]),
                       vector_of<std::uint32_t>(parts[4]),
                       vector_of<std::uint32_t>(parts[5]),
                       vector_of<double>(parts[6])};
  new (&self) Columns(std::move(state), {codes.data(), codes.size()});
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
  nb::class_<Columns>(m, "Columns", nb::is_weak_referenceable())
      .def(
          "__init__",
          [](Columns* self, const Matrix& x, bool keep_values,
             const std::vector<std::uint32_t>& n_categories,
             const std::vector<std::vector<std::uint32_t>>& groups) {
            const bayesvc::Layout layout{n_categories, groups};
            check(layout, x.shape(0), x.shape(1));
            check_categories(layout, x, 0);
            const double* data = x.data();
            const std::size_t n = x.shape(0), p = x.shape(1);
            const std::ptrdiff_t row = x.stride(0), column = x.stride(1);
            nb::gil_scoped_release release;
            new (self) Columns(data, n, p, row, column, keep_values, layout);
          },
          nb::arg("X"), nb::arg("keep_values") = false,
          nb::arg("n_categories") = std::vector<std::uint32_t>(),
          nb::arg("groups") = std::vector<std::vector<std::uint32_t>>())
      .def_static("from_blocks", columns_of_blocks, nb::arg("blocks"), nb::arg("n"), nb::arg("p"),
                  nb::arg("keep_values") = false,
                  nb::arg("n_categories") = std::vector<std::uint32_t>(),
                  nb::arg("groups") = std::vector<std::vector<std::uint32_t>>())
      .def("__getstate__", get_state)
      .def("__setstate__", set_state)
      .def("__sizeof__", &Columns::nbytes)
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
            const auto [view, n_columns] = Blocks::view(x);
            const std::size_t n = x.shape(0);
            nb::gil_scoped_release release;
            new (self) LinearModel(bayesvc::one_block(view, n_columns), n);
          },
          nb::arg("X"))
      .def_static("from_blocks", model_of_blocks, nb::arg("blocks"), nb::arg("n"))
      .def_prop_ro("rank", &LinearModel::rank)
      .def_prop_ro("saturated", &LinearModel::saturated)
      .def("residual_ss", [](const LinearModel& self, const Vector& y) {
        if (y.shape(0) != self.n()) refuse("y must have one value for each row", y.shape(0));
        return self.residual_ss(y.data());
      });
}
