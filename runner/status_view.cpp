// Says how a run is in words, and what its user can do.
#include "runner/status_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "runner/job_names.hpp"
#include "runner/progress.hpp"
#include "runner/sweep_run.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

constexpr std::size_t kFailuresShown = 10;

std::string in_words(RunPhase phase) {
  switch (phase) {
    case RunPhase::starting:
      return "starting";
    case RunPhase::scanning:
      return "scanning images";
    case RunPhase::extracting:
      return "making features";
    case RunPhase::training:
      return "training";
    case RunPhase::draining:
      return "draining (running jobs may end, no new one starts)";
    case RunPhase::reporting:
      return "writing its report";
    case RunPhase::ended:
      break;
  }
  return "ended";
}

std::string of_status(const RunStatus& status) {
  const auto slurm = status.slurm_job.empty() ? "" : fmt::format(", Slurm job {}", status.slurm_job);
  return fmt::format("{} (process {}{})", status.host, status.pid, slurm);
}

/// By exit status; see runner/README.md.
std::string end_in_words(const RunStatus& status, const JobCounts& jobs) {
  const auto when = ago(static_cast<double>(storage::unix_now() - status.written));
  switch (static_cast<Exit>(status.exit_status.value_or(static_cast<int>(Exit::broke)))) {
    case Exit::complete:
      return (jobs.committed() == jobs.chosen() && jobs.not_chosen == 0 ? "complete; ended "
                                                                        : "did all that was asked; ended ") +
             when;
    case Exit::failed_cells:
      return fmt::format("ended {}; {} job(s) failed", when, jobs.failed);
    case Exit::drained:
      return fmt::format("drained {}; {} job(s) left", when, jobs.left);
    case Exit::usage:
      return "refused " + when;
    case Exit::broke:
      break;
  }
  return "broke " + when;
}

std::string headline_of(const RunPicture& picture, const JobCounts& jobs) {
  const auto& status = *picture.status;
  const auto& life = picture.life;
  switch (life.life) {
    case Life::not_started:
      return "nothing has run here yet";
    case Life::unknown:
      return jobs.chosen() > 0 && jobs.committed() == jobs.chosen()
                 ? "complete"
                 : "not at work; how the last run ended is not on record";
    case Life::died:
      return status ? fmt::format("died: no sign of life for {}", duration_text(life.silent_seconds)) : "died";
    case Life::silent:
      return fmt::format("{}, it seems: but no sign of life for {}", in_words(status->phase),
                         duration_text(life.silent_seconds));
    case Life::ended:
      return end_in_words(*status, jobs);
    case Life::working:
      break;
  }
  if (!status) return "at work, but it says nothing of itself (no status.json)";
  return in_words(status->phase);
}

std::string caution_of(const RunPicture& picture) {
  const auto& life = picture.life;
  if (!life.by_another_clock || life.life == Life::working || !*picture.status) return "";
  return fmt::format(
      "that is by the clocks of two machines; whether {} lives cannot be seen from here: `plume-bench status --watch` "
      "tells within {:.0f} s",
      of_status(**picture.status), kSilentSeconds);
}

std::string go_on(const RunPicture& picture, const char* sentence, const std::string& more = "") {
  const auto command = command_again(picture, more);
  return command.empty() ? std::string(sentence) : fmt::format("{}: {}", sentence, command);
}

void say_next_of_failures(const RunPicture& picture, const StatusView& view, std::vector<std::string>& next) {
  if (view.jobs.failed == 0 || is_at_work(picture)) return;
  next.push_back(go_on(picture, "failed jobs run again with --retry-failed", "--retry-failed"));
}

std::vector<std::string> next_of(const RunPicture& picture, const StatusView& view) {
  const auto& status = *picture.status;
  const auto directory = picture.directory.string();
  std::vector<std::string> next;
  switch (picture.life.life) {
    case Life::not_started:
      return {fmt::format("`plume-bench run SWEEP --out {}` begins", directory)};
    case Life::silent:
      if (!picture.life.by_another_clock) {
        next.push_back(fmt::format("it may have been stopped, or its disk may hang: look at process {} on {}",
                                   status->pid, status->host));
      }
      break;
    case Life::died:
      next.push_back(go_on(picture, "nothing that was committed is lost; the same command goes on"));
      break;
    case Life::unknown:
      if (view.jobs.left > 0) next.push_back(go_on(picture, "the same command goes on"));
      break;
    case Life::ended:
      if (!status->why.empty()) next.push_back("because: " + status->why);
      if (view.jobs.left > 0) next.push_back(go_on(picture, "the same command goes on with what is left"));
      if (view.jobs.committed() > 0) next.push_back(fmt::format("tables: {}/report/index.md", directory));
      break;
    case Life::working:
      break;
  }
  say_next_of_failures(picture, view, next);
  return next;
}

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

std::string since_then(const RunPicture& picture, const JobStates& states, const std::string& key, int attempt) {
  const auto* history = picture.history->find({key});
  if (history != nullptr && history->done && history->done->attempt > attempt) return "done meanwhile";
  const auto* worker = states.worker_at({key});
  if (worker != nullptr && worker->task->attempt > attempt) return "runs again";
  return "";
}

FailureView view_of_failure(const RunPicture& picture, const JobStates& states, const FailureStatus& failure) {
  return {failure.time,    failure.name,  failure.key,
          failure.attempt, failure.cause, failure.message,
          failure.worker,  failure.final, since_then(picture, states, failure.key, failure.attempt)};
}

/// Jobs that an earlier run gave up, the last one first; the journal keeps no time of it.
void add_earlier_failures(const RunPicture& picture, const std::map<std::string, std::string>& names,
                          StatusView& view) {
  std::set<std::string> shown;
  for (const auto& failure : view.failures) shown.insert(failure.key);
  const auto& keys = picture.history->failures();
  for (auto key = keys.rbegin(); key != keys.rend() && view.failures.size() < kFailuresShown; ++key) {
    const auto* history = picture.history->find(*key);
    const auto name = names.find(key->hex);
    if (!history->failed || name == names.end() || !shown.insert(key->hex).second) continue;
    FailureView failure;
    failure.name = name->second;
    failure.key = key->hex;
    failure.attempt = history->failed->attempt;
    failure.cause = history->failed->cause;
    failure.message = history->failed->message;
    failure.final = true;
    view.failures.push_back(std::move(failure));
  }
}

std::map<std::string, std::string> names_by_key(const RunPicture& picture) {
  std::map<std::string, std::string> names;
  for (std::size_t p = 0; p < picture.plans->size(); ++p) {
    const auto& keys = (*picture.plans)[p].keys;
    for (std::size_t job = 0; job < keys.size(); ++job) names[keys[job].hex] = (*picture.names)[p][job];
  }
  return names;
}

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string ago(double seconds) {
  constexpr double kNow = 5;
  return seconds < kNow ? "just now" : duration_text(seconds) + " ago";
}

std::string command_again(const RunPicture& picture, const std::string& more) {
  std::string text;
  for (const auto& word : picture.facts->command) text += (text.empty() ? "" : " ") + quoted(word);
  const auto& command = picture.facts->command;
  if (text.empty() || more.empty() || std::find(command.begin(), command.end(), more) != command.end()) return text;
  return text + " " + more;
}

StatusView view_of(const RunPicture& picture) {
  const JobStates states(picture);
  StatusView view;
  view.directory = picture.directory.string();
  view.life = picture.life;
  view.status = *picture.status;
  view.at_work = is_at_work(picture);
  view.sweeps = *picture.sweeps;
  view.problems = picture.problems;
  if (view.status) view.selection = view.status->selection;
  for (std::size_t p = 0; p < picture.plans->size(); ++p) {
    for (const auto& table : (*picture.plans)[p].tables) {
      view.tables.push_back({table.id, counts_of(states, p, jobs_of(table))});
    }
  }
  const bool has_plan = !picture.plans->empty() && (!view.status || states.plan_of_run() >= 0);
  if (has_plan) view.jobs = all_jobs(picture, states);
  if (!has_plan && view.status) view.jobs = counts_of_status(*view.status);
  if (view.status) {
    for (const auto& failure : view.status->failures)
      view.failures.push_back(view_of_failure(picture, states, failure));
  }
  add_earlier_failures(picture, names_by_key(picture), view);
  view.headline = headline_of(picture, view.jobs);
  view.caution = caution_of(picture);
  view.next = next_of(picture, view);
  return view;
}

}  // namespace runner
