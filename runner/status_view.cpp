// Counts jobs, gathers failures, and has the rest said in words.
#include "runner/status_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "runner/job_names.hpp"
#include "runner/status_words.hpp"

namespace runner {
namespace {

constexpr std::size_t kFailuresKept = 200;

JobCounts counts_of(const JobStates& states, std::size_t plan, const std::set<std::size_t>& jobs) {
  JobCounts counts;
  for (const auto job : jobs) counts.add(states.of(plan, job));
  return counts;
}

std::set<std::size_t> jobs_of(const sweeps::PlannedTable& table) {
  std::set<std::size_t> jobs;
  for (const auto& row : table.rows) {
    for (const auto& cell : row.cells) jobs.insert(cell.jobs.begin(), cell.jobs.end());
  }
  return jobs;
}

/// Distinct jobs of the sweep that runs; of all sweeps where that is not known.
JobCounts all_jobs(const RunPicture& picture, const JobStates& states) {
  JobCounts counts;
  std::set<std::string> seen;
  for (std::size_t p = 0; p < picture.plans->size(); ++p) {
    if (states.plan_of_run() >= 0 && static_cast<int>(p) != states.plan_of_run()) continue;
    const auto& plan = (*picture.plans)[p];
    for (std::size_t job = 0; job < plan.jobs.size(); ++job) {
      if (seen.insert(plan.keys[job].hex).second) counts.add(states.of(p, job));
    }
  }
  return counts;
}

/// Before run.json is there, the run's own counts are all that is known.
JobCounts counts_of_status(const RunStatus& status) {
  JobCounts counts;
  counts.done = static_cast<std::size_t>(status.jobs_before + status.jobs.done);
  counts.running = static_cast<std::size_t>(status.jobs.running);
  counts.failed = static_cast<std::size_t>(status.jobs.failed);
  const auto known = counts.done + counts.running + counts.failed;
  counts.left =
      static_cast<std::size_t>(status.jobs_chosen) - std::min(known, static_cast<std::size_t>(status.jobs_chosen));
  return counts;
}

}  // namespace

StatusView view_of(const RunPicture& picture, bool with_tables) {
  const JobStates states(picture);
  StatusView view;
  view.directory = picture.directory.string();
  view.life = picture.life;
  view.status = *picture.status;
  view.at_work = is_at_work(picture);
  view.sweeps = *picture.sweeps;
  view.problems = picture.problems;
  view.unread = picture.unread;
  if (picture.life.life != Life::not_started) view.unread_scripts = picture.unread_scripts;
  if (view.status) view.selection = view.status->selection;
  for (std::size_t p = 0; with_tables && picture.unread.empty() && p < picture.plans->size(); ++p) {
    for (const auto& table : (*picture.plans)[p].tables) {
      view.tables.push_back({table.id, counts_of(states, p, jobs_of(table))});
    }
  }
  const bool has_plan =
      picture.unread.empty() && !picture.plans->empty() && (!view.status || states.plan_of_run() >= 0);
  if (has_plan) view.jobs = all_jobs(picture, states);
  if (!has_plan && view.status) view.jobs = counts_of_status(*view.status);
  auto failures = failures_of(picture, states, kFailuresKept);
  view.failures = std::move(failures.first);
  view.failures_more = failures.rest;
  view.following = following_of(picture);
  view.allocation_follows = view.at_work && picture.scripts && picture.scripts->asks_chain && is_run_by_script(picture);
  view.headline = headline_of(picture, view.jobs);
  view.caution = caution_of(picture);
  view.next = next_of(picture, view);
  return view;
}

}  // namespace runner
