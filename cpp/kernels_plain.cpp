#include <type_traits>

#include "kernels.hpp"

namespace bayesvc {
namespace {

#include "kernels_body.hpp"

}  // namespace

const Kernels& plain_kernels() {
  static constexpr Kernels table{"plain",
                                 advance_general<false, float>,
                                 advance_general<false, double>,
                                 advance_general<true, float>,
                                 advance_general<true, double>,
                                 finish_general<false, float>,
                                 finish_general<false, double>,
                                 finish_general<true, float>,
                                 finish_general<true, double>,
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
