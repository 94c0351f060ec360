// Standing by standing.
#include "runner/shares_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runner/progress.hpp"
#include "runner/shell_text.hpp"
#include "runner/status_parts.hpp"
#include "runner/status_words.hpp"
#include "storage/columns.hpp"

namespace runner {
namespace {

/// What is wrong with the first of its workers that something is wrong with; "" for none.
std::string trouble_of(const StatusView& view) {
  if (!view.status || !view.at_work) return "";
  if (view.life.life == Life::silent) {
    return fmt::format("no sign of life for {}", duration_text(view.life.silent_seconds));
  }
  for (const auto& worker : view.status->workers) {
    const auto trouble = trouble_of(view, worker);
    if (!trouble.empty()) return fmt::format("worker {}: {}", worker.worker, trouble);
  }
  return "";
}

/// " (67 %)" of the rows of its feature sets and scans.
std::string rows_in_words(const StatusView& view) {
  if (!view.status || !view.at_work) return "";
  std::int64_t done = 0, all = 0;
  for (const auto& features : view.status->features) {
    done += features.rows_done;
    all += features.rows;
  }
  return done < all ? fmt::format(": {:.0f} %", 100.0 * static_cast<double>(done) / static_cast<double>(all)) : "";
}

bool waits(const StatusView& view) {
  return view.following == Following::next_allocation || view.following == Following::a_word;
}

bool runs(const SharePart& part) {
  return part.queue && std::any_of(part.queue->begin(), part.queue->end(), [](const auto& job) { return job.running; });
}

/// "queued: Priority", in Slurm's own word; "" where nobody has said that it waits or starts.
std::string queue_in_words(const SharePart& part) {
  const auto* waiting = part.queue ? waiting_of(*part.queue) : nullptr;
  if (waits_for_ever(part)) return "never starts: features failed";
  if (waiting != nullptr) return waiting->reason.empty() ? "queued" : "queued: " + waiting->reason;
  return runs(part) ? "starting: no run yet" : "";
}

bool is_at(const SharesView& view, Standing standing) {
  return std::any_of(view.parts.begin(), view.parts.end(),
                     [&](const auto& part) { return part.number > 0 && standing_of(part) == standing; });
}

const SharePart* features_of(const SharesView& view) {
  const bool has_them = !view.parts.empty() && view.parts.front().number == 0;
  return has_them ? &view.parts.front() : nullptr;
}

/// Why a part came to nothing, and where more is to be read.
std::string cause_of(const SharePart& part, const SharesView& view) {
  if (part.stop) return fmt::format("{} ({})", part.stop->line, part.stop->output.string());
  const auto folder = shell_word(view.directory + "/" + part.folder);
  const auto& status = part.view->status;
  if (status && !status->why.empty()) return fmt::format("{} ({}/logs/run.log)", status->why, folder);
  // A run that was refused says why to its script alone.
  const auto task = part.number == 0 ? std::string("features-*") : fmt::format("share-*_{}", part.number);
  return fmt::format("{} ({}/slurm/plume-*-{}.out says why)", part.view->headline, shell_word(view.directory), task);
}

void say_next_of_features(const SharesView& view, std::vector<std::string>& next) {
  if (!features_failed(view)) return;
  next.push_back("features failed: " + cause_of(*features_of(view), view));
  if (view.submit.empty()) return;
  const auto first =
      view.waiting_for_ever ? "scancel the shares that `squeue --me` still shows waiting for them, and " : "";
  next.push_back(fmt::format("no share starts without them: once that is mended, {}type {}", first, view.submit));
}

void say_next_of_those_not_begun(const SharesView& view, std::vector<std::string>& next) {
  const auto* features = features_of(view);
  const bool all_quiet = std::all_of(view.parts.begin(), view.parts.end(), [](const auto& part) {
    const auto standing = standing_of(part);
    return standing == Standing::not_begun || standing == Standing::complete;
  });
  if (view.submit.empty() || !all_quiet || !is_at(view, Standing::not_begun)) return;
  const bool queue_is_known = std::all_of(view.parts.begin(), view.parts.end(), [](const auto& part) {
    return standing_of(part) != Standing::not_begun || part.queue;
  });
  if (!has_anything_run(view) && queue_is_known) {
    next.push_back(fmt::format("nothing has run yet: `{}` starts it: Slurm's queue has no job of it", view.submit));
  } else if (!has_anything_run(view)) {
    next.push_back(
        fmt::format("nothing has run yet: `{}` starts it, unless `squeue --me` shows that it waits in the "
                    "queue already",
                    view.submit));
  } else if (!queue_is_known) {
    next.push_back(
        fmt::format("{}shares that have not begun start by themselves, if `squeue --me` shows them; if not: {}",
                    features != nullptr ? "the features are made; " : "", view.submit));
  }
}

bool was_cancelled_before_its_run(const SharePart& part) {
  return part.stop && part.stop->told_to_end;
}

void say_next_of_killed(const SharesView& view, std::vector<std::string>& next) {
  for (const auto& part : view.parts) {
    if (standing_of(part) != Standing::killed || is_gone(part)) continue;
    const auto line = view.submit.empty() ? "" : "; if not: " + view.submit;
    const auto why = was_cancelled_before_its_run(part) ? "cancelled before its run began" : "a failed node or scancel";
    next.push_back(fmt::format("{}: {}: goes on by itself if `squeue --me` shows it{}", part.folder, why, line));
    return;
  }
}

/// Slurm does not start it any more, though nothing of it failed.
bool is_gone_unfinished(const SharePart& part) {
  const auto standing = standing_of(part);
  return is_gone(part) && (standing == Standing::not_begun || standing == Standing::killed);
}

/// Of features that no run has begun to make, say_next_of_those_not_begun speaks, or they were made in another way.
void say_next_of_gone_features(const SharesView& view, std::vector<std::string>& next) {
  const auto* features = features_of(view);
  const bool were_begun = features != nullptr && standing_of(*features) == Standing::killed;
  if (!were_begun || view.submit.empty() || !is_gone(*features)) return;
  const auto what = was_cancelled_before_its_run(*features)
                        ? "were cancelled before their run began, and are not in Slurm's queue;"
                        : "are not in Slurm's queue (cancelled?), and";
  next.push_back(fmt::format("the features {} no share starts without them; this goes on with all that is left: {}",
                             what, view.submit));
}

/// Of shares; those whose features are open wait for these.
void say_next_of_gone(const SharesView& view, std::vector<std::string>& next) {
  const auto* features = features_of(view);
  const bool wait_for_features = features != nullptr && standing_of(*features) != Standing::complete &&
                                 !(standing_of(*features) == Standing::not_begun && is_gone(*features));
  if (view.submit.empty() || !has_anything_run(view) || wait_for_features) return;
  std::vector<const SharePart*> gone;
  for (const auto& part : view.parts) {
    if (part.number > 0 && is_gone_unfinished(part)) gone.push_back(&part);
  }
  if (gone.empty()) return;
  const bool before_their_runs =
      std::all_of(gone.begin(), gone.end(), [](const auto* part) { return was_cancelled_before_its_run(*part); });
  const bool is_one = gone.size() == 1;
  const auto who = is_one ? gone.front()->folder : fmt::format("{} and {} more", gone.front()->folder, gone.size() - 1);
  const auto cancelled = is_one ? "was cancelled before its run began, and is not in Slurm's queue"
                                : "were cancelled before their runs began, and are not in Slurm's queue";
  const auto absent = is_one ? "is not in Slurm's queue (cancelled?)" : "are not in Slurm's queue (cancelled?)";
  next.push_back(fmt::format("{} {}; this goes on with all that is left: {}", who,
                             before_their_runs ? cancelled : absent, view.submit));
}

void say_next_of_those_waiting_for_ever(const SharesView& view, std::vector<std::string>& next) {
  if (features_failed(view) || view.submit.empty() || !is_at(view, Standing::for_ever)) return;
  next.push_back(
      fmt::format("shares wait in Slurm's queue for features that failed ({}), and never start: scancel them "
                  "(`squeue --me`), and type {}",
                  kNeverSatisfied, view.submit));
}

/// Of the first share that came to an end before its time.
void say_next_of_stopped(const SharesView& view, std::vector<std::string>& next) {
  const SharePart* first = nullptr;
  for (const auto& part : view.parts) {
    const auto standing = standing_of(part);
    const bool needs_somebody = standing == Standing::in_trouble || standing == Standing::stopped ||
                                (standing == Standing::failed && view.submit.empty());
    const bool is_said = part.number == 0 && features_failed(view);
    if (needs_somebody && !is_said && (first == nullptr || standing < standing_of(*first))) first = &part;
  }
  if (first == nullptr) return;
  if (first->stop) next.push_back(fmt::format("{}: {}", first->folder, cause_of(*first, view)));
  const bool at_work = first->view && first->view->at_work;
  const auto submit =
      view.submit.empty() || at_work ? "" : fmt::format("; `{}` goes on with all that is left", view.submit);
  next.push_back(fmt::format("{} {}: `plume-bench status {}` says what to do{}", first->folder,
                             name_of(standing_of(*first)), shell_word(view.directory + "/" + first->folder), submit));
}

void say_next_of_failed_jobs(const SharesView& view, std::vector<std::string>& next) {
  if (view.jobs.failed == 0 || view.submit.empty()) return;
  const bool later = is_at(view, Standing::at_work) || is_at(view, Standing::waiting) ||
                     is_at(view, Standing::queued) || is_at(view, Standing::starting);
  next.push_back(fmt::format("failed jobs run again{} with: {} --retry-failed",
                             later ? ", once no share is at work or waits to go on," : "", view.submit));
}

}  // namespace

std::string_view name_of(Standing standing) {
  constexpr std::array<std::string_view, kStandings> kNames{
      "cannot be seen", "in trouble", "with failed jobs", "killed",       "waiting for ever", "at work",
      "stopped",        "starting",   "waiting to go on", "in the queue", "not begun",        "complete"};
  return kNames[static_cast<std::size_t>(standing)];
}

bool is_complete(int number, const StatusView& view) {
  if (view.at_work) return false;
  if (number == 0) return view.status && view.status->exit_status == 0;
  return view.jobs.chosen() > 0 && view.jobs.committed() == view.jobs.chosen();
}

bool waits_for_ever(const SharePart& part) {
  const auto* waiting = part.queue ? waiting_of(*part.queue) : nullptr;
  return waiting != nullptr && waiting->reason == kNeverSatisfied;
}

bool is_gone(const SharePart& part) {
  return part.queue && part.queue->empty();
}

Standing standing_of(const SharePart& part) {
  if (part.stop) return part.stop->told_to_end ? Standing::killed : Standing::in_trouble;
  if (part.view && !part.view->unread.empty() && !part.view->at_work) return Standing::unread;
  if (part.view && is_complete(part.number, *part.view)) return Standing::complete;
  if (waits_for_ever(part)) return Standing::for_ever;
  const bool waits_in_queue = part.queue && waiting_of(*part.queue) != nullptr;
  if (!part.view) return waits_in_queue ? Standing::queued : runs(part) ? Standing::starting : Standing::not_begun;
  const auto& view = *part.view;
  const int exit_status = view.status ? view.status->exit_status.value_or(-1) : -1;
  const bool has_failed_jobs = view.jobs.failed > 0 && part.number > 0;
  if (has_failed_jobs && !trouble_of(view).empty()) return Standing::in_trouble;
  if (view.following == Following::nobody) return Standing::killed;
  if (goes_on_by_itself(view.following)) {
    if (has_failed_jobs) return Standing::failed;
    return waits(view)                             ? Standing::waiting
           : view.following == Following::starting ? Standing::starting
                                                   : Standing::queued;
  }
  const bool broke = view.life.life == Life::ended && (exit_status == 1 || exit_status == 2);
  if (view.life.life == Life::died || broke || !trouble_of(view).empty()) return Standing::in_trouble;
  if (has_failed_jobs) return Standing::failed;
  return view.at_work ? Standing::at_work : Standing::stopped;
}

std::string state_of(const SharePart& part) {
  if (part.stop) return part.stop->told_to_end ? "cancelled before its run" : "could not start";
  const auto queue = queue_in_words(part);
  if (!part.view) return !queue.empty() ? queue : is_gone(part) ? "not begun, not queued" : "not begun";
  const auto& view = *part.view;
  if (const auto trouble = trouble_of(view); !trouble.empty()) return trouble;
  if (standing_of(part) == Standing::complete) return "complete";
  if (standing_of(part) == Standing::unread) return "cannot be seen";
  switch (view.following) {
    case Following::queued:
    case Following::starting:
      return queue;
    case Following::next_allocation:
      if (part.queue && waiting_of(*part.queue) != nullptr) return queue;
      return "goes on by itself: " + view.headline.substr(0, view.headline.find(';'));
    case Following::a_word:
      return "its script has yet to say";
    case Following::nobody:
      if (is_gone(part)) return "not queued; " + view.headline.substr(0, view.headline.find_first_of(";("));
      return view.headline.substr(0, view.headline.find(" and given up")) + "; `squeue --me` tells more";
    default:
      // What is beside the point goes before the column is cut: "drained 3 min ago; its batch script has yet to say".
      return view.headline.substr(0, std::min(view.headline.find("; "), view.headline.find(": its "))) +
             rows_in_words(view);
  }
}

std::string short_state_of(const std::string& state, std::size_t columns) {
  if (storage::columns_of(state) <= columns) return state;
  for (auto at = state.find_last_of(",;:("); at != std::string::npos && at > 0;
       at = state.find_last_of(",;:(", at - 1)) {
    auto part = state.substr(0, at);
    part.erase(part.find_last_not_of(" ,;:(") + 1);
    if (!part.empty() && storage::columns_of(part) <= columns) return part;
  }
  return state;
}

std::string cause_in_words(const SharePart& part) {
  if (part.stop) return part.stop->told_to_end ? "" : part.stop->line;
  const bool needs_somebody = standing_of(part) == Standing::in_trouble && part.view && !part.view->at_work;
  return needs_somebody && part.view->status ? part.view->status->why : "";
}

bool features_failed(const SharesView& view) {
  const auto* features = features_of(view);
  if (features == nullptr) return false;
  const auto standing = standing_of(*features);
  const bool is_over = !features->view || !features->view->at_work;
  const bool came_to_nothing = standing == Standing::in_trouble || standing == Standing::stopped;
  const auto ended = view.jobs.committed() + view.jobs.failed;
  return is_over && came_to_nothing && ended < std::max<std::size_t>(view.jobs.chosen(), 1);
}

bool has_anything_run(const SharesView& view) {
  return std::any_of(view.parts.begin(), view.parts.end(), [](const auto& part) { return part.view || part.stop; });
}

std::vector<std::string> next_of(const SharesView& view) {
  std::vector<std::string> next;
  say_next_of_features(view, next);
  say_next_of_those_not_begun(view, next);
  say_next_of_stopped(view, next);
  say_next_of_killed(view, next);
  say_next_of_gone_features(view, next);
  say_next_of_gone(view, next);
  say_next_of_those_waiting_for_ever(view, next);
  say_next_of_failed_jobs(view, next);
  return next;
}

}  // namespace runner
