// Counts what a test program takes from the heap, in any thread and by any library: its malloc stands before glibc's.
#pragma once

#include <cstddef>

namespace tests {

/// From here on, allocations of at least `bytes` are counted. One at a time.
void count_allocations_of(std::size_t bytes);
/// How many there were; ends the counting.
long counted_allocations();

}  // namespace tests
