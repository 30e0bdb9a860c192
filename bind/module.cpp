#include "bind.hpp"
#include "kernels.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of bayesvc. Arguments are checked by the Python layer.";
  bind_columns(m);
  bind_linear_model(m);
  bind_settings(m);
  bind_chain(m);
  bind_saved_forests(m);
  bind_variance_shares(m);
  bind_fit(m);
  bind_abc(m);
  bind_linkage(m);
  m.def("available_kernels", [] {
    nb::list names;
    for (const bayesvc::Kernels* kernels : bayesvc::available_kernels())
      names.append(kernels->name);
    return names;
  });
}
