// results.h5: jobs, epochs and shares as named arrays, one value a line of jobs.csv, epochs.csv and shares.csv. The
// layout is in README.md.
#pragma once

#include <filesystem>
#include <vector>

#include "results/planned_runs.hpp"

namespace results {

inline constexpr int kResultArraysVersion = 1;

/// Replaces `file`, whole or not at all. Values go from the ledger into the file one by one: it takes no memory to
/// speak of. Throws storage::Error naming the file where it cannot be written.
void write_result_arrays(const std::filesystem::path& file, const std::vector<PlannedRun>& runs);

}  // namespace results
