// One list after the other.
#include "runner/status_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "results/text_layout.hpp"
#include "runner/job_names.hpp"
#include "runner/progress.hpp"
#include "storage/columns.hpp"
#include "storage/machine.hpp"
#include "workers/fault_on_request.hpp"
#include "workers/gpu.hpp"

namespace runner {
namespace {

using results::grouped;

/// "3 done, 1 left" of what a list does not show.
std::string tally(const std::map<std::string, std::size_t>& kinds) {
  std::vector<std::string> words;
  for (const auto& [kind, count] : kinds) words.push_back(fmt::format("{} {}", grouped(count), kind));
  return fmt::format("{}", fmt::join(words, ", "));
}

bool is_complete(const TableView& table) {
  return table.counts.committed() == table.counts.chosen();
}

/// Those with something left first, each kind in the tables' order.
ScreenPart tables_part(const StatusView& view, std::size_t columns) {
  std::vector<const TableView*> tables;
  for (const auto& table : view.tables) {
    if (table.counts.chosen() > 0) tables.push_back(&table);
  }
  std::stable_sort(tables.begin(), tables.end(), [](auto a, auto b) { return is_complete(*a) < is_complete(*b); });
  ScreenPart part;
  part.titles = {"TABLE", "# done > running ! failed", "done", "running", "failed", "left"};
  part.columns = {{0, false, 20, 8}, {3}, {0, true}, {2, true}, {1, true}, {0, true}};
  const std::size_t bar = std::clamp<std::size_t>(columns / 3, 12, 60);
  for (const auto* table : tables) {
    const auto& counts = table->counts;
    part.items.push_back({{table->id, bar_of(counts, bar), grouped(counts.committed()), grouped(counts.running),
                           grouped(counts.failed), grouped(counts.left)},
                          counts.failed > 0     ? Style::bad
                          : is_complete(*table) ? Style::good
                                                : Style::plain});
  }
  part.more = [tables](std::size_t shown) {
    const auto complete = static_cast<std::size_t>(std::count_if(tables.begin() + static_cast<std::ptrdiff_t>(shown),
                                                                 tables.end(), [](auto t) { return is_complete(*t); }));
    const auto more = tables.size() - shown;
    return fmt::format("and {} more{}", more, complete == more ? ", complete" : "");
  };
  return part;
}

double seconds_silent(const StatusView& view, const WorkerStatus& worker) {
  return worker.heard == 0 ? 0 : static_cast<double>(view.status->written - worker.heard);
}

/// What a person would look at first: 0 before 1 before 2.
int telling(const StatusView& view, const WorkerStatus& worker) {
  if (worker.state == WorkerState::set_aside || worker.state == WorkerState::gone) return 0;
  if (worker.state == WorkerState::working) return trouble_of(view, worker).empty() ? 2 : 1;
  return worker.state == WorkerState::greeting ? 3 : 4;
}

std::string place_of(const WorkerStatus& worker) {
  if (worker.gpu.empty()) return worker.host.empty() ? "" : "CPU";
  return fmt::format("{} {}", workers::short_uuid(worker.gpu), worker.gpu_name);
}

std::string epoch_of(const WorkerTask& task) {
  return task.epochs == 0 ? "" : fmt::format("{}/{}", task.epochs_done, task.epochs);
}

std::string speed_of(const WorkerTask& task) {
  if (!task.epoch_seconds) return "";
  const double s = *task.epoch_seconds;
  if (s < 0.1) return fmt::format("{:.0f} ms", s * 1000);
  return s < 10 ? fmt::format("{:.1f} s", s) : duration_text(s);
}

std::string left_of(const WorkerTask& task) {
  if (!task.epoch_seconds || task.epochs_done >= task.epochs) return "";
  const double left = *task.epoch_seconds * (task.epochs - task.epochs_done);
  return left < 1 ? "< 1 s" : duration_text(left);
}

constexpr std::size_t kWorkerCells = 10;
constexpr std::size_t kNameInTrouble = 24;  // leaves room for what is wrong

ScreenItem worker_item(const StatusView& view, const WorkerStatus& worker) {
  ScreenItem item;
  item.cells.resize(kWorkerCells);
  item.cells[0] = std::to_string(worker.worker);
  item.cells[1] = worker.host;
  item.cells[2] = place_of(worker);
  item.cells[3] = name_of(worker.state);
  if (!worker.why.empty()) {
    item.cells[3] += ": " + worker.why;
    item.style = Style::bad;
  }
  if (!worker.task) return item;
  const auto& task = *worker.task;
  const auto again = task.attempt > 1 ? fmt::format(", try {}", task.attempt) : "";
  const auto trouble = trouble_of(view, worker);
  item.cells[3] = trouble.empty()
                      ? task.name + again
                      : fmt::format("{}: {}{}", trouble, storage::cut_middle(task.name, kNameInTrouble), again);
  if (!trouble.empty()) item.style = Style::bad;
  item.cells[4] = task.key.substr(0, kShortKey);
  item.cells[5] = duration_text(static_cast<double>(view.status->written - task.since));
  item.cells[6] = epoch_of(task);
  item.cells[7] = speed_of(task);
  if (trouble.empty()) item.cells[8] = left_of(task);
  if (task.auc) item.cells[9] = fmt::format("{:.1f}", 100 * *task.auc);
  return item;
}

/// Those that are lost take a third of the first lines at most, however many there are.
void keep_the_lost_short(std::vector<const WorkerStatus*>& workers, const StatusView& view) {
  constexpr std::ptrdiff_t kLostFirst = 5;
  const auto lost_end = std::find_if(workers.begin(), workers.end(), [&](auto w) { return telling(view, *w) > 0; });
  if (lost_end - workers.begin() > kLostFirst) std::rotate(workers.begin() + kLostFirst, lost_end, workers.end());
}

ScreenPart workers_part(const StatusView& view) {
  ScreenPart part;
  part.titles = {"WORKER",   "host", "on",     view.at_work ? "job" : "was at", "key", "for", "epoch",
                 "an epoch", "left", "AUROC %"};
  part.columns = {{0, true}, {4, false, 12}, {5, false, 12}, {0, false, 60, 10, true}, {3}, {7, true}, {0, true},
                  {6, true}, {2, true},      {8, true}};
  // Of a run that ended, nobody is anywhere; of one that died, those who were at work are of interest.
  const bool died = view.life.life == Life::died;
  if (!view.status || !(view.at_work || died)) return part;
  std::vector<const WorkerStatus*> workers;
  for (const auto& worker : view.status->workers) {
    if (view.at_work || worker.task) workers.push_back(&worker);
  }
  std::stable_sort(workers.begin(), workers.end(),
                   [&](auto a, auto b) { return telling(view, *a) < telling(view, *b); });
  keep_the_lost_short(workers, view);
  std::map<std::string, std::size_t> kinds;
  for (const auto* worker : workers) {
    part.items.push_back(worker_item(view, *worker));
    ++kinds[std::string(name_of(worker->state))];
  }
  std::vector<WorkerState> states;
  for (const auto* worker : workers) states.push_back(worker->state);
  part.more = [states](std::size_t shown) {
    std::map<std::string, std::size_t> rest;
    for (std::size_t i = shown; i < states.size(); ++i) ++rest[std::string(name_of(states[i]))];
    return fmt::format("and {} more: {}", grouped(states.size() - shown), tally(rest));
  };
  return part;
}

std::string rows_speed(const FeatureStatus& features) {
  if (!features.rows_per_second) return "";
  const double rate = *features.rows_per_second;
  return rate < 10 ? fmt::format("{:.1f}", rate) : grouped(static_cast<std::uint64_t>(rate));
}

ScreenPart features_part(const StatusView& view) {
  ScreenPart part;
  part.titles = {"FEATURES", "", "rows", "of", "rows/s", "left", ""};
  part.columns = {{0, false, 20, 10}, {1, true}, {0, true}, {0, true}, {4, true}, {3, true}, {2, false, 20}};
  if (!view.status) return part;
  for (const auto& features : view.status->features) {
    if (features.ready || (!view.at_work && features.failure.empty())) continue;
    const double share =
        features.rows == 0 ? 0 : 100.0 * static_cast<double>(features.rows_done) / static_cast<double>(features.rows);
    const auto what = features.backbone.empty() ? "scan of " + features.dataset
                                                : fmt::format("{} through {}", features.dataset, features.backbone);
    part.items.push_back(
        {{what, fmt::format("{:.0f} %", share), grouped(static_cast<std::uint64_t>(features.rows_done)),
          grouped(static_cast<std::uint64_t>(features.rows)), rows_speed(features),
          features.seconds_left.value_or(0) < 1 ? "" : duration_text(*features.seconds_left),
          features.failure.empty() ? "" : "cannot be made: " + features.failure},
         features.failure.empty() ? Style::plain : Style::bad});
  }
  const auto all = part.items.size();
  part.more = [all](std::size_t shown) { return fmt::format("and {} more", all - shown); };
  return part;
}

ScreenPart failure_part(const char* title, const std::vector<FailureView>& failures, std::size_t failures_more) {
  ScreenPart part;
  const bool of_several =
      std::any_of(failures.begin(), failures.end(), [](const auto& f) { return !f.directory.empty(); });
  part.titles = {title, of_several ? "in" : "", "key", "tries", "now", "at", "worker", "cause"};
  part.columns = {{0, false, 24, 10, true}, {0, false, 12},    {2}, {5, true}, {3}, {6},
                  {7, false, 12},           {0, false, 30, 10}};
  std::vector<std::string> fates;
  for (const auto& failure : failures) {
    const auto time = failure.time ? storage::utc_text(*failure.time).substr(11, 9) : std::string();
    ScreenItem item;
    fates.push_back(fate_of(failure));
    item.cells = {failure.name,
                  failure.directory,
                  failure.key.substr(0, kShortKey),
                  std::to_string(failure.tries),
                  fates.back(),
                  time,
                  failure.worker,
                  failure.cause};
    item.below = failure.message;
    item.style = rank_of(failure) == 0 ? Style::bad : Style::plain;
    part.items.push_back(std::move(item));
  }
  part.rest = failures_more;
  part.more = [fates, failures_more](std::size_t shown) {
    std::map<std::string, std::size_t> kinds;
    for (std::size_t i = shown; i < fates.size(); ++i) ++kinds[fates[i]];
    const auto more = fates.size() - shown + failures_more;
    return failures_more > 0 ? fmt::format("and {} more", grouped(more))
                             : fmt::format("and {} more: {}", more, tally(kinds));
  };
  return part;
}

}  // namespace

std::string trouble_of(const StatusView& view, const WorkerStatus& worker) {
  constexpr double kLong = 20, kLeast = 10, kShare = 0.25;
  if (worker.state != WorkerState::working) return "";
  const double silent = seconds_silent(view, worker);
  if (silent > kLong) return fmt::format("silent for {}", duration_text(silent));
  if (!worker.task || !worker.task->still) return "";
  const auto& still = *worker.task->still;
  if (still.seconds < std::max(kLeast, kShare * still.allowed)) return "";
  return fmt::format("{} {}, killed at {}", still.moved ? "no step for" : "loading for", duration_text(still.seconds),
                     duration_text(still.allowed));
}

std::vector<ScreenPart> failure_parts(const std::vector<FailureView>& failures, std::size_t failures_more) {
  std::vector<FailureView> given_up, run_again;
  for (const auto& failure : failures) (rank_of(failure) == 0 ? given_up : run_again).push_back(failure);
  // They come in this order: those that are not among them are of the last kind, and maybe of both.
  const bool is_of_first = run_again.empty();
  return {failure_part("FAILURE", given_up, is_of_first ? failures_more : 0),
          failure_part("INTERRUPTED, RUN AGAIN", run_again, is_of_first ? 0 : failures_more)};
}

std::string rehearsal_in_words(const std::string& faults) {
  return fmt::format("a rehearsal, failures are deliberate: {}={}", workers::kFaultVariable, faults);
}

std::string bar_of(const JobCounts& counts, std::size_t width) {
  constexpr std::string_view kSigns = "#>!.";
  const std::array<std::size_t, 4> parts = {counts.committed(), counts.running, counts.failed, counts.left};
  const std::size_t total = counts.chosen(), inside = width < 3 ? 1 : width - 2;
  std::array<std::size_t, 4> cells{};
  if (total == 0) return "[" + std::string(inside, ' ') + "]";
  std::size_t used = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    cells[i] = parts[i] * inside / total;
    if (parts[i] > 0 && cells[i] == 0) cells[i] = 1;
    used += cells[i];
  }
  // What rounding left over goes to the largest part, and what it took too much comes from there.
  const auto largest = static_cast<std::size_t>(std::max_element(cells.begin(), cells.end()) - cells.begin());
  cells[largest] = cells[largest] + inside - std::min(used, cells[largest] + inside);
  std::string bar = "[";
  for (std::size_t i = 0; i < cells.size(); ++i) bar.append(cells[i], kSigns[i]);
  bar.resize(std::min(bar.size(), inside + 1), ' ');
  return bar + "]";
}

std::vector<ScreenPart> parts_of(const StatusView& view, std::size_t columns) {
  std::vector<ScreenPart> parts = {tables_part(view, columns), workers_part(view), features_part(view)};
  for (auto& part : failure_parts(view.failures, view.failures_more)) parts.push_back(std::move(part));
  return parts;
}

}  // namespace runner
