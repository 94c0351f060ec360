// What jobs are called in logs and on screens.
#pragma once

#include <string>
#include <vector>

#include "sweeps/job.hpp"

namespace runner {

/// Of each of a plan's jobs, no two alike: "cifar10/cat linear-map + full, lambda 5 seed 0", the setting as table rows
/// have it, by what differs among the jobs.
std::vector<std::string> job_names(const std::vector<sweeps::Job>& jobs);

/// As many digits of a key as lines have: enough to find a job by.
inline constexpr std::size_t kShortKey = 8;
std::string short_key(const sweeps::JobKey& key);
/// "cifar10/cat linear-map + full seed 0 [1a2b3c4d]".
std::string labelled(const std::string& name, const sweeps::JobKey& key);

}  // namespace runner
