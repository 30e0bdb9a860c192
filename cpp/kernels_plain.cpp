#include <type_traits>

#include "kernels.hpp"

namespace bayesvc {
namespace {

#include "kernels_body.hpp"

}  // namespace

const Kernels& plain_kernels() {
  static constexpr Kernels table{"plain",
                                 advance_general<float>,
                                 advance_general<double>,
                                 advance_weighted<float>,
                                 advance_weighted<double>,
                                 finish_general<float>,
                                 finish_general<double>,
                                 finish_weighted<float>,
                                 finish_weighted<double>,
                                 split_rows,
                                 merge_rows,
                                 mark_sides,
                                 count_left,
                                 has_two_values,
                                 count_code,
                                 present_codes,
                                 add_products,
                                 nth_row};
  return table;
}

}  // namespace bayesvc
