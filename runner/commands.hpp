// The command line: what each subcommand does with its flags (command_flags.hpp).
#pragma once

#include <string>
#include <vector>

#include "runner/check_command.hpp"
#include "runner/check_data_command.hpp"
#include "runner/score_command.hpp"
#include "workers/trainer_options.hpp"

namespace runner {

/// Runs the trainer process (workers::run_trainer_process); handed in, because this folder's library
/// knows no LibTorch.
using TrainerMain = int (*)(const workers::TrainerOptions& options);

/// What plume-compute hands in.
struct Computing {
  TrainerMain trainer;
  WeightsCheck check_weights;
  DataComputing check_data;
  ScoreComputing score;
};

/// Parses and runs; returns the exit status. `computing`: null in plume-bench, which becomes plume-compute where the
/// command computes (`trainer`, `check`, `score`). Throws storage::Error and UsageError.
int run_command_line(int argc, char** argv, const Computing* computing);

}  // namespace runner
