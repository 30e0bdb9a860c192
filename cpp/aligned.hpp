// Vectors that start at the beginning of a cache line, so that no load of a register needs two.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace bayesvc {

inline constexpr std::size_t cache_line = 64;

template <class T>
struct LineAllocator {
  using value_type = T;

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}

  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{cache_line}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{cache_line}); }
  bool operator==(const LineAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace bayesvc
