#include "response_model.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "../forest_settings.hpp"
#include "gaussian.hpp"
#include "interval.hpp"
#include "probit.hpp"
#include "student.hpp"

namespace bayesvc {
namespace {

template <class Model>
std::unique_ptr<ResponseModel> make(const ForestSettings& settings) {
  return std::make_unique<Model>(settings);
}

struct Entry {
  const char* name;
  std::unique_ptr<ResponseModel> (*make)(const ForestSettings&);
  bool takes_intervals = false;
};

constexpr Entry models[] = {
    {"gaussian", make<GaussianResponse>},
    {"interval", make<IntervalResponse<GaussianResponse>>, true},
    {"interval-student", make<IntervalResponse<StudentResponse>>, true},
    {"probit", make<ProbitResponse>},
    {"student", make<StudentResponse>},
};

}  // namespace

void ResponseModel::update(double, Rng&) {}

void ResponseModel::redraw(const std::vector<double>&, Rng&) {}

bool is_response_model(const std::string& name) {
  return std::any_of(std::begin(models), std::end(models),
                     [&](const Entry& entry) { return name == entry.name; });
}

bool takes_intervals(const std::string& name) {
  return std::any_of(std::begin(models), std::end(models), [&](const Entry& entry) {
    return name == entry.name && entry.takes_intervals;
  });
}

std::string response_model_names() {
  std::string names;
  for (const Entry& entry : models)
    names += (names.empty() ? "'" : ", '") + std::string(entry.name) + "'";
  return names;
}

std::unique_ptr<ResponseModel> make_response_model(const ForestSettings& settings) {
  for (const Entry& entry : models)
    if (settings.response == entry.name) return entry.make(settings);
  throw std::invalid_argument("response must be one of " + response_model_names() + ". Got '" +
                              settings.response + "' instead.");
}

}  // namespace bayesvc
