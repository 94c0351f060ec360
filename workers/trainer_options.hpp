// What a trainer process is told on its command line. Knows no LibTorch.
#pragma once

#include <filesystem>
#include <string>

#include "workers/supervisor.hpp"

namespace workers {

/// Default of --checkpoint-every.
inline constexpr double kCheckpointMinutes = 10;

struct CheckpointOptions {
  std::filesystem::path attempts;  ///< DIR/attempts; empty: none are written or read
  Seconds every{0};                ///< of training; 0: none are written
};

struct TrainerOptions {
  int descriptor = 3;  ///< the socket to its supervisor
  int threads = 1;
  std::string gpu;  ///< UUID of the device that it was given, "" without one
  CheckpointOptions checkpoints;
  std::filesystem::path keep_in;  ///< DIR, whose models/ and dumps/ take what trainings leave; empty: nothing is kept
};

}  // namespace workers
