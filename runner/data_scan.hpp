// Scans a data set in this process: the tasks that a run would send to its workers.
#pragma once

#include <functional>

#include "runner/feature_plan.hpp"

namespace runner {

/// workers::scan_rows, which this folder's library cannot call itself.
using ScanRows = workers::Scanned (*)(const datasets::Dataset& data, const workers::ScanTask& task, int threads,
                                      const std::function<void()>& on_progress);

struct ScanReport {
  std::function<void(std::int64_t done, std::int64_t total)> progress;  ///< rows of this process, after each
  std::function<void(const std::string&)> say;                          ///< slices that an earlier run has kept
};

/// Scans the data set of that id and hands each slice to the plan, which keeps the outcome in the cache as a run does.
/// Returns the number of rows that were read. Throws the error of the first row, in the data set's order, that cannot
/// be read and may not be skipped.
std::int64_t scan_here(FeaturePlan& plan, const std::string& id, int threads, ScanRows scan_rows,
                       const ScanReport& report);

}  // namespace runner
