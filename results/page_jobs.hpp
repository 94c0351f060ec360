// The jobs of several plans. Private to this folder.
#pragma once

#include <unordered_set>
#include <vector>

#include "sweeps/sweep.hpp"

namespace results {

/// Calls `visit(job, key)` once for each distinct job of the plans.
template <typename Visit>
void each_job(const std::vector<sweeps::Plan>& plans, const Visit& visit) {
  std::unordered_set<sweeps::JobKey> seen;
  for (const auto& plan : plans) {
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
      if (seen.insert(plan.keys[i]).second) visit(plan.jobs[i], plan.keys[i]);
    }
  }
}

}  // namespace results
