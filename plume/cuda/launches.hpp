// The kernels of a training step as functions of addresses in the GPU's memory and a stream: what kernels.cu defines.
// Nothing waits. Each throws std::runtime_error where CUDA refuses the launch. Knows no LibTorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "plume/folded_update.hpp"
#include "plume/step_control.hpp"

namespace plume::cuda {

/// out [count] normals of the stream with this key (sweeps/stream_words.hpp), for the epoch and batch of `control`.
void draw(std::uint32_t key0, std::uint32_t key1, const StepControl* control, float* out, std::int64_t count,
          cudaStream_t stream);

/// out [count] uniform numbers in [-bound, bound) of the stream with this key.
void draw_weight(std::uint32_t key0, std::uint32_t key1, float bound, float* out, std::int64_t count,
                 cudaStream_t stream);

/// plume::decide.
void decide(StepControl* control, const float* losses, const SchedulePoint* schedule, double weight_decay, double* kept,
            cudaStream_t stream);

/// AdamW of `count` parameters with their gradient.
void update(const StepControl* control, const WeightState& state, const float* gradient, std::int64_t count,
            cudaStream_t stream);

constexpr int kMostPasses = 2;
struct Passes {
  LayerPass pass[kMostPasses] = {};
  int count = 0;
};
/// AdamW of a weight [out, in] whose gradient is the sum over passes of output_gradient^T input: weight and moments are
/// read once and written once, the gradient is never in memory. The same bits every time.
void update_folded(const StepControl* control, const WeightState& state, const Passes& passes, std::int64_t out,
                   std::int64_t in, cudaStream_t stream);

/// To the next batch.
void advance(StepControl* control, cudaStream_t stream);

}  // namespace plume::cuda
