#include "variance_shares.hpp"

#include "bind.hpp"

using bayesvc::SavedForests;

namespace {

using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

nb::tuple variance_shares(const SavedForests& forests, const Rows& x,
                          const std::vector<std::uint32_t>& variable_of,
                          const std::vector<std::uint8_t>& numeric, const Weights& weights,
                          std::size_t first_draw, std::size_t n_threads, const SavedForests* others,
                          std::size_t first_other) {
  forests.check(x.shape(1));
  if (others) others->check(x.shape(1));
  const std::size_t n_draws = weights.shape(0), d = numeric.size();
  if (variable_of.size() != x.shape(1))
    refuse("variable_of must have one value for each column", variable_of.size());
  std::vector<std::size_t> n_columns(d);
  for (const std::uint32_t j : variable_of) {
    if (j >= d) refuse("variable_of must hold variables", j);
    ++n_columns[j];
  }
  for (std::size_t j = 0; j < d; ++j)
    if (numeric[j] ? n_columns[j] != 1 : n_columns[j] == 0)
      refuse("a variable of numbers must have one column, and any other at least one", j);
  if (weights.shape(1) != x.shape(0))
    refuse("weights must have one column for each row", weights.shape(1));
  if (others && others->n_draws() == 0) throw nb::value_error("others must have at least one draw");
  if (first_draw + n_draws > forests.n_draws())
    refuse("first_draw and the rows of weights must be draws", first_draw + n_draws);
  const bayesvc::JointRows rows{x.data(), x.shape(0), variable_of, numeric};
  bayesvc::VarianceShares found;
  {
    nb::gil_scoped_release release;
    const bayesvc::DrawPairs pairs{forests, others ? *others : forests, first_draw,
                                   others ? first_other : first_draw, n_draws};
    found = bayesvc::variance_shares(pairs, rows, weights.data(), n_threads);
  }
  return nb::make_tuple(to_numpy(std::move(found.variance)),
                        to_numpy(std::move(found.first_order), {n_draws, d}),
                        to_numpy(std::move(found.total), {n_draws, d}));
}

}  // namespace

void bind_variance_shares(nb::module_& m) {
  m.def("variance_shares", variance_shares, nb::arg("forests"), nb::arg("X"),
        nb::arg("variable_of"), nb::arg("numeric"), nb::arg("weights"), nb::arg("first_draw") = 0,
        nb::arg("n_threads") = 1, nb::arg("others").none() = nb::none(),
        nb::arg("first_other") = 0);
}
