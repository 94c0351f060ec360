// Whether this build computes on GPUs: known without LibTorch, so that a coordinator may ask.
#pragma once

#include <string>

namespace workers {

/// Why GPUs that were given to workers are not computed on, and what to install: one line; "" where they are.
std::string why_gpus_idle();

}  // namespace workers
