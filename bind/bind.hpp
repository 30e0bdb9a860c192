// Glue only: numpy arrays in and out of the core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using SeedWords = nb::ndarray<const std::uint64_t, nb::shape<4>, nb::c_contig, nb::device::cpu>;

inline std::array<std::uint64_t, 4> seed_of(const SeedWords& words) {
  return {words(0), words(1), words(2), words(3)};
}

// Throws ValueError: what an argument must be, and what it was.
template <class Got>
[[noreturn]] void refuse(const std::string& must_be, const Got& got) {
  std::string text;
  if constexpr (std::is_arithmetic_v<Got>)
    text = std::to_string(got);
  else
    text = std::string("'") + got + "'";
  throw nb::value_error((must_be + ". Got " + text + " instead.").c_str());
}

// A numpy array that owns the vector's memory.
template <class T>
nb::object to_numpy(std::vector<T>&& values, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

template <class T>
nb::object to_numpy(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

void bind_columns(nb::module_& m);
void bind_linear_model(nb::module_& m);
void bind_settings(nb::module_& m);
void bind_chain(nb::module_& m);
void bind_saved_forests(nb::module_& m);
void bind_variance_shares(nb::module_& m);
void bind_fit(nb::module_& m);
void bind_abc(nb::module_& m);
void bind_linkage(nb::module_& m);

namespace bayesvc {
class Columns;
struct FitResult;
struct ForestSettings;
}  // namespace bayesvc
// fit.cpp
void check_fit(const bayesvc::Columns& columns, const Vector& y,
               const bayesvc::ForestSettings& settings);
void check_response(const Vector& y, std::size_t n_rows);
void check_intervals(const Vector& y, const bayesvc::ForestSettings& settings);
nb::dict fit_to_python(bayesvc::FitResult&& fit, std::size_t p, std::size_t n_trees);
