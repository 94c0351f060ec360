// How large the files of a training are, from the shapes of method.md section 2. Knows no LibTorch.
#pragma once

#include <cstdint>

#include "sweeps/job.hpp"
#include "sweeps/keep.hpp"

namespace sweeps {

/// Bytes of all tensors that a training keeps (weights, both moments of AdamW, its step counts, running statistics);
/// the file has some kilobytes more. 0 for a baseline. E.g. 723,781,684 for linear-map at the paper's dimension.
std::int64_t checkpoint_bytes(const Job& job);
/// Numbers of one model file of a training; 0 where none is saved.
std::int64_t model_bytes(const Job& job, Save save);
/// What a checkpoint has besides where the best epoch's weights are kept, from the first evaluation on.
std::int64_t best_epoch_bytes(const Job& job, const Keep& keep);
/// All that a training leaves beside its result, at most: two models, and of two epochs `dump` rows of three kinds.
std::int64_t kept_bytes(const Job& job, const Keep& keep);

}  // namespace sweeps
