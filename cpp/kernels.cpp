#include "kernels.hpp"

#include <stdexcept>
#include <string>

namespace bayesvc {

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> found{&plain_kernels()};
  for (const Kernels* fast : {avx2_kernels(), avx512_kernels()})
    if (fast) found.push_back(fast);
  return found;
}

const Kernels& kernels_named(const std::string& name) {
  const std::vector<const Kernels*> available = available_kernels();
  if (name == "auto") return *available.back();
  for (const Kernels* kernels : available)
    if (name == kernels->name) return *kernels;
  if (name == "avx2" || name == "avx512")
    throw std::invalid_argument("kernel='" + name + "' is not available on this CPU. Use 'auto'.");
  throw std::invalid_argument("kernel must be 'auto', 'plain', 'avx2' or 'avx512'. Got '" + name +
                              "' instead.");
}

}  // namespace bayesvc
