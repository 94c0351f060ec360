// As much of CUDA as plume/cuda/kernels.cu uses, on the CPU: a block's threads are threads, __syncthreads is a barrier,
// shared memory is static, and blocks run one after another. For tests of what the kernels compute.
#pragma once

#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)
#define __grid_constant__

struct dim3 {
  unsigned int x = 1, y = 1, z = 1;
  dim3(unsigned int columns = 1, unsigned int rows = 1) : x(columns), y(rows) {}
};
struct alignas(16) float4 {
  float x, y, z, w;
};

using cudaStream_t = void*;
enum cudaError_t { cudaSuccess };
inline cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
inline const char* cudaGetErrorString(cudaError_t) {
  return "";
}

inline thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

inline std::barrier<>*& barrier() {
  static std::barrier<>* of_the_block = nullptr;
  return of_the_block;
}

template <typename Kernel>
void run_block(dim3 grid, dim3 block, unsigned int threads, const Kernel& kernel) {
  std::barrier together(static_cast<std::ptrdiff_t>(threads));
  barrier() = &together;
  std::vector<std::thread> all;
  for (unsigned int i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      threadIdx = dim3(i);
      threadIdx.y = threadIdx.z = 0;
      blockIdx = block;
      blockDim = dim3(threads);
      gridDim = grid;
      kernel();
      together.arrive_and_drop();
    });
  }
  for (auto& thread : all) thread.join();
}

template <typename Kernel>
void launch(dim3 grid, unsigned int threads, const Kernel& kernel) {
  for (unsigned int y = 0; y < grid.y; ++y) {
    for (unsigned int x = 0; x < grid.x; ++x) run_block(grid, dim3(x, y), threads, kernel);
  }
}

}  // namespace emulated

inline void __syncthreads() {
  emulated::barrier()->arrive_and_wait();
}

#define PLUME_LAUNCH(kernel, blocks, threads, stream, ...) \
  (static_cast<void>(stream), emulated::launch(blocks, threads, [&] { kernel(__VA_ARGS__); }))
