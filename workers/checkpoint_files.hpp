// Where checkpoints lie: DIR/attempts/<job key>-<attempt>/checkpoint. Each attempt has a folder of its own, so one that
// was given up and goes on unheard cannot overwrite another's. Knows nothing of what is in them.
#pragma once

#include <filesystem>
#include <vector>

#include "sweeps/job.hpp"

namespace workers {

/// <attempts>/<key>-<attempt>
std::filesystem::path attempt_folder(const std::filesystem::path& attempts, const sweeps::JobKey& key, int attempt);
/// <attempts>/<key>-<attempt>/checkpoint
std::filesystem::path checkpoint_file(const std::filesystem::path& attempts, const sweeps::JobKey& key, int attempt);

struct FoundCheckpoint {
  sweeps::JobKey key;
  int attempt = 1;
  std::filesystem::path file;  ///< whatever has that name
};
/// All in `attempts`, by key and attempt; temporaries of unfinished ones do not count. A folder that cannot be read has
/// none.
std::vector<FoundCheckpoint> find_checkpoints(const std::filesystem::path& attempts);

/// Removes the checkpoint of an attempt and what was left while one was written, and the folder if it is then empty.
/// Never throws; what cannot be removed stays.
void remove_checkpoint(const std::filesystem::path& attempts, const sweeps::JobKey& key, int attempt);
/// The same of all attempts of a job below `below`. `keep_whole`: only what was left while one was written.
void remove_checkpoints(const std::filesystem::path& attempts, const sweeps::JobKey& key, int below = INT32_MAX,
                        bool keep_whole = false);

}  // namespace workers
