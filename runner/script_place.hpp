// The batch scripts that run a directory under Slurm, found by where `plume-bench slurm` writes them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace runner {

struct ScriptPlace {
  std::filesystem::path script;  ///< whose runs the directory holds: run.sbatch, share.sbatch, extract.sbatch
  /// What starts it, and goes on: "sbatch runs/a/slurm/run.sbatch"; of the form array "bash runs/all/slurm/submit".
  /// Paths as the directory was given.
  std::string submit;
  /// The script asks `chain` after a run, so that somebody says whether another allocation follows; one that was
  /// written with --next stop does not.
  bool asks_chain = false;
  std::optional<int> task = {};  ///< of a share: its task of the array
  /// Where the script runs another directory than the one it lies in, which was moved or copied since: that directory,
  /// and what writes scripts for this one. Then `submit` is "" and asks_chain false: nobody should start it.
  std::string runs_instead = {};
  std::string to_write_again = {};
  std::string only = {};              ///< the --only with which it runs the sweep; "": all of it
  std::string to_write_for_all = {};  ///< where there is one, what writes scripts without it
};

/// What to give again where a script is written anew: its text does not tell it.
inline constexpr const char* kAsBefore = "with the --module, --setup, --container and --sbatch of before, if any";

/// "its batch script is that of runs/old, ...: plume-bench slurm ..." for such a script; "" for any other.
std::string why_not_submitted(const ScriptPlace& scripts);

/// PARENT of DIR = PARENT/share-K-of-N or PARENT/features, whose scripts are the parent's; empty for any other name.
std::filesystem::path folder_of_array(const std::filesystem::path& directory);

/// DIR/slurm/run.sbatch, for DIR = PARENT/share-K-of-N and PARENT/features PARENT/slurm/submit, for a PARENT its own
/// slurm/submit. Nothing where there are none.
std::optional<ScriptPlace> scripts_of(const std::filesystem::path& directory);

}  // namespace runner
