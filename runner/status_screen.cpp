// Lays out: the run in words, its tables, its workers, its features, its failures, what to do.
#include "runner/status_screen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/text_layout.hpp"
#include "runner/job_names.hpp"
#include "runner/progress.hpp"
#include "runner/shell_text.hpp"
#include "runner/status_parts.hpp"
#include "storage/columns.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

using results::grouped;

Style style_of(const StatusView& view) {
  switch (view.life.life) {
    case Life::died:
    case Life::silent:
      return Style::bad;
    case Life::ended:
      return view.status->exit_status == 0 ? Style::good : view.status->exit_status == 4 ? Style::strong : Style::bad;
    default:
      return Style::strong;
  }
}

std::string where_in_words(const RunStatus& status) {
  auto text = fmt::format(" | at work for {} on {}, process {}",
                          duration_text(static_cast<double>(status.written - status.started)), status.host, status.pid);
  if (!status.slurm_job.empty()) text += fmt::format(", Slurm job {}", status.slurm_job);
  if (status.slurm_restart > 0) text += fmt::format(" (restart {})", status.slurm_restart);
  return text;
}

/// " (2 workers at features)", since these are at no job.
std::string at_features(const StatusView& view) {
  std::size_t count = 0;
  if (!view.status) return "";
  for (const auto& worker : view.status->workers) count += worker.task && worker.task->key.empty() ? 1 : 0;
  return count == 0 ? "" : fmt::format(" ({} {} at features)", grouped(count), count == 1 ? "worker" : "workers");
}

/// "34 of 120 jobs done, 2 running, 1 failed, 83 left | 5.3 jobs/min | 16 min left".
std::string jobs_in_words(const StatusView& view) {
  const auto& jobs = view.jobs;
  auto text = fmt::format("{} of {} jobs done", grouped(jobs.committed()), grouped(jobs.chosen()));
  if (jobs.diverged > 0) text += fmt::format(" ({} diverged)", jobs.diverged);
  if (view.at_work) text += fmt::format(", {} running", grouped(jobs.running)) + at_features(view);
  text += fmt::format(", {} failed, {} left", grouped(jobs.failed), grouped(jobs.left));
  if (!view.at_work || !view.status) return text;
  if (view.status->jobs_per_minute) {
    const double rate = *view.status->jobs_per_minute;
    text += rate < 10 ? fmt::format(" | {:.1f} jobs/min", rate) : fmt::format(" | {:.0f} jobs/min", rate);
  }
  const bool is_of_now = view.life.life == Life::working;
  if (is_of_now && view.status->seconds_left.value_or(0) >= 1 && jobs.left + jobs.running > 0) {
    text += fmt::format(" | {} left", duration_text(*view.status->seconds_left));
  }
  if (view.status->deadline) {
    const auto left = static_cast<double>(*view.status->deadline - view.status->written);
    const auto then = storage::utc_text(*view.status->deadline);
    const auto clock = then.substr(0, 10) == storage::utc_text(view.status->written).substr(0, 10)
                           ? then.substr(11, 5)
                           : then.substr(0, 10) + " " + then.substr(11, 5);
    text += left > 0 ? fmt::format(" | its allocation ends at {} UTC, in {}", clock, duration_text(left))
                     : std::string(" | its allocation has ended");
    if (view.allocation_follows) text += "; then the next one goes on";
  }
  return text;
}

/// Of many files that cannot be read, the first tell enough on a screen.
void add_problems(std::vector<HeadItem>& items, const std::vector<std::string>& problems, bool all) {
  constexpr std::size_t kMostProblems = 4;
  const auto shown = all ? problems.size() : std::min(problems.size(), kMostProblems);
  for (std::size_t i = 0; i < shown; ++i) items.push_back({problems[i], Style::bad, HeadItem::Need::cut});
  if (shown < problems.size()) {
    items.push_back({fmt::format("and {} more problems", problems.size() - shown), Style::bad, HeadItem::Need::cut});
  }
}

std::vector<ScreenLine> head_of(const StatusView& view, ScreenSize size) {
  using Need = HeadItem::Need;
  std::vector<HeadItem> items;
  auto first = fmt::format("{}: {}", view.directory, view.headline);
  if (view.status && view.at_work) {
    const auto where = where_in_words(*view.status);
    const bool has_room = size.rows == 0 || size.rows > 12 || storage::columns_of(first + where) <= size.columns;
    if (has_room) first += where;
  }
  items.push_back({first, style_of(view)});
  if (view.jobs.chosen() > 0) items.push_back({jobs_in_words(view)});
  if (!view.selection.empty()) {
    const auto others = view.jobs.not_chosen == 0
                            ? ""
                            : fmt::format("; {} other jobs are not its business", grouped(view.jobs.not_chosen));
    items.push_back({fmt::format("run with {}{}", view.selection, others), Style::plain, Need::spare});
  }
  if (view.status && !view.status->faults.empty()) {
    items.push_back({rehearsal_in_words(view.status->faults), Style::bad, Need::cut});
  }
  if (!view.caution.empty()) items.push_back({view.caution, Style::bad});
  add_problems(items, view.problems, size.rows == 0);
  for (const auto& next : view.next) {
    const auto need = next.starts_with("because: ")  ? Need::cut
                      : next.starts_with("tables: ") ? Need::spare
                                                     : Need::whole;
    items.push_back({next, Style::plain, need});
  }
  return head_lines(items, size);
}

/// How to learn more, where there is something to learn.
std::string hint_of(const StatusView& view) {
  for (const auto& failure : view.failures) {
    if (failure.key.empty() || rank_of(failure) == 2) continue;
    return fmt::format("`plume-bench explain {} {}` says why, and what mends it", shell_word(view.directory),
                       failure.key.substr(0, kShortKey));
  }
  if (view.jobs.chosen() == view.jobs.committed() && view.life.life != Life::working) return "";
  return fmt::format("`plume-bench explain {} KEY` (or TABLE/ROW/COLUMN) says why a job (a cell) is not done",
                     shell_word(view.directory));
}

}  // namespace

std::vector<ScreenLine> screen_of(const StatusView& view, ScreenSize size) {
  size.columns = std::max(size.columns, kLeastColumns);
  return laid_out(head_of(view, size), parts_of(view, size.columns), hint_of(view), size);
}

}  // namespace runner
