#include "bind.hpp"
#include "forest.hpp"
#include "response/response_model.hpp"

using bayesvc::ForestSettings;

namespace {

using Class = nb::class_<ForestSettings>;

void bind_number(Class& settings, const char* name, double bayesvc::DirichletSettings::* member) {
  settings.def_prop_rw(
      name, [member](const ForestSettings& self) { return self.dirichlet.*member; },
      [member](ForestSettings& self, double value) { self.dirichlet.*member = value; });
}

void bind_numbers(Class& settings, const char* name, std::vector<double> ForestSettings::* member) {
  settings.def_prop_rw(
      name, [member](const ForestSettings& self) { return to_numpy(std::vector(self.*member)); },
      [member](ForestSettings& self, const Vector& numbers) {
        (self.*member).assign(numbers.data(), numbers.data() + numbers.shape(0));
      });
}

}  // namespace

void bind_settings(nb::module_& m) {
  Class settings(m, "Settings");
  settings.def(nb::init<>())
      .def_rw("n_trees", &ForestSettings::n_trees)
      .def_rw("gamma", &ForestSettings::gamma)
      .def_rw("beta", &ForestSettings::beta)
      .def_rw("min_samples_leaf", &ForestSettings::min_samples_leaf)
      .def_rw("moves", &ForestSettings::moves)
      .def_rw("leaf_sd", &ForestSettings::leaf_sd)
      .def_rw("learn_leaf_sd", &ForestSettings::learn_leaf_sd)
      .def_rw("leaf_sd_limit", &ForestSettings::leaf_sd_limit)
      .def_rw("nu", &ForestSettings::nu)
      .def_rw("lambda_", &ForestSettings::lambda)
      .def_rw("sigma", &ForestSettings::sigma)
      .def_prop_rw(
          "response", [](const ForestSettings& self) { return self.response; },
          [](ForestSettings& self, const std::string& name) {
            if (!bayesvc::is_response_model(name))
              refuse("response must be one of " + bayesvc::response_model_names(), name);
            self.response = name;
          })
      .def_rw("offset", &ForestSettings::offset)
      .def_rw("likelihood", &ForestSettings::likelihood)
      .def_rw("kernel", &ForestSettings::kernel)
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
  bind_number(settings, "alpha", &bayesvc::DirichletSettings::alpha);
  bind_number(settings, "a", &bayesvc::DirichletSettings::a);
  bind_number(settings, "b", &bayesvc::DirichletSettings::b);
  bind_number(settings, "rho", &bayesvc::DirichletSettings::rho);
  bind_numbers(settings, "weights", &ForestSettings::weights);
  bind_numbers(settings, "row_weights", &ForestSettings::row_weights);
  bind_numbers(settings, "lower", &ForestSettings::lower);
  bind_numbers(settings, "upper", &ForestSettings::upper);
}
