#include "linkage.hpp"

#include <algorithm>
#include <cmath>

#include "bind.hpp"

void bind_linkage(nb::module_& m) {
  m.def(
      "average_linkage",
      [](const Matrix& points, const Vector& weights) {
        const std::size_t n = points.shape(0), d = points.shape(1);
        if (weights.shape(0) != n)
          refuse("weights must have one value for each point", weights.shape(0));
        if (d == 0) throw nb::value_error("points must have at least one coordinate");
        // Squares of distances must be finite, and a weight of zero marks what is merged already.
        const auto usable = [](double x) { return std::fabs(x) <= 1e150; };
        for (std::size_t i = 0; i < n; ++i)
          if (!(weights(i) > 0) || !usable(weights(i)))
            refuse("weights must be positive and at most 1e150", weights(i));
        std::vector<double> rows(n * d), out;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < d; ++k)
            rows[i * d + k] = points.data()[static_cast<std::ptrdiff_t>(i) * points.stride(0) +
                                            static_cast<std::ptrdiff_t>(k) * points.stride(1)];
        if (!std::all_of(rows.begin(), rows.end(), usable))
          throw nb::value_error("points must be numbers between -1e150 and 1e150");
        {
          nb::gil_scoped_release release;
          for (const auto& merge : bayesvc::average_linkage(rows.data(), n, d, weights.data()))
            out.insert(out.end(), {static_cast<double>(merge.first),
                                   static_cast<double>(merge.second), merge.height});
        }
        return to_numpy(std::move(out), {n == 0 ? 0 : n - 1, 3});
      },
      nb::arg("points"), nb::arg("weights"));
}
