// Gathers jobs by why they are missing.
#include "runner/explain_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace runner {
namespace {

constexpr std::size_t kMissingShown = 200;

/// Jobs of a cell that are missing for one reason.
struct Missing {
  Reason reason;
  std::string where;
  std::vector<std::string> jobs;
  bool is_for(const CellJob& job) const {
    return reason.word == job.missing->word && reason.sentence == job.missing->sentence && where == job.where;
  }
};

void add_missing(std::vector<std::string>& lines, const Missing& group) {
  const auto& [reason, where, jobs] = group;
  const auto place = where.empty() ? "" : where + ": ";
  if (jobs.size() == 1) {
    lines.push_back(fmt::format("  {}{}: {}: {}", place, jobs.front(), reason.word, reason.sentence));
    return;
  }
  lines.push_back(fmt::format("  {}{} jobs: {}: {}", place, jobs.size(), reason.word, reason.sentence));
  for (std::size_t i = 0; i < std::min(jobs.size(), kMissingShown); ++i) lines.push_back("    " + jobs[i]);
  if (jobs.size() > kMissingShown) lines.push_back(fmt::format("    and {} more", jobs.size() - kMissingShown));
}

}  // namespace

std::vector<std::size_t> jobs_of(const CellAddress& address, const sweeps::Plan& plan) {
  std::vector<std::size_t> jobs;
  std::set<std::size_t> seen;
  for (const auto column : address.columns) {
    for (const auto job : plan.tables[address.table].rows[address.row].cells[column].jobs) {
      if (seen.insert(job).second) jobs.push_back(job);
    }
  }
  return jobs;
}

std::vector<std::string> cell_lines(const std::string& cell, const std::vector<CellJob>& jobs) {
  std::vector<Missing> missing;
  std::size_t done = 0;
  for (const auto& job : jobs) {
    if (!job.missing) {
      ++done;
      continue;
    }
    const auto same = std::find_if(missing.begin(), missing.end(), [&](const auto& m) { return m.is_for(job); });
    auto& group = same == missing.end() ? missing.emplace_back(Missing{*job.missing, job.where, {}}) : *same;
    group.jobs.push_back(job.name);
  }
  std::vector<std::string> lines;
  const bool all_known =
      std::none_of(missing.begin(), missing.end(), [](const auto& m) { return m.reason.word == kNotKnown; });
  if (jobs.empty()) return {fmt::format("{}: the sweep plans no job for it", cell)};
  lines.push_back(missing.empty() ? fmt::format("{}: complete: {} of {} jobs done", cell, done, jobs.size())
                  : all_known
                      ? fmt::format("{}: {} of {} jobs done; missing:", cell, done, jobs.size())
                      : fmt::format("{}: {} of {} jobs are known to be done; the others:", cell, done, jobs.size()));
  for (const auto& group : missing) add_missing(lines, group);
  std::vector<std::string> mends;
  for (const auto& group : missing) {
    const bool is_new = std::find(mends.begin(), mends.end(), group.reason.mend) == mends.end();
    if (!group.reason.mend.empty() && is_new) mends.push_back(group.reason.mend);
  }
  lines.insert(lines.end(), mends.begin(), mends.end());
  return lines;
}

}  // namespace runner
