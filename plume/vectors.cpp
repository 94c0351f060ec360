// Asks the processor.
#include "plume/vectors.hpp"

#include <algorithm>
#include <stdexcept>

namespace plume {
namespace {

/// "": the processor's best.
std::string& held_to() {
  static std::string kind;
  return kind;
}

std::vector<std::string> kinds_of_processor() {
  std::vector<std::string> kinds{"portable"};
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) kinds.emplace_back("avx2");
  if (avx2 && __builtin_cpu_supports("avx512f")) kinds.emplace_back("avx512");
#endif
  return kinds;
}

}  // namespace

std::vector<std::string> vector_kinds() {
  auto kinds = kinds_of_processor();
  const auto last = std::find(kinds.begin(), kinds.end(), held_to());
  if (last != kinds.end()) kinds.erase(last + 1, kinds.end());
  return kinds;
}

void hold_vectors_to(const std::string& kind) {
  const auto kinds = kinds_of_processor();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw std::invalid_argument("this processor has no vectors \"" + kind + "\"");
  held_to() = kind;
}

std::size_t index_of_vector_kind(const std::string& kind) {
  const auto kinds = vector_kinds();
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  return static_cast<std::size_t>(std::min(found, kinds.end() - 1) - kinds.begin());
}

}  // namespace plume
