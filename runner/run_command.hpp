// `run`: decides between this machine and MPI, starts the workers, drives the sweep.
#pragma once

#include "runner/sweep_run.hpp"

namespace runner {

/// Under mpirun or srun rank 0 coordinates and the others serve; else workers are started here.
Exit run_sweep(const RunOptions& options);

}  // namespace runner
