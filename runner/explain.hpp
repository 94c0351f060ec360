// `plume-bench explain DIR JOB|CELL`: why is it not done? Words from what a directory says; pure but for
// print_explanation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runner/explain_address.hpp"
#include "runner/shares_directory.hpp"

namespace runner {

/// Whether a file that might be of help is there.
using IsThere = std::function<bool(const std::filesystem::path&)>;

/// Lines of a job: what it is, how it stands, every attempt, and last the command that would mend it.
std::vector<std::string> explain_job(const JobAddress& address, const RunPicture& picture, const IsThere& is_there);
/// Lines of a cell: how many of its jobs are done, what is missing and why, and the command that would mend it.
std::vector<std::string> explain_cell(const CellAddress& address, const RunPicture& picture);
std::vector<std::string> explain_former(const FormerJob& former, const RunPicture& picture, const IsThere& is_there);

/// Whichever of these it is; looks for files.
std::vector<std::string> explain(const Address& address, const RunPicture& picture);

/// Of a directory of shares: lines of a job from the share that has it; of a cell, of its jobs in all shares. Throws
/// UsageError for what no share knows, and where none has begun.
std::vector<std::string> explain_in_shares(const std::string& what, const SharesDirectory& directory);

struct ExplainQuestion {
  std::string directory;
  std::string what;
};
/// Prints it; 0, or 1 where a file of the directory could not be read. Throws UsageError for what is no directory, job
/// or cell.
int print_explanation(const ExplainQuestion& question);

}  // namespace runner
