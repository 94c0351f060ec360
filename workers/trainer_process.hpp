// The trainer process: the hidden subcommand `trainer`. Speaks length-prefixed messages over one socket, runs one task
// at a time, keeps the backbone and feature sets that it has loaded. Dies with its parent.
#pragma once

namespace workers {

/// Runs until Shutdown or the socket closes. Returns the exit status (0).
int run_trainer_process(int descriptor, int threads);

}  // namespace workers
