// The malloc hooks. They run inside malloc and free: no allocation here.
#include "tests/fuzz/live_bytes.hpp"

#include <sanitizer/allocator_interface.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace fuzz {

namespace {

bool counting = false;
std::ptrdiff_t live = 0;  // may go below 0: what was allocated before may be freed
std::ptrdiff_t highest = 0;
std::ptrdiff_t limit = 0;

void on_malloc(const volatile void*, std::size_t size) {
  if (!counting) return;
  live += static_cast<std::ptrdiff_t>(size);
  highest = std::max(highest, live);
  if (live <= limit) return;
  counting = false;
  char line[160];
  const int length =
      std::snprintf(line, sizeof line, "FINDING: %td bytes live at once, %td allowed for this input\n", live, limit);
  if (write(STDERR_FILENO, line, static_cast<std::size_t>(length)) < 0) _exit(1);
  std::abort();
}

void on_free(const volatile void* block) {
  if (counting && block != nullptr)
    live -= static_cast<std::ptrdiff_t>(__sanitizer_get_allocated_size(const_cast<const void*>(block)));
}

}  // namespace

LiveBytesLimit::LiveBytesLimit(std::size_t most) {
  static const int kInstalled = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
  if (kInstalled == 0) std::abort();  // no hooks, no limit: never pass in silence
  live = highest = 0;
  limit = static_cast<std::ptrdiff_t>(most);
  counting = true;
}

LiveBytesLimit::~LiveBytesLimit() {
  counting = false;
}

std::size_t LiveBytesLimit::peak() const {
  return static_cast<std::size_t>(highest);
}

}  // namespace fuzz
