// `plume-bench report DIR...`: the tables of one run, or of several together. Reads their directories, writes only the
// report.
#pragma once

#include "runner/read_runs.hpp"

namespace runner {

/// Prints the tables, writes the report and returns the exit status. Runs that are under way may be reported. Of
/// several directories, one where no run has come to its jobs is left out with a line on standard error, if another has
/// some. Throws UsageError for a directory that is none of a run or is named twice and for a missing or wrong --out,
/// Error for a damaged journal and, without allow_mixed, for results that do not belong together.
int print_report(const ReportQuestion& question);

}  // namespace runner
