// A chain of allocations: whether another one is worth asking for. What `plume-bench chain` says to a batch script.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runner/chain_file.hpp"

namespace runner {

/// What all runs on a directory have come to: it grows with every allocation that gets something done.
struct Progress {
  std::int64_t ended = 0;      ///< jobs with a result, or failed for good
  std::int64_t parts = 0;      ///< rows scanned and extracted, checkpoints written, by the last run alone
  std::int64_t committed = 0;  ///< results of the last run alone: a job that had failed ends a second time
  std::int64_t failed = 0;     ///< jobs failed for good, among `ended`
  /// "3 training(s) made way with a checkpoint, the farthest at epoch 12 of 40"; see trainings_left.
  std::string way = {};
  bool operator==(const Progress&) const = default;
};

struct ChainVerdict {
  bool again = false;
  std::string why;     ///< one line for people
  ChainMemory memory;  ///< but for its word
};

/// What the sentences of a verdict name.
struct ChainPlace {
  std::filesystem::path log;          ///< of the runs
  std::string submit;                 ///< what goes on, "sbatch DIR/slurm/run.sbatch"; "": not known
  bool features_only = false;         ///< the run makes features and no jobs
  bool began = true;                  ///< the allocation's run came so far as to write status.json
  std::filesystem::path output = {};  ///< what the script prints into; "": not known
  std::string last_words = {};        ///< the line of it that says why, by script_output.hpp
  std::string stopped = {};           ///< why the run broke, where it says so: "the sweep stopped: ..."
  std::int64_t failed = 0;            ///< jobs failed for good
};

/// `status`: how the run ended: 0 complete, 1 broke, 2 wrong usage, 3 failed jobs, 4 drained, 126 and 127 it could not
/// be started, 128 + n killed. Only a drained or a killed run is gone on with, and not when it and the one before it
/// got nothing done: the next would not either.
ChainVerdict chain_verdict(int status, const Progress& progress, const ChainMemory& before,
                           const ChainPlace& place = {});

/// Exit status of `chain` when no other allocation is to follow.
inline constexpr int kChainEnds = 5;

/// Prints the verdict on DIR and remembers it; 0: go on, kChainEnds: do not.
int print_chain(const std::filesystem::path& directory, int status);

}  // namespace runner
