#include "abc.hpp"

#include "bind.hpp"

using bayesvc::AbcSettings;
using bayesvc::Columns;
using bayesvc::Control;

namespace {

// The sampler with the numpy array that it reads from.
struct Sampler {
  Matrix x;
  bayesvc::AbcSampler sampler;
};

void check(const Columns& columns, const Matrix& x, const Vector& y, const AbcSettings& settings) {
  const std::size_t n = columns.n(), p = columns.p();
  if (x.shape(0) != n) refuse("X must have one row for each row of the columns", x.shape(0));
  if (settings.design.empty() ? x.shape(1) != p : settings.design.size() != p)
    refuse("design must have one list of columns of X for each variable",
           settings.design.empty() ? x.shape(1) : settings.design.size());
  for (const auto& list : settings.design)
    for (const std::uint32_t j : list)
      if (j >= x.shape(1)) refuse("design must name columns of X", j);
  check_fit(columns, y, settings.forest);
  if (!settings.forest.row_weights.empty())
    refuse("settings.row_weights must be empty", settings.forest.row_weights.size());
  if (settings.forest.splitting != "fixed")
    refuse("settings.splitting must be 'fixed'", settings.forest.splitting);
  if (settings.n_train < 2 || settings.n_train >= n)
    refuse("n_train must be at least 2 and less than the number of rows", settings.n_train);
  if (settings.forest.response == "probit" && settings.offsets.size() != settings.n_train + 1)
    refuse("offsets must have n_train + 1 values for a binary y", settings.offsets.size());
}

nb::dict sample(const Sampler& self, const SeedWords& seed, Control& control) {
  const auto words = seed_of(seed);
  bayesvc::AbcSample found = [&] {
    nb::gil_scoped_release release;
    return self.sampler.sample(words, control);
  }();
  const std::size_t n_trees = self.sampler.settings().forest.n_trees;
  nb::dict out = fit_to_python(std::move(found.fit), found.plan.subset.size(), n_trees);
  out["discrepancy"] = found.discrepancy;
  out["subset"] = to_numpy(std::move(found.plan.subset));
  out["train_rows"] = to_numpy(std::move(found.plan.train));
  out["held_out_rows"] = to_numpy(std::move(found.plan.held_out));
  out["pseudo_y"] = to_numpy(std::move(found.pseudo_y));
  return out;
}

}  // namespace

void bind_abc(nb::module_& m) {
  nb::class_<Sampler>(m, "AbcSampler")
      .def(
          "__init__",
          [](Sampler* self, const Columns& columns, const Matrix& x, const Vector& y,
             const bayesvc::ForestSettings& forest, std::size_t burn_in, std::size_t n_train,
             double a0, double b0, double sigma_hat, bool corrected, double lambda_unit,
             const Vector& offsets, const std::vector<std::vector<std::uint32_t>>& design) {
            const AbcSettings settings{
                forest,    burn_in,     n_train,
                a0,        b0,          sigma_hat,
                corrected, lambda_unit, {offsets.data(), offsets.data() + offsets.shape(0)},
                design};
            check(columns, x, y, settings);
            const bayesvc::MatrixView view{x.data(), x.stride(0), x.stride(1)};
            new (self) Sampler{x, bayesvc::AbcSampler(columns, view, y.data(), settings)};
          },
          nb::kw_only(), nb::arg("columns"), nb::arg("X"), nb::arg("y"), nb::arg("settings"),
          nb::arg("burn_in"), nb::arg("n_train"), nb::arg("a0"), nb::arg("b0"),
          nb::arg("sigma_hat"), nb::arg("corrected"), nb::arg("lambda_unit"), nb::arg("offsets"),
          nb::arg("design") = std::vector<std::vector<std::uint32_t>>(), nb::keep_alive<1, 2>())
      .def("sample", &sample, nb::arg("seed"), nb::arg("control"));
}
