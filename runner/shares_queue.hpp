// Whether Slurm knows of a task of each share of a directory, and of the job that makes their features: one question to
// squeue for all of them (script_queue.hpp asks for one script).
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/ask_program.hpp"
#include "runner/queue_cluster.hpp"
#include "runner/queue_lines.hpp"

namespace runner {

class SharesQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Jobs = std::vector<QueuedJob>;

  /// What the files of a part say.
  struct Files {
    std::string moment;        ///< changes with them
    std::string cluster = {};  ///< the last one that the part ran on; "": not known
  };

  SharesQueue(Ask ask, bool again_and_again)
      : ask_(std::move(ask)), cluster_(ask_), again_and_again_(again_and_again) {}

  /// Whether look() would ask, so that whose jobs need not be found out each time.
  bool is_due(Clock::time_point now) const;
  /// Asks where it is time to: every 10 s, and 1.5 s after an answer that no longer had the job of a part. `scripts`:
  /// the folder of share.sbatch and extract.sbatch. `users`: whose jobs, "1000,1001". `parts`: those that the files
  /// alone cannot judge (0: the features).
  void look(const std::filesystem::path& scripts, const std::string& users, const std::map<int, Files>& parts,
            Clock::time_point now);
  /// Jobs of a part as of `moment`; nothing where nobody can say, or its files have changed since squeue was asked.
  /// That there is none is believed when it is heard twice, where it is asked again and again, and not where the queue
  /// is of another cluster.
  std::optional<Jobs> jobs(int part, const std::string& moment) const;

 private:
  /// What the last answer said of a part.
  struct Heard {
    std::string moment;
    Jobs jobs;
    int nones = 0;  ///< how often in a row there was no job, while its files were the same
  };
  Ask ask_;
  QueueCluster cluster_;
  bool again_and_again_;
  bool is_there_ = true;   ///< squeue
  bool in_doubt_ = false;  ///< the last answer is to be heard again soon
  std::optional<Clock::time_point> asked_;
  std::map<int, Heard> heard_;
};

}  // namespace runner
