// What the jobs of a plan would take of a cluster: worker-hours, allocations, and whether the longest fits into one.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "runner/cluster_settings.hpp"
#include "runner/plan_estimate.hpp"

namespace runner {

struct ClusterWork {
  std::vector<PlannedJob> jobs;
  MeasuredTimes measured;
  double extraction_seconds = 0;  ///< of one CPU thread, at most
};

/// Indented lines; a "*" marks what is guessed. Workers are taken to compute on CPUs, and their threads to share the
/// work evenly, where nothing was timed. Nothing where no rows are known.
std::vector<std::string> forecast_lines(const ClusterWork& work, const ClusterSettings& cluster);

}  // namespace runner
