// The functions of glibc that give memory, each passed on to glibc's own.
#include "tests/plume/large_allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <limits>

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> least = kNone;
std::atomic<long> count = 0;

void note(std::size_t bytes) {
  if (bytes >= least.load(std::memory_order_relaxed)) ++count;
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t items, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  note(bytes);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t items, std::size_t bytes) {
  note(items * bytes);
  return __libc_calloc(items, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  note(bytes);
  return __libc_realloc(old, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  note(bytes);
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}

namespace tests {

void count_allocations_of(std::size_t bytes) {
  count = 0;
  least = bytes;
}

long counted_allocations() {
  least = kNone;
  return count;
}

}  // namespace tests
