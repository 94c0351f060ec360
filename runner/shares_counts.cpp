// Share by share, or job by job where that would count one twice.
#include "runner/shares_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace runner {
namespace {

void add(JobCounts& sum, const JobCounts& counts) {
  sum.done += counts.done;
  sum.diverged += counts.diverged;
  sum.running += counts.running;
  sum.failed += counts.failed;
  sum.left += counts.left;
}

/// Some share has results, or failures, of jobs that are not its own any more.
bool has_results_of_another_deal(const SharesView& view) {
  return std::any_of(view.parts.begin(), view.parts.end(), [](const auto& part) {
    const bool is_share = part.number > 0 && part.view && part.view->status;
    return is_share && part.view->jobs.chosen() > static_cast<std::size_t>(part.view->status->jobs_chosen);
  });
}

/// By the share in which it stands best.
JobCounts each_job_once(const SharesView& view, const SharesDirectory& directory) {
  std::unordered_map<std::string, JobState> states;
  for (const auto& [number, run] : directory.runs()) {
    const auto picture = run.picture();
    const JobStates stands(picture);
    if (number == 0 || stands.plan_of_run() < 0) continue;
    const auto p = static_cast<std::size_t>(stands.plan_of_run());
    const auto& plan = (*picture.plans)[p];
    for (std::size_t job = 0; job < plan.jobs.size(); ++job) {
      const auto state = stands.of(p, job);
      if (state == JobState::not_chosen) continue;
      auto& best = states.try_emplace(plan.keys[job].hex, state).first->second;
      best = std::min(best, state);
    }
  }
  std::set<int> not_begun;
  for (const auto& part : view.parts) {
    if (part.number > 0 && !part.view) not_begun.insert(part.number);
  }
  for (const auto& [key, share] : directory.dealt()) {
    if (not_begun.contains(share)) states.try_emplace(key, JobState::waiting);
  }
  JobCounts counts;
  for (const auto& [key, state] : states) counts.add(state);
  return counts;
}

std::string of_which_jobs(const std::string& only) {
  return only.empty() ? "all jobs" : fmt::format("`--only {}`", only);
}

}  // namespace

void add_jobs(SharesView& view, const SharesDirectory& directory) {
  bool is_foreseen = true;
  for (const auto& part : view.parts) {
    if (part.number == 0) continue;
    if (!part.view) {
      view.jobs.left += part.jobs.value_or(0);
      view.is_all = view.is_all && part.jobs;
      is_foreseen = false;
      continue;
    }
    const auto& run = *part.view;
    view.is_all = view.is_all && (run.unread.empty() || run.jobs.chosen() > 0);
    const bool is_open = run.jobs.left + run.jobs.running > 0;
    add(view.jobs, run.jobs);
    if (run.life.life != Life::working || !run.status) {
      is_foreseen = is_foreseen && !is_open;
      continue;
    }
    is_foreseen = is_foreseen && (!is_open || run.status->seconds_left);
    if (const auto rate = run.status->jobs_per_minute) view.jobs_per_minute = view.jobs_per_minute.value_or(0) + *rate;
    if (const auto left = run.status->seconds_left) view.seconds_left = std::max(view.seconds_left.value_or(0), *left);
  }
  if (!is_foreseen) view.seconds_left.reset();
  if (has_results_of_another_deal(view)) view.jobs = each_job_once(view, directory);
}

std::string mixed_deals(const SharesView& view) {
  std::vector<const SharePart*> shares;
  for (const auto& part : view.parts) {
    if (part.number > 0 && part.view && part.view->status) shares.push_back(&part);
  }
  if (shares.empty()) return "";
  const auto* last = *std::max_element(shares.begin(), shares.end(), [](const auto* one, const auto* other) {
    return one->view->status->started < other->view->status->started;
  });
  const auto only_of = [](const SharePart* part) { return only_in(part->view->status->selection); };
  std::erase_if(shares, [&](const auto* part) { return only_of(part) == only_of(last); });
  if (shares.empty()) return "";
  const auto more = shares.size() == 1 ? "" : fmt::format(" and {} more", shares.size() - 1);
  return fmt::format(
      "the last run of {}{} was of {}, that of {} of {}: jobs were dealt out differently, and until all have run "
      "with the same --only, a job may be in two shares, or in none",
      shares.front()->folder, more, of_which_jobs(only_of(shares.front())), last->folder, of_which_jobs(only_of(last)));
}

}  // namespace runner
