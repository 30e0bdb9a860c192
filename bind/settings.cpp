#include "bind.hpp"
#include "forest.hpp"

using bayesvc::ForestSettings;

void bind_settings(nb::module_& m) {
  nb::class_<ForestSettings>(m, "Settings")
      .def(nb::init<>())
      .def_rw("n_trees", &ForestSettings::n_trees)
      .def_rw("gamma", &ForestSettings::gamma)
      .def_rw("beta", &ForestSettings::beta)
      .def_rw("min_samples_leaf", &ForestSettings::min_samples_leaf)
      .def_rw("moves", &ForestSettings::moves)
      .def_rw("leaf_sd", &ForestSettings::leaf_sd)
      .def_rw("nu", &ForestSettings::nu)
      .def_rw("lambda_", &ForestSettings::lambda)
      .def_rw("sigma", &ForestSettings::sigma)
      .def_prop_rw(
          "binary", [](const ForestSettings& self) { return self.response == "probit"; },
          [](ForestSettings& self, bool binary) { self.response = binary ? "probit" : "gaussian"; })
      .def_rw("offset", &ForestSettings::offset)
      .def_rw("likelihood", &ForestSettings::likelihood)
      .def_rw("kernel", &ForestSettings::kernel)
      .def_prop_rw(
          "alpha", [](const ForestSettings& self) { return self.dirichlet.alpha; },
          [](ForestSettings& self, double value) { self.dirichlet.alpha = value; })
      .def_prop_rw(
          "a", [](const ForestSettings& self) { return self.dirichlet.a; },
          [](ForestSettings& self, double value) { self.dirichlet.a = value; })
      .def_prop_rw(
          "b", [](const ForestSettings& self) { return self.dirichlet.b; },
          [](ForestSettings& self, double value) { self.dirichlet.b = value; })
      .def_prop_rw(
          "rho", [](const ForestSettings& self) { return self.dirichlet.rho; },
          [](ForestSettings& self, double value) { self.dirichlet.rho = value; })
      .def_prop_rw(
          "weights", [](const ForestSettings& self) { return to_numpy(std::vector(self.weights)); },
          [](ForestSettings& self, const Vector& weights) {
            self.weights.assign(weights.data(), weights.data() + weights.shape(0));
          })
      .def_prop_rw(
          "row_weights",
          [](const ForestSettings& self) { return to_numpy(std::vector(self.row_weights)); },
          [](ForestSettings& self, const Vector& weights) {
            self.row_weights.assign(weights.data(), weights.data() + weights.shape(0));
          })
      .def_prop_rw(
          "splitting", [](const ForestSettings& self) { return self.splitting; },
          [](ForestSettings& self, const std::string& name) {
            if (!bayesvc::is_splitting_prior(name))
              refuse("splitting must be 'fixed', 'explicit' or 'collapsed'", name);
            self.splitting = name;
          })
      .def_prop_rw(
          "precision",
          [](const ForestSettings& self) { return self.single_precision ? "single" : "double"; },
          [](ForestSettings& self, const std::string& name) {
            if (name != "single" && name != "double")
              refuse("precision must be 'single' or 'double'", name);
            self.single_precision = name == "single";
          });
}
