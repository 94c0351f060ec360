// The kernels of a training: initial weights, and of a step noise, the decision about a batch, AdamW with a gradient in
// memory and with one that is made in registers.
#include "plume/cuda/launches.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sweeps/stream_words.hpp"

// A test compiles this file for the CPU and launches threads of its own (tests/cuda/emulated).
#if !defined(PLUME_LAUNCH)
#define PLUME_LAUNCH(kernel, blocks, threads, stream, ...) kernel<<<blocks, threads, 0, stream>>>(__VA_ARGS__)
#endif

namespace plume::cuda {
namespace {

constexpr int kThreads = 256;

void check_launch(const char* what) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

unsigned int blocks_for(std::int64_t count, std::int64_t size) {
  return static_cast<unsigned int>((count + size - 1) / size);
}

/// A thread makes the four normals of a block of words.
__global__ void draw_kernel(std::uint32_t key0, std::uint32_t key1, const StepControl* control, float* out,
                            std::int64_t count) {
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t first = block * 4;
  if (first >= count) return;
  const auto words =
      sweeps::stream_words(key0, key1, static_cast<std::uint32_t>(control->epoch),
                           static_cast<std::uint32_t>(control->batch), static_cast<std::uint64_t>(block));
  const auto a = sweeps::box_muller(words.word[0], words.word[1]);
  const auto b = sweeps::box_muller(words.word[2], words.word[3]);
  const float normals[4] = {a.first, a.second, b.first, b.second};
  for (int i = 0; i < 4 && first + i < count; ++i) out[first + i] = normals[i];
}

/// The same for the four uniform numbers.
__global__ void draw_weight_kernel(std::uint32_t key0, std::uint32_t key1, float bound, float* out,
                                   std::int64_t count) {
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t first = block * 4;
  if (first >= count) return;
  const auto words = sweeps::stream_words(key0, key1, 0, 0, static_cast<std::uint64_t>(block));
  for (int i = 0; i < 4 && first + i < count; ++i) out[first + i] = sweeps::uniform_of(words.word[i], -bound, bound);
}

__global__ void decide_kernel(StepControl* control, const float* losses, const SchedulePoint* schedule,
                              double weight_decay, double* kept) {
  plume::decide(*control, losses, schedule, weight_decay, kept);
}

__global__ void advance_kernel(StepControl* control) {
  ++control->batch;
}

__global__ void update_kernel(const StepControl* control, WeightState state, const float* gradient,
                              std::int64_t count) {
  if (control->is_updated == 0) return;
  const AdamWStep step = control->adamw;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    adamw_update(step, gradient[i], state.weight[i], state.first_moment[i], state.second_moment[i]);
  }
}

// ---- the folded update: a block makes a tile of the gradient, a thread kThreadRows x 4 of it in registers

constexpr int kTileRows = 64;      // of the weight: outputs
constexpr int kTileColumns = 128;  // inputs: 32 threads of four columns each, so that a warp moves 512 bytes at a time
constexpr int kThreadRows = kTileRows / (kThreads / (kTileColumns / 4));
constexpr int kDepth = 32;  // rows of the batch in shared memory at a time: 24 KiB
static_assert(kThreadRows == 8);

struct Tile {
  std::int64_t row, column;  ///< of the weight, the first
};

/// Rows [first, first + kDepth) of a matrix [rows, width] at columns [column, column + Columns) into shared memory;
/// zeros beyond its ends.
template <int Columns>
__device__ void fill(float (&shared)[kDepth][Columns], const float* matrix, std::int64_t rows, std::int64_t width,
                     std::int64_t first, std::int64_t column) {
  for (int i = static_cast<int>(threadIdx.x); i < kDepth * Columns; i += kThreads) {
    const int r = i / Columns, c = i % Columns;
    const bool is_inside = first + r < rows && column + c < width;
    shared[r][c] = is_inside ? matrix[(first + r) * width + column + c] : 0.0F;
  }
}

/// Adds what kDepth rows of the batch give to this thread's part of the tile.
__device__ void add_products(const float (&dy)[kDepth][kTileRows], const float (&x)[kDepth][kTileColumns], int row,
                             int column, float (&sums)[kThreadRows][4]) {
#pragma unroll 4
  for (int k = 0; k < kDepth; ++k) {
    const float4 inputs = *reinterpret_cast<const float4*>(&x[k][column]);
#pragma unroll
    for (int r = 0; r < kThreadRows; ++r) {
      const float d = dy[k][row + r];
      sums[r][0] += d * inputs.x;
      sums[r][1] += d * inputs.y;
      sums[r][2] += d * inputs.z;
      sums[r][3] += d * inputs.w;
    }
  }
}

/// Four parameters side by side, in one access each to weight and moments.
__device__ void update_four(const AdamWStep& step, const WeightState& state, std::int64_t at, const float (&g)[4]) {
  auto* const weight = reinterpret_cast<float4*>(state.weight + at);
  auto* const first = reinterpret_cast<float4*>(state.first_moment + at);
  auto* const second = reinterpret_cast<float4*>(state.second_moment + at);
  float4 p = *weight, m = *first, v = *second;
  adamw_update(step, g[0], p.x, m.x, v.x);
  adamw_update(step, g[1], p.y, m.y, v.y);
  adamw_update(step, g[2], p.z, m.z, v.z);
  adamw_update(step, g[3], p.w, m.w, v.w);
  *weight = p;
  *first = m;
  *second = v;
}

/// Aligned: a row of the weight begins at a multiple of 16 bytes.
template <bool Aligned>
__global__ void __launch_bounds__(kThreads, 3)
    update_folded_kernel(const StepControl* control, WeightState state, const __grid_constant__ Passes passes,
                         std::int64_t out, std::int64_t in) {
  if (control->is_updated == 0) return;
  alignas(16) __shared__ float dy[kDepth][kTileRows];
  alignas(16) __shared__ float x[kDepth][kTileColumns];
  const Tile tile{static_cast<std::int64_t>(blockIdx.y) * kTileRows,
                  static_cast<std::int64_t>(blockIdx.x) * kTileColumns};
  const int row = static_cast<int>(threadIdx.x) / (kTileColumns / 4) * kThreadRows;
  const int column = static_cast<int>(threadIdx.x) % (kTileColumns / 4) * 4;
  float sums[kThreadRows][4] = {};
  for (int i = 0; i < passes.count; ++i) {
    const LayerPass& pass = passes.pass[i];
    for (std::int64_t first = 0; first < pass.rows; first += kDepth) {
      fill(dy, pass.output_gradient, pass.rows, out, first, tile.row);
      fill(x, pass.input, pass.rows, in, first, tile.column);
      __syncthreads();
      add_products(dy, x, row, column, sums);
      __syncthreads();
    }
  }
  const AdamWStep step = control->adamw;
#pragma unroll
  for (int r = 0; r < kThreadRows; ++r) {
    const std::int64_t weight_row = tile.row + row + r, weight_column = tile.column + column;
    if (weight_row >= out || weight_column >= in) continue;
    const std::int64_t at = weight_row * in + weight_column;
    if constexpr (Aligned) {  // `in` is a multiple of four: all four columns are there
      update_four(step, state, at, sums[r]);
    } else {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (weight_column + c >= in) continue;
        adamw_update(step, sums[r][c], state.weight[at + c], state.first_moment[at + c], state.second_moment[at + c]);
      }
    }
  }
}

bool is_aligned(const float* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof(float4) == 0;
}

}  // namespace

void draw(std::uint32_t key0, std::uint32_t key1, const StepControl* control, float* out, std::int64_t count,
          cudaStream_t stream) {
  PLUME_LAUNCH(draw_kernel, blocks_for(count, kThreads * 4), kThreads, stream, key0, key1, control, out, count);
  check_launch("draw");
}

void draw_weight(std::uint32_t key0, std::uint32_t key1, float bound, float* out, std::int64_t count,
                 cudaStream_t stream) {
  PLUME_LAUNCH(draw_weight_kernel, blocks_for(count, kThreads * 4), kThreads, stream, key0, key1, bound, out, count);
  check_launch("draw_weight");
}

void decide(StepControl* control, const float* losses, const SchedulePoint* schedule, double weight_decay, double* kept,
            cudaStream_t stream) {
  PLUME_LAUNCH(decide_kernel, 1, 1, stream, control, losses, schedule, weight_decay, kept);
  check_launch("decide");
}

void advance(StepControl* control, cudaStream_t stream) {
  PLUME_LAUNCH(advance_kernel, 1, 1, stream, control);
  check_launch("advance");
}

void update(const StepControl* control, const WeightState& state, const float* gradient, std::int64_t count,
            cudaStream_t stream) {
  constexpr unsigned int kMostBlocks = 1024;
  PLUME_LAUNCH(update_kernel, (std::min(blocks_for(count, kThreads), kMostBlocks)), kThreads, stream, control, state,
               gradient, count);
  check_launch("update");
}

void update_folded(const StepControl* control, const WeightState& state, const Passes& passes, std::int64_t out,
                   std::int64_t in, cudaStream_t stream) {
  const dim3 grid(blocks_for(in, kTileColumns), blocks_for(out, kTileRows));
  const bool aligned =
      in % 4 == 0 && is_aligned(state.weight) && is_aligned(state.first_moment) && is_aligned(state.second_moment);
  if (aligned)
    PLUME_LAUNCH(update_folded_kernel<true>, grid, kThreads, stream, control, state, passes, out, in);
  else
    PLUME_LAUNCH(update_folded_kernel<false>, grid, kThreads, stream, control, state, passes, out, in);
  check_launch("update_folded");
}

}  // namespace plume::cuda
