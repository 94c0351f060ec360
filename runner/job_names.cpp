// Names from settings.
#include "runner/job_names.hpp"

#include <fmt/format.h>

#include "sweeps/sweep.hpp"

namespace runner {

std::vector<std::string> job_names(const std::vector<sweeps::Job>& jobs) {
  const auto settings = sweeps::setting_names(jobs);
  std::vector<std::string> names;
  names.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& job = jobs[i];
    const auto seed = sweeps::is_seeded(job.method) ? fmt::format(" seed {}", job.seed) : "";
    names.push_back(fmt::format("{}/{} {}{}", job.dataset, job.normal_class, settings[i], seed));
  }
  return names;
}

std::string short_key(const sweeps::JobKey& key) {
  return key.hex.substr(0, kShortKey);
}

std::string labelled(const std::string& name, const sweeps::JobKey& key) {
  return fmt::format("{} [{}]", name, short_key(key));
}

}  // namespace runner
