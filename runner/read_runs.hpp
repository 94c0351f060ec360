// The runs of one or several directories, together: what `report` and `export` are made of, and where they are written.
// Reads directories, writes nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/merge.hpp"
#include "runner/run_file.hpp"

namespace runner {

/// What is asked of `report` and `export`.
struct ReportQuestion {
  std::vector<std::string> directories;
  std::optional<std::string> out;  ///< absent: DIR/report of the one directory
  bool allow_mixed = false;
};

/// The folder that is written: never over the files of a run. `what` is what messages call it, "report" or "export".
/// Throws UsageError for a missing or wrong --out.
std::filesystem::path folder_of(const ReportQuestion& question, const std::string& what);

struct ReadRuns {
  std::vector<std::string> directories;  ///< those that have jobs
  std::vector<RunFacts> facts;           ///< of each, how it was run last
  RunFile file;                          ///< the sweeps of all
  results::Merged merged;
};
/// Of several directories, one where no run has come to its jobs is left out with a line on standard error, if another
/// has some. Runs that are under way may be read. Throws UsageError for a directory that is none of a run or is named
/// twice, Error for a damaged journal and, without allow_mixed, for two results of a job that differ.
ReadRuns read_runs(const ReportQuestion& question, const std::string& what);

/// One line on standard output where results of a job differ, and which counts.
void say_contested(const std::vector<results::Contested>& contested);

}  // namespace runner
