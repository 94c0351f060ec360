// How often this process wrote and synced, and for how long: it calls its own write(), fsync() and fdatasync(), which
// count and call the system's. Link it into a program and every library in it is counted.
#pragma once

#include <cstdint>

namespace benchmarks {

struct CallTotals {
  std::int64_t calls = 0;
  double seconds = 0;
};
/// Of this thread alone since it started.
CallTotals syncs_of_this_thread();
CallTotals writes_of_this_thread();

}  // namespace benchmarks
