#include <type_traits>

#include "kernels.hpp"

namespace bayesvc {
namespace {

#include "kernels_body.hpp"

template <class Real>
void advance(Advance<Real>& task) {
  if (!task.column.codes) return advance_general<Real, std::uint8_t>(task, nullptr);
  with_codes(task.column, [&](const auto* codes) { advance_general(task, codes); });
}

}  // namespace

const Kernels& plain_kernels() {
  static constexpr Kernels table{"plain",     advance<float>, advance<double>,
                                 finish_general<float>, finish_general<double>,
                                 split_rows,  merge_rows,     mark_sides,
                                 count_left,  count_rows,     has_two_values,
                                 has_code, present_codes, nth_row};
  return table;
}

}  // namespace bayesvc
