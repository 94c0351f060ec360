// Asks the processor.
#include "plume/vectors.hpp"

#include <algorithm>

namespace plume {

std::vector<std::string> vector_kinds() {
  std::vector<std::string> kinds{"portable"};
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) kinds.emplace_back("avx2");
  if (avx2 && __builtin_cpu_supports("avx512f")) kinds.emplace_back("avx512");
#endif
  return kinds;
}

std::size_t index_of_vector_kind(const std::string& kind) {
  const auto kinds = vector_kinds();
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  return static_cast<std::size_t>(std::min(found, kinds.end() - 1) - kinds.begin());
}

}  // namespace plume
