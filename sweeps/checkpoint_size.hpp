// How large a checkpoint of a training is, from the shapes of method.md section 2. Knows no LibTorch.
#pragma once

#include <cstdint>

#include "sweeps/job.hpp"

namespace sweeps {

/// Bytes of all tensors that a training keeps (weights, both moments of AdamW, its step counts, running statistics);
/// the file has some kilobytes more. 0 for a baseline. E.g. 723,781,684 for linear-map at the paper's dimension.
std::int64_t checkpoint_bytes(const Job& job);

}  // namespace sweeps
