#include "fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bind.hpp"
#include "response/response_model.hpp"

using bayesvc::Control;
using bayesvc::SavedForests;

namespace {

bool is_weight(double value) { return value >= 0 && std::isfinite(value); }

bool all_weights(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), is_weight);
}

// One bound of an interval may be infinite.
bool is_interval(double low, double high) {
  return low <= high && (std::isfinite(low) || std::isfinite(high));
}

}  // namespace

void check_response(const Vector& y, std::size_t n_rows) {
  if (y.shape(0) != n_rows) refuse("y must have one value for each row", y.shape(0));
  if (!std::all_of(y.data(), y.data() + n_rows, [](double value) { return std::isfinite(value); }))
    throw nb::value_error("y must be finite");
}

void check_intervals(const Vector& y, const bayesvc::ForestSettings& settings) {
  const std::vector<double>&lower = settings.lower, &upper = settings.upper;
  if (lower.size() != upper.size() ||
      !std::equal(lower.begin(), lower.end(), upper.begin(), is_interval))
    throw nb::value_error(
        "settings.lower and settings.upper must be the bounds of intervals, at most one infinite");
  const auto most = static_cast<double>(lower.size());
  if (!std::all_of(y.data(), y.data() + y.shape(0), [&](double code) {
        return code >= 0 && code < most && code == std::floor(code);
      }))
    throw nb::value_error("y must hold numbers of the intervals in settings.lower");
}

// Whether the sampler can run at all. What makes sense is for the callers to say.
void check_fit(const bayesvc::Columns& columns, const Vector& y,
               const bayesvc::ForestSettings& settings) {
  check_response(y, columns.n());
  if (settings.n_trees == 0) refuse("settings.n_trees must be at least 1", settings.n_trees);
  if (settings.min_samples_leaf == 0 || settings.min_samples_leaf > 0x7fffffff)
    refuse("settings.min_samples_leaf must be at least 1 and below 2^31",
           settings.min_samples_leaf);
  if (settings.weights.size() != columns.p() || !all_weights(settings.weights))
    throw nb::value_error(
        "settings.weights must have one finite, non-negative value for each variable");
  if (!std::all_of(settings.moves.begin(), settings.moves.end(), is_weight))
    throw nb::value_error("settings.moves must be finite and non-negative");
  if (!(settings.leaf_sd_limit >= 1 && std::isfinite(settings.leaf_sd_limit)))
    refuse("settings.leaf_sd_limit must be finite and at least 1", settings.leaf_sd_limit);
  if (!settings.row_weights.empty() &&
      (settings.row_weights.size() != columns.n() || !all_weights(settings.row_weights)))
    throw nb::value_error(
        "settings.row_weights must have one finite, non-negative value for each row");
  if (!settings.row_weights.empty() && settings.response == "probit")
    throw nb::value_error("settings.row_weights must be empty for a binary y");
  if (bayesvc::takes_intervals(settings.response)) check_intervals(y, settings);
}

nb::dict fit_to_python(bayesvc::FitResult&& fit, std::size_t p, std::size_t n_trees) {
  const std::size_t n_draws = fit.sigma.size();
  bayesvc::Tallies& tallies = fit.tallies;
  nb::dict out;
  out["vc"] = to_numpy(std::move(tallies.vc));
  out["vip"] = to_numpy(std::move(tallies.vip));
  out["vip_of_sums"] = to_numpy(std::move(tallies.vip_of_sums));
  out["mpvip"] = to_numpy(std::move(tallies.mpvip));
  out["mi"] = to_numpy(std::move(tallies.mi));
  out["count_half_sums"] = to_numpy(std::move(tallies.half_sums), {2, p});
  out["count_half_squares"] = to_numpy(std::move(tallies.half_squares), {2, p});
  out["count_batch_squares"] = to_numpy(std::move(tallies.batch_squares));
  out["batch_size"] = tallies.batch_size();
  out["n_batches"] = tallies.n_batches();
  out["tree_depth"] = tallies.depth_sum() / static_cast<double>(n_draws * n_trees);
  out["sigma"] = to_numpy(std::move(fit.sigma));
  out["alpha"] = to_numpy(std::move(fit.alpha));
  out["n_splits"] = to_numpy(std::move(fit.n_splits));
  out["proposed"] = to_numpy(std::vector<std::int64_t>(fit.proposed.begin(), fit.proposed.end()));
  out["accepted"] = to_numpy(std::vector<std::int64_t>(fit.accepted.begin(), fit.accepted.end()));
  out["seconds"] = fit.seconds;
  out["counts"] = fit.counts.empty() ? nb::none() : to_numpy(std::move(fit.counts), {n_draws, p});
  out["s"] = fit.s.empty() ? nb::none() : to_numpy(std::move(fit.s), {n_draws, p});
  out["leaf_sd"] = fit.leaf_sd.empty() ? nb::none() : to_numpy(std::move(fit.leaf_sd));
  out["df"] = fit.df.empty() ? nb::none() : to_numpy(std::move(fit.df));
  out["fitted"] = fit.fitted.empty() ? nb::none() : to_numpy(std::move(fit.fitted));
  out["forests"] = fit.forests ? nb::cast(std::move(*fit.forests)) : nb::none();
  return out;
}

namespace {

nb::dict fit(const bayesvc::Columns& columns, const Vector& y,
             const bayesvc::ForestSettings& settings, const SeedWords& seed, std::size_t burn_in,
             std::size_t n_draws, bool keep_counts, bool keep_s, bool keep_trees, Control& control,
             bool keep_fitted) {
  check_fit(columns, y, settings);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(double);
  if (n_draws == 0) refuse("n_draws must be at least 1", n_draws);
  if (n_draws > most / std::max<std::size_t>(columns.p(), 1))
    refuse("n_draws times the number of variables must fit into memory", n_draws);
  if (keep_trees && !columns.has_values())
    throw nb::value_error("keep_trees needs Columns made with keep_values=True");
  const bayesvc::ChainConfig config{burn_in, n_draws, keep_counts, keep_s, keep_trees, keep_fitted};
  const auto words = seed_of(seed);
  bayesvc::FitResult result = [&] {
    nb::gil_scoped_release release;
    return bayesvc::run_fit(columns, y.data(), settings, words, config, control);
  }();
  return fit_to_python(std::move(result), columns.p(), settings.n_trees);
}

template <class T>
using FlatArray = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> take(const nb::dict& arrays, const char* name) {
  const auto array = nb::cast<FlatArray<T>>(arrays[name]);
  return {array.data(), array.data() + array.shape(0)};
}

nb::dict forests_to_arrays(const SavedForests& self) {
  nb::dict out;
  out["n_trees"] = to_numpy(std::vector<std::int64_t>{static_cast<std::int64_t>(self.n_trees)});
  out["variable"] = to_numpy(std::vector(self.variable));
  out["right"] = to_numpy(std::vector(self.right));
  out["value"] = to_numpy(std::vector(self.value));
  out["tree_start"] = to_numpy(std::vector(self.tree_start));
  if (!self.missing_left.empty()) out["missing_left"] = to_numpy(std::vector(self.missing_left));
  if (!self.subset.empty()) out["subset"] = to_numpy(std::vector(self.subset));
  return out;
}

SavedForests forests_from_arrays(const nb::dict& arrays) {
  SavedForests forests;
  const auto n_trees = take<std::int64_t>(arrays, "n_trees");
  if (n_trees.size() != 1 || n_trees[0] < 1) throw nb::value_error("forests: n_trees is damaged");
  forests.n_trees = static_cast<std::size_t>(n_trees[0]);
  forests.variable = take<std::int32_t>(arrays, "variable");
  forests.right = take<std::int32_t>(arrays, "right");
  forests.value = take<double>(arrays, "value");
  forests.tree_start = take<std::uint64_t>(arrays, "tree_start");
  if (arrays.contains("missing_left"))
    forests.missing_left = take<std::uint8_t>(arrays, "missing_left");
  if (arrays.contains("subset")) forests.subset = take<std::uint64_t>(arrays, "subset");
  forests.check(std::numeric_limits<std::size_t>::max());
  return forests;
}

nb::object predict(const SavedForests& self, const Matrix& x, std::size_t n_threads,
                   const std::vector<std::int32_t>& held, bool using_held) {
  self.check(x.shape(1));
  std::vector<char> wanted;
  if (!held.empty()) wanted = self.split_on_any(held);
  if (!using_held)
    for (char& flag : wanted) flag = !flag;
  std::vector<double> out(self.n_draws() * x.shape(0));
  {
    nb::gil_scoped_release release;
    self.predict(x.data(), x.shape(0), x.stride(0), x.stride(1), n_threads, out.data(), wanted);
  }
  return to_numpy(std::move(out), {self.n_draws(), x.shape(0)});
}

}  // namespace

void bind_saved_forests(nb::module_& m) {
  nb::class_<SavedForests>(m, "SavedForests")
      .def_ro("n_trees", &SavedForests::n_trees)
      .def_prop_ro("n_draws", &SavedForests::n_draws)
      .def(
          "every",
          [](const SavedForests& self, std::size_t step) {
            if (step == 0) refuse("step must be at least 1", step);
            return self.every(step);
          },
          nb::arg("step"))
      .def("to_arrays", forests_to_arrays)
      .def_static("from_arrays", forests_from_arrays, nb::arg("arrays"))
      .def("predict", predict, nb::arg("X"), nb::arg("n_threads") = 1,
           nb::arg("held") = std::vector<std::int32_t>(), nb::arg("using_held") = true);
}

void bind_fit(nb::module_& m) {
  nb::class_<Control>(m, "Control")
      .def(nb::init<>())
      .def("cancel", [](Control& self) { self.cancelled = true; })
      .def_prop_ro("cancelled", [](const Control& self) { return self.cancelled.load(); })
      .def_prop_ro("sweeps_done", [](const Control& self) { return self.sweeps_done.load(); });
  m.def("fit", &fit, nb::arg("columns"), nb::arg("y"), nb::arg("settings"), nb::arg("seed"),
        nb::arg("burn_in"), nb::arg("n_draws"), nb::arg("keep_counts"), nb::arg("keep_s"),
        nb::arg("keep_trees"), nb::arg("control"), nb::arg("keep_fitted") = false);
}
