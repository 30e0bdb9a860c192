#include "kernels.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

namespace bayesvc {

const Kernels& kernels_named(const char* name) {
  const Kernels* fast = avx2_kernels();
  if (std::strcmp(name, "plain") == 0) return plain_kernels();
  if (std::strcmp(name, "auto") == 0) return fast ? *fast : plain_kernels();
  if (std::strcmp(name, "avx2") == 0) {
    if (fast) return *fast;
    throw std::invalid_argument("kernel='avx2' is not available on this CPU. Use 'auto'.");
  }
  throw std::invalid_argument("kernel must be 'auto', 'plain' or 'avx2'. Got '" +
                              std::string(name) + "' instead.");
}

}  // namespace bayesvc
