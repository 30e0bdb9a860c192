// Memory that is read in random order: with pages of 4 kB most of it would miss in the TLB. Also
// memory of many megabytes that is filled once: the first write to each page costs a fault.
#pragma once

#include <cstddef>

namespace bayesvc {

void prefer_huge_pages(void* first, std::size_t bytes);

}  // namespace bayesvc
