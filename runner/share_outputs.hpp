// What the batch scripts of the form array printed into DIR/slurm: for a script that ended before it started a run,
// which leaves nothing else.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace runner {

/// The latest output file of each part, by the names that `plume-bench slurm` has Slurm give them.
class ShareOutputs {
 public:
  explicit ShareOutputs(const std::filesystem::path& folder);
  /// `number`: of the share; 0: the features.
  std::optional<std::filesystem::path> latest_of(int number) const;

 private:
  struct Output {
    std::filesystem::path file;
    std::filesystem::file_time_type written;
  };
  std::map<int, Output> latest_;
};

}  // namespace runner
