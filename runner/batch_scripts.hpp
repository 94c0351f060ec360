// The text of batch scripts for Slurm: templates of slurm/ with a sweep and a cluster filled in. Writes nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/cluster_settings.hpp"

namespace runner {

/// What the scripts are to run. All paths absolute.
struct BatchRun {
  ClusterSettings cluster;
  std::string sweep_name;
  std::filesystem::path program;
  std::filesystem::path sweep;
  std::filesystem::path out;            ///< --out of the run; of the form array the folder above those of the shares
  std::filesystem::path scripts;        ///< the folder that the scripts will lie in, and what they print
  std::filesystem::path folder;         ///< where they start
  std::vector<std::string> flags = {};  ///< of `run` and `extract`
  std::vector<std::string> run_flags = {};  ///< of `run` alone
};

struct ScriptFile {
  std::string name;
  std::string text;
  bool executable = false;
};

/// run.sbatch; of the form array extract.sbatch, share.sbatch, report.sbatch and submit. Throws UsageError for a path
/// that sbatch would read as another.
std::vector<ScriptFile> batch_scripts(const BatchRun& run);

/// What the user types to start them.
std::string submit_line(const BatchRun& run);
/// And to see how far they are.
std::string look_line(const BatchRun& run);

}  // namespace runner
