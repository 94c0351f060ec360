// Settings of glibc and LibTorch that hold for a whole process. Knows no task.
#include "workers/trainer_settings.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <malloc.h>

#include <cstdlib>
#include <limits>

namespace workers {
namespace {

// Large tensors come from the heap and stay there: mapped and unmapped at every use they cost 2-3 times the arithmetic.
// mallopt takes ints.
void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

void make_deterministic() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);  // read at the first CUDA call
  at::Context& context = at::globalContext();
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
  context.setDeterministicFillUninitializedMemory(false);  // else every empty() is filled
  context.setDeterministicCuDNN(true);
  context.setBenchmarkCuDNN(false);
#if defined(PLUME_WITH_CUDA)
  context.setAllowTF32CuBLAS(false);  // whatever TORCH_ALLOW_TF32_CUBLAS_OVERRIDE says
  context.setAllowTF32CuDNN(false);
#endif
}

}  // namespace

void set_up_computation(int threads) {
  keep_memory();
  at::set_num_threads(threads);
  at::set_num_interop_threads(1);
  make_deterministic();
}

}  // namespace workers
