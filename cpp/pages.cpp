#include "pages.hpp"

#include <cstdint>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bayesvc {

void prefer_huge_pages([[maybe_unused]] void* first, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t page = 4096;
  const std::size_t skip = (page - reinterpret_cast<std::uintptr_t>(first) % page) % page;
  if (bytes > skip + page)
    madvise(static_cast<unsigned char*>(first) + skip, (bytes - skip) / page * page, MADV_HUGEPAGE);
#endif
}

}  // namespace bayesvc
