// How a process that computes is set up: before its first tensor.
#pragma once

namespace workers {

/// Memory that stays with the process, `threads` threads, and only deterministic algorithms: bit-equal results on one
/// device kind with one thread count. Before the first tensor.
void set_up_computation(int threads);

}  // namespace workers
