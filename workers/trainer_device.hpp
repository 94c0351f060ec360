// What trainers compute on: the one place that decides it.
#pragma once

#include <string>

namespace workers {

/// The kind that results record: "cpu".
std::string device_kind();

/// Why GPUs that were given to workers are not computed on, and what to install: one line; "" where they are. Touches
/// no GPU, so that a coordinator may ask.
std::string why_gpus_idle();

}  // namespace workers
