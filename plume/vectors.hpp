// What the kernels share that are written once for every processor: vectors of floats (GCC's and Clang's own type),
// which of them this processor has, and memory for them. For the kernels' own files alone; no LibTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace plume {

/// Names of the vectors that this processor has, the fastest last: "portable", "avx2", "avx512". The latter two have
/// fused multiply-adds and round alike; "portable" rounds otherwise.
std::vector<std::string> vector_kinds();
/// From now on `kind` is the last of vector_kinds(), so that a processor takes the time of one that has no more. For
/// benchmarks, before any kernel is made. std::invalid_argument where this processor has none of that name.
void hold_vectors_to(const std::string& kind);
/// Where `kind` is in vector_kinds(); the last for any other name.
std::size_t index_of_vector_kind(const std::string& kind);

using Vector4 = float __attribute__((vector_size(16)));
using Vector8 = float __attribute__((vector_size(32)));
using Vector16 = float __attribute__((vector_size(64)));

template <typename Vector>
inline constexpr std::int64_t kLanesOf = sizeof(Vector) / sizeof(float);

/// From and to any address.
template <typename Vector>
[[gnu::always_inline]] inline Vector load(const float* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof(Vector));
  return vector;
}
template <typename Vector>
[[gnu::always_inline]] inline void store(float* to, const Vector& vector) {
  std::memcpy(to, &vector, sizeof(Vector));
}

/// Memory that begins with a cache line.
template <typename Value>
struct AlignedAllocator {
  using value_type = Value;
  static constexpr std::align_val_t kLine{64};
  AlignedAllocator() = default;
  template <typename Other>
  explicit AlignedAllocator(const AlignedAllocator<Other>&) {}
  Value* allocate(std::size_t count) { return static_cast<Value*>(::operator new(count * sizeof(Value), kLine)); }
  void deallocate(Value* data, std::size_t) { ::operator delete(data, kLine); }
  bool operator==(const AlignedAllocator&) const = default;
};
using Floats = std::vector<float, AlignedAllocator<float>>;

/// How many pieces of `size` hold `count`.
constexpr std::int64_t pieces(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

}  // namespace plume
