#include <algorithm>

#include "bind.hpp"
#include "fit.hpp"
#include "forest.hpp"

using bayesvc::Columns;
using bayesvc::Forest;
using bayesvc::ForestSettings;
using bayesvc::Rule;

namespace {

using bayesvc::ListedTree;
constexpr std::array<const char*, bayesvc::n_moves> move_names{"birth", "death", "change", "swap",
                                                               "perturb"};

// A forest with a random stream for draws that must not disturb it.
struct Chain {
  Forest forest;
  bayesvc::Rng side;
};

// The cutpoint alone, or (coding, cutpoint) where the variable is not a plain column.
nb::object cutpoint_to_python(const Rule& rule, const Columns& columns) {
  if (columns.plain(rule.variable)) return nb::int_(rule.cutpoint);
  return nb::make_tuple(rule.coding, rule.cutpoint);
}

Rule rule_from_python(std::uint32_t variable, nb::handle cutpoint, const Columns& columns) {
  if (columns.plain(variable))
    return {variable, columns.members(variable)[0], nb::cast<std::uint64_t>(cutpoint)};
  const auto pair = nb::cast<nb::tuple>(cutpoint);
  const auto coding = nb::cast<std::uint32_t>(pair[0]);
  if (coding >= columns.n_codings())
    refuse("trees: the coding of a rule must be one of the columns'", coding);
  return {variable, coding, nb::cast<std::uint64_t>(pair[1])};
}

nb::list nodes_to_python(const ListedTree& nodes, const Columns& columns) {
  nb::list out;
  for (const auto& [rule, mu] : nodes) {
    if (rule.variable == bayesvc::no_variable)
      out.append(nb::make_tuple(-1, mu));
    else
      out.append(nb::make_tuple(rule.variable, cutpoint_to_python(rule, columns)));
  }
  return out;
}

ListedTree nodes_from_python(const nb::sequence& nodes, const Columns& columns) {
  ListedTree out;
  for (const nb::handle item : nodes) {
    const auto node = nb::cast<nb::tuple>(item);
    const auto variable = nb::cast<std::int64_t>(node[0]);
    if (variable >= static_cast<std::int64_t>(columns.p()))
      refuse("trees: the variable of a rule must be one of the columns'", variable);
    if (variable < 0)
      out.push_back({Rule{bayesvc::no_variable}, nb::cast<double>(node[1])});
    else
      out.push_back({rule_from_python(static_cast<std::uint32_t>(variable), node[1], columns), 0});
  }
  return out;
}

nb::dict record_to_python(const bayesvc::ProposalRecord& record, const Columns& columns) {
  nb::dict out;
  out["kind"] = move_names[static_cast<std::size_t>(record.kind)];
  out["tree"] = record.tree;
  out["node"] = record.node;
  out["child"] = record.child;
  out["variable"] = record.rule.variable;
  out["cut"] = cutpoint_to_python(record.rule, columns);
  out["before"] = nodes_to_python(record.before, columns);
  out["sigma"] = record.sigma;
  out["log_ratio"] = record.log_ratio;
  out["mi"] = record.birth_ratio;
  out["accepted"] = record.accepted;
  return out;
}

// Calls f(preorder position, node index) for every node of a tree.
template <class F>
void numbered(const bayesvc::Tree& tree, F&& f) {
  std::uint32_t position = 0;
  tree.preorder(0, [&](std::int32_t k) { f(position++, k); });
}

nb::object leaf_positions(const Chain& self, std::size_t t) {
  const bayesvc::AssignedTree& assigned = self.forest.trees().at(t);
  std::vector<std::uint32_t> position(assigned.tree.n_leaves());
  numbered(assigned.tree, [&](std::uint32_t at, std::int32_t k) {
    if (assigned.tree.node(k).is_leaf()) position[assigned.tree.node(k).leaf] = at;
  });
  std::vector<std::uint32_t> out;
  for (const bayesvc::LeafId id : assigned.ids) out.push_back(position[id]);
  return to_numpy(std::move(out));
}

nb::dict ghosts(const Chain& self) {
  nb::dict out;
  for (std::size_t t = 0; t < self.forest.trees().size(); ++t) {
    const bayesvc::Tree& tree = self.forest.trees()[t].tree;
    numbered(tree, [&](std::uint32_t at, std::int32_t k) {
      nb::dict counts;
      for (const bayesvc::Ghost& ghost : tree.exhaustion(k).ghosts)
        counts[nb::int_(ghost.variable)] = ghost.count.value();
      if (counts.size() > 0) out[nb::make_tuple(t, at)] = counts;
    });
  }
  return out;
}

nb::dict acceptance(const Chain& self) {
  nb::dict out;
  for (std::size_t m = 0; m < bayesvc::n_moves; ++m)
    out[move_names[m]] = nb::make_tuple(self.forest.move_counts().proposed[m],
                                        self.forest.move_counts().accepted[m]);
  return out;
}

nb::object fitted(const Chain& self) {
  std::vector<double> out(self.forest.n());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = self.forest.fitted(i);
  return to_numpy(std::move(out));
}

nb::object counts(const Chain& self) {
  std::vector<std::int64_t> out(self.forest.p());
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = self.forest.splitting().counts().count(static_cast<std::uint32_t>(j));
  return to_numpy(std::move(out));
}

nb::object split_probabilities(Chain& self) {
  std::vector<double> s;
  self.forest.splitting().probabilities(self.side, s);
  return to_numpy(std::move(s));
}

nb::list trees(const Chain& self) {
  nb::list out;
  for (const auto& assigned : self.forest.trees())
    out.append(nodes_to_python(bayesvc::listed(assigned.tree), self.forest.columns()));
  return out;
}

void set_trees(Chain& self, const nb::sequence& lists) {
  if (nb::len(lists) != self.forest.trees().size())
    refuse("trees must have one list of nodes for each tree", nb::len(lists));
  std::size_t t = 0;
  for (const nb::handle nodes : lists)
    self.forest.set_tree(t++,
                         nodes_from_python(nb::cast<nb::sequence>(nodes), self.forest.columns()));
}

nb::list proposals(Chain& self) {
  nb::list out;
  for (const auto& record : self.forest.take_records())
    out.append(record_to_python(record, self.forest.columns()));
  return out;
}

}  // namespace

void bind_chain(nb::module_& m) {
  nb::class_<Chain>(m, "Chain")
      .def(
          "__init__",
          [](Chain* self, const Columns& columns, const Vector& y, const ForestSettings& settings,
             const SeedWords& seed) {
            check_fit(columns, y, settings);
            new (self) Chain{Forest(columns, y.data(), settings, seed_of(seed)),
                             bayesvc::side_stream(seed_of(seed))};
          },
          nb::arg("columns"), nb::arg("y"), nb::arg("settings"), nb::arg("seed"),
          nb::keep_alive<1, 2>())
      .def(
          "sweep",
          [](Chain& self, std::size_t k) {
            nb::gil_scoped_release release;
            for (std::size_t i = 0; i < k; ++i) self.forest.sweep();
          },
          nb::arg("k") = 1)
      .def_prop_rw(
          "sigma", [](const Chain& self) { return self.forest.sigma(); },
          [](Chain& self, double sigma) { self.forest.set_sigma(sigma); })
      .def_prop_rw(
          "df", [](const Chain& self) { return self.forest.df(); },
          [](Chain& self, double df) { self.forest.set_df(df); })
      .def_prop_rw(
          "alpha", [](const Chain& self) { return self.forest.splitting().alpha(); },
          [](Chain& self, double alpha) { self.forest.splitting().set_alpha(alpha); })
      .def_prop_rw(
          "leaf_sd", [](const Chain& self) { return self.forest.leaves().scale().sd(); },
          [](Chain& self, double sd) { self.forest.leaves().scale().set_sd(sd); })
      .def("precisions",
           [](const Chain& self) {
             return to_numpy(std::vector(self.forest.response().precisions()));
           })
      .def(
          "latents",
          [](const Chain& self) { return to_numpy(std::vector(self.forest.response().working())); })
      .def_prop_ro("n_splits",
                   [](const Chain& self) { return self.forest.splitting().counts().n_splits(); })
      .def("set_y",
           [](Chain& self, const Vector& y) {
             check_response(y, self.forest.n());
             if (bayesvc::takes_intervals(self.forest.settings().response))
               check_intervals(y, self.forest.settings());
             self.forest.set_y(y.data());
           })
      .def("fitted", fitted)
      .def("counts", counts)
      .def("split_probabilities", split_probabilities)
      .def("trees", trees)
      .def("set_trees", set_trees)
      .def("leaf_ids", leaf_positions)
      .def("ghosts", ghosts)
      .def("record_proposals", [](Chain& self, bool on) { self.forest.record(on); })
      .def("proposals", proposals)
      .def_prop_ro("acceptance", acceptance);
}
