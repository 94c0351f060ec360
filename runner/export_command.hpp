// `plume-bench export DIR...`: what the runs of directories came out with, as files for other people's programs. Reads
// directories, writes only those files.
#pragma once

#include "runner/read_runs.hpp"

namespace runner {

/// Writes results.h5, jobs.csv and epochs.csv, prints where, and returns the exit status. Reads, refuses and leaves out
/// what print_report does.
int write_export(const ReportQuestion& question);

}  // namespace runner
