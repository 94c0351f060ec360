// What marks a function that the CPU's compiler and nvcc both compile, so that CPU and GPU have one arithmetic.
#pragma once

#if defined(__CUDACC__)
#define PLUME_ON_BOTH __host__ __device__
#else
#define PLUME_ON_BOTH
#endif
