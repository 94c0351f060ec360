// Whether Slurm knows of a job of a directory's batch script, where its squeue is at hand. A directory's files alone
// say almost all of it; what they cannot say is that a job waits in the queue, or that one has been cancelled.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/ask_program.hpp"
#include "runner/queue_cluster.hpp"
#include "runner/queue_lines.hpp"
#include "runner/script_output.hpp"
#include "runner/script_place.hpp"

namespace runner {

/// What squeue printed that is of the script, or of Slurm's job `known`; of an array that `task` alone.
std::vector<QueuedJob> jobs_of_script(const std::string& printed, const std::filesystem::path& script,
                                      const std::string& known = "", std::optional<int> task = std::nullopt);

/// squeue's answer for the jobs of these users, "1000,1001".
Answer ask_queue(const Ask& ask, const std::string& users);
/// The number of a file's owner; "" where it is not there.
std::string owner_of(const std::filesystem::path& file);

/// Asks seldom: the queue is everybody's.
class ScriptQueue {
 public:
  ScriptQueue(Ask ask, bool again_and_again)
      : ask_(std::move(ask)), cluster_(ask_), again_and_again_(again_and_again) {}

  /// Jobs of the script, of an array those of its task; nothing where nobody can say. `moment`: of the files; another
  /// one than the last time is worth a question at once. That there is none is believed when it is heard twice, where
  /// it is asked again and again: squeue forgets a job for a moment while it is requeued. `cluster`: the last one that
  /// the script ran on; the queue of another is believed on what it has of the script, and not that there is none.
  std::optional<std::vector<QueuedJob>> jobs(const ScriptPlace& scripts, const std::optional<ScriptOutput>& output,
                                             const std::string& moment, const std::string& cluster = "");

 private:
  using Clock = std::chrono::steady_clock;
  Ask ask_;
  QueueCluster cluster_;
  bool again_and_again_;
  bool is_there_ = true;  ///< squeue
  int nones_ = 0;         ///< how often in a row there was no job
  std::string moment_;
  std::optional<Clock::time_point> asked_;
  std::optional<std::vector<QueuedJob>> heard_;
};

}  // namespace runner
