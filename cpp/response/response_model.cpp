#include "response_model.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "../forest_settings.hpp"
#include "gaussian.hpp"
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
};

constexpr Entry models[] = {
    {"gaussian", make<GaussianResponse>},
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

std::unique_ptr<ResponseModel> make_response_model(const ForestSettings& settings) {
  for (const Entry& entry : models)
    if (settings.response == entry.name) return entry.make(settings);
  throw std::invalid_argument("response must be 'gaussian', 'probit' or 'student'. Got '" +
                              settings.response + "' instead.");
}

}  // namespace bayesvc
