// The trainer process: the hidden subcommand `trainer`. Speaks length-prefixed messages over one socket, runs one task
// at a time, keeps the backbone and feature sets that it has loaded. Dies with its parent.
#pragma once

#include <string>

namespace workers {

/// Runs until Shutdown or the socket closes. Returns the exit status (0). `gpu`: UUID of the device that it was given, ""
/// without one; throws storage::Error before it greets where CUDA shows anything else.
int run_trainer_process(int descriptor, int threads, const std::string& gpu);

}  // namespace workers
