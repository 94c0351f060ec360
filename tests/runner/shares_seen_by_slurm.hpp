// The directory of three shares, looked at where a squeue answers as a test has it.
#pragma once

#include <string>

#include "tests/runner/shares_of_six.hpp"

namespace runner {

/// Slurm as a test has it answer, of the cluster "here".
struct PretendedQueue {
  Ask asking() {
    return [this](const auto& command, const auto&) {
      if (command.front() == "scontrol") return Answer{true, "SlurmUser = root\nClusterName   = here\n", ""};
      ++asked;
      return answer;
    };
  }
  Answer answer;
  int asked = 0;
};

/// Looked at where there is a squeue.
class SharesSeenBySlurm : public SharesOfSix {
 protected:
  /// A line of squeue.
  std::string line(const std::string& job, const std::string& tasks, const std::string& state,
                   const std::string& reason, const std::string& script = "share.sbatch") const {
    return job + "|" + tasks + "|" + state + "|" + reason + "|/\x1f" + (folder_ / "slurm" / script).string() + "\n";
  }
  SharesView seen() {
    SharesDirectory directory(folder_.path(), 3);
    directory.ask_slurm(slurm_.asking(), false);
    directory.look();
    return directory.view();
  }
  std::string screen(std::size_t columns = 250) { return text_of(screen_of(seen(), {columns, 0}), false); }
  std::string explained_with_slurm(const std::string& what) {
    SharesDirectory directory(folder_.path(), 3);
    directory.ask_slurm(slurm_.asking(), false);
    directory.look();
    std::string text;
    for (const auto& line : explain_in_shares(what, directory)) text += line + "\n";
    return text;
  }

  PretendedQueue slurm_;
};

}  // namespace runner
