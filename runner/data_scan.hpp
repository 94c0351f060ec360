// Scans a data set in this process, on all its CPUs: the tasks that a run would send to its workers.
#pragma once

#include <functional>

#include "runner/feature_plan.hpp"

namespace runner {

/// workers::scan_row, which this folder's library cannot call itself.
using ScanRow = workers::ScannedImage (*)(const datasets::Dataset& data, const workers::ScanTask& task,
                                          std::int64_t row);

/// Rows that are done, of how many; called now and then, by one thread at a time.
using ScanProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Scans the data set of that id and hands each slice to the plan, which keeps the outcome in the cache. Returns the
/// number of rows. Throws the error of the first row, in the data set's order, that cannot be read.
std::int64_t scan_here(FeaturePlan& plan, const std::string& id, int threads, ScanRow scan_row,
                       const ScanProgress& progress);

}  // namespace runner
