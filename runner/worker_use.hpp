// How long each worker of a run was at work, and how long it was idle: DIR/workers.csv, a line a worker and run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace runner {

/// Of one worker in one run, by the coordinator's clock. Seconds of tasks that failed count as at work.
struct WorkerUse {
  int worker = 0;
  std::string host, gpu;  ///< gpu: UUID, "" without
  int threads = 0;
  double seconds = 0;         ///< from its greeting to the end of the run, or until it was lost
  double training = 0;        ///< of these: at trainings and baselines, loading included
  double features = 0;        ///< of these: at scans and extractions
  double idle_share() const;  ///< in [0, 1]; 0 where it was there for no time
  bool operator==(const WorkerUse&) const = default;
};

std::filesystem::path worker_uses_file(const std::filesystem::path& directory);
/// Appends a run's lines, durably. `started`: UTC. Throws storage::Error where the disk does.
void append_worker_uses(const std::filesystem::path& directory, const std::string& started,
                        const std::vector<WorkerUse>& uses);
/// The lines of all directories in their order under one header, a first column with the directory; "" where there are
/// none. Lines that are not whole are left out, and files that cannot be read.
std::string collected_worker_uses(const std::vector<std::filesystem::path>& directories);

/// "workers were idle 4 % of 12 min" and, of several, which one longest; "" of none.
std::string in_words(const std::vector<WorkerUse>& uses);

}  // namespace runner
