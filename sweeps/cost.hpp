// What a job costs on a machine, from shapes alone: a guess, for plans and orders. Measured times are worth more.
#pragma once

#include "sweeps/job.hpp"

namespace sweeps {

/// What a machine does in a second, roughly.
struct Machine {
  double flops_per_second;
  double bytes_per_second;
  double seconds_per_step;  ///< launches, whatever the size
  bool overlaps;            ///< computes while it moves: a part takes as long as the slower of the two
};
/// One socket of a few years ago: only ratios matter, and they are of the same order on a GPU.
inline constexpr Machine kAnyMachine{1e11, 2e10, 1e-4, false};
/// One thread of a server's CPU, as measured on shared AMD EPYC cores: a step of 60.3 million parameters at batch 32
/// takes 0.22 s beside another thread's.
inline constexpr Machine kCpuThread{9e10, 2.6e10, 5e-4, false};
/// An H100 at what it copies and multiplies: the same step takes 0.9 ms. Not measured.
inline constexpr Machine kH100{5e13, 3e12, 1e-4, true};

/// Expected seconds of a job; `rows` of training, `length` = L (plad and rotation: 3072, the values of an image).
double modelled_seconds(const Job& job, std::int64_t rows, std::int64_t test_rows, std::int64_t length,
                        const Machine& machine);

/// How many numbers its networks have; 0 for a baseline. E.g. 60.3 million for linear-map at D = 3072.
double parameters_of(const Job& job);

}  // namespace sweeps
