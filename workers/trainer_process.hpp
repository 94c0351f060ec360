// The trainer process: the hidden subcommand `trainer`. Speaks length-prefixed messages over one socket, runs one task
// at a time, keeps the backbone and feature sets that it has loaded. Dies with its parent.
#pragma once

#include "workers/trainer_options.hpp"

namespace workers {

/// Runs until Shutdown or the socket closes. Returns the exit status (0). Throws storage::Error before it greets where
/// CUDA shows anything else than the GPU that it was given.
int run_trainer_process(const TrainerOptions& options);

}  // namespace workers
