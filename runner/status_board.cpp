// Keeps a seat for each worker and a count for each data set.
#include "runner/status_board.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "storage/printable.hpp"
#include "sweeps/job.hpp"

namespace runner {
namespace {

constexpr std::size_t kFailuresKept = 10;
constexpr std::size_t kMostBytesOfAMessage = 1000;

std::string one_line(const std::string& text) {
  return storage::printable_line(text, kMostBytesOfAMessage);
}

const char* kind_of(const workers::Task& task) {
  constexpr const char* kKinds[] = {"scan", "extract", "assemble", "train"};
  return kKinds[task.index()];
}

/// Rows that a task looks at or makes.
std::int64_t rows_of(const workers::Task& task) {
  if (const auto* scan = std::get_if<workers::ScanTask>(&task)) return scan->count;
  const auto* part = std::get_if<workers::ExtractTask>(&task);
  return part == nullptr ? 0 : part->count;
}

/// Data set and backbone; the latter "" for a scan. Nothing for a training.
std::optional<std::pair<std::string, std::string>> source_of(const workers::Task& task) {
  if (const auto* scan = std::get_if<workers::ScanTask>(&task)) return std::pair(scan->data.spec.id, std::string());
  const workers::FeatureRecipe* recipe = nullptr;
  if (const auto* part = std::get_if<workers::ExtractTask>(&task)) recipe = &part->recipe;
  if (const auto* whole = std::get_if<workers::AssembleTask>(&task)) recipe = &whole->recipe;
  if (recipe == nullptr) return std::nullopt;
  return std::pair(recipe->data.spec.id, recipe->backbone);
}

int epochs_of(const workers::Task& task) {
  const auto* train = std::get_if<workers::TrainTask>(&task);
  return train != nullptr && sweeps::is_trained(train->job.method) ? train->job.training.epochs : 0;
}

std::string key_of(const workers::Task& task) {
  const auto* train = std::get_if<workers::TrainTask>(&task);
  return train == nullptr ? "" : sweeps::key_of(train->job).hex;
}

std::optional<double> finite(double number) {
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

double cost_of(const PlannedTask& task) {
  return std::holds_alternative<workers::TrainTask>(task.what) ? task.cost : 0;
}

/// Rows found done in the cache took no time: they are no progress of this run.
std::int64_t new_rows(const Commit& done, const workers::Task& task) {
  const auto* extracted = std::get_if<workers::Extracted>(&done.output);
  return extracted != nullptr && extracted->spent == workers::Spent{} ? 0 : rows_of(task);
}

}  // namespace

StatusBoard::Seat& StatusBoard::seat(WorkerId worker) {
  auto& seat = seats_[worker];
  seat.status.worker = worker.value;
  return seat;
}

void StatusBoard::expect(const std::vector<WorkerId>& workers) {
  for (const auto worker : workers) seat(worker);
}

void StatusBoard::account_for_task(const Seat& seat, Past& past) const {
  if (seat.status.task) (seat.source ? past.features : past.training) += now_ - seat.task_since;
}

void StatusBoard::leave(WorkerId worker) {
  auto& past = pasts_[worker];
  if (past.there_since < 0) return;
  account_for_task(seat(worker), past);
  past.there += now_ - past.there_since;
  past.there_since = -1;
}

std::vector<WorkerUse> StatusBoard::uses() const {
  std::vector<WorkerUse> uses;
  for (auto [worker, past] : pasts_) {
    const auto& seat = seats_.at(worker);
    if (past.there_since >= 0) {
      account_for_task(seat, past);
      past.there += now_ - past.there_since;
    }
    if (past.there <= 0) continue;
    uses.push_back({worker.value, seat.status.host, seat.status.gpu, seat.status.threads, past.there, past.training,
                    past.features});
  }
  return uses;
}

void StatusBoard::greeted(WorkerId worker, const workers::Hello& hello) {
  leave(worker);  // one that starts anew
  pasts_[worker].there_since = now_;
  Seat fresh;
  fresh.status.worker = worker.value;
  fresh.status.host = hello.host;
  fresh.status.threads = hello.threads;
  fresh.heard = now_;
  seats_[worker] = fresh;
}

void StatusBoard::placed(WorkerId worker, const std::optional<workers::Gpu>& gpu) {
  auto& status = seat(worker).status;
  status.state = WorkerState::idle;
  if (!gpu) return;
  status.gpu = gpu->uuid;
  status.gpu_name = gpu->name;
}

void StatusBoard::still(WorkerId worker, const workers::Stillness& still) {
  auto& at = seat(worker);
  if (!at.status.task) return;
  at.still_since = now_ - still.seconds;
  at.status.task->still = still;
}

void StatusBoard::gone(WorkerId worker, const std::string& why) {
  auto& status = seat(worker).status;
  if (status.state == WorkerState::set_aside) return;
  leave(worker);
  status.state = WorkerState::gone;
  status.why = one_line(why);
  status.task.reset();
}

void StatusBoard::set_aside(WorkerId worker, const std::string& why) {
  gone(worker, why);
  seat(worker).status.state = WorkerState::set_aside;
}

StatusBoard::Features& StatusBoard::features_of(const PlannedTask& task) {
  auto& features = features_[source_of(task.what).value()];
  std::tie(features.status.dataset, features.status.backbone) = *source_of(task.what);
  return features;
}

void StatusBoard::planned(const std::vector<PlannedTask>& tasks) {
  for (const auto& task : tasks) {
    if (!source_of(task.what)) {
      open_[task.id] = cost_of(task) * (1 - task.part_done);
      continue;
    }
    auto& features = features_of(task);
    features.status.rows += rows_of(task.what);
    features.status.ready = false;
    ++features.open_tasks;
  }
}

void StatusBoard::started(WorkerId worker, const PlannedTask& task, Attempt attempt) {
  auto& at = seat(worker);
  at.status.state = WorkerState::working;
  at.task = task.id;
  at.attempt = attempt;
  at.task_since = now_;
  at.first_epoch_at = -1;
  at.source = source_of(task.what);
  at.rows = rows_of(task.what);
  at.cost = cost_of(task);
  at.still_since = -1;
  at.resumed = false;
  WorkerTask what;
  what.kind = kind_of(task.what);
  what.name = task.name;
  what.key = key_of(task.what);
  what.attempt = attempt.value;
  what.epochs = epochs_of(task.what);
  at.status.task = std::move(what);
}

void StatusBoard::epoch(const ShowEpoch& show) {
  auto& at = seat(show.worker);
  if (!at.status.task || at.task != show.task || at.attempt != show.attempt) return;
  auto& task = *at.status.task;
  task.still.reset();
  task.epochs_done = std::max(task.epochs_done, show.epoch.epoch + 1);
  task.auc = show.epoch.auc() ? finite(*show.epoch.auc()) : std::nullopt;
  task.loss = show.epoch.losses ? finite(show.epoch.losses->total) : std::nullopt;
  if (at.first_epoch_at < 0) {
    at.first_epoch_at = now_;
    at.first_epoch = task.epochs_done;
    task.epoch_seconds = now_ - at.task_since;  // loading too: an upper bound until there is a second one
  } else if (task.epochs_done > at.first_epoch) {
    task.epoch_seconds = (now_ - at.first_epoch_at) / (task.epochs_done - at.first_epoch);
  }
}

void StatusBoard::resumed(WorkerId worker, const workers::Resumed& where) {
  auto& at = seat(worker);
  if (!at.status.task || at.task != where.task || at.attempt != where.attempt) return;
  at.status.task->epochs_done = where.epoch;
  at.resumed = true;
}

/// The worker's current task is over, if it is this attempt of it.
void StatusBoard::release(WorkerId worker, TaskId task, Attempt attempt) {
  auto& at = seat(worker);
  if (!at.status.task || at.task != task || at.attempt != attempt) return;
  account_for_task(at, pasts_[worker]);
  at.status.task.reset();
  if (at.status.state == WorkerState::working) at.status.state = WorkerState::idle;
}

/// How long what has ended took, by our clock.
void StatusBoard::time_of(const Commit& done, const PlannedTask& task) {
  const auto& at = seat(done.worker);
  if (!at.status.task || at.task != done.task || at.attempt != done.attempt) return;
  const double took = now_ - at.task_since;
  if (!at.source) {
    if (at.resumed) return;
    ++trained_;
    trained_cost_ += at.cost;
    seconds_ += took;
  } else if (const auto rows = new_rows(done, task.what); rows > 0) {
    auto& features = features_of(task);
    features.rows_timed += rows;
    ++features.tasks_timed;
    features.seconds += took;
  }
}

void StatusBoard::done(const Commit& done, const PlannedTask& task) {
  time_of(done, task);
  open_.erase(done.task);
  release(done.worker, done.task, done.attempt);
  if (!source_of(task.what)) {
    ++committed_;
    return;
  }
  feature_rows_ += new_rows(done, task.what);
  auto& features = features_of(task);
  features.status.rows_done += rows_of(task.what);
  features.status.ready = --features.open_tasks == 0;
}

void StatusBoard::failed(const RecordAttempt& record, const PlannedTask& task, const std::string& worker_name,
                         bool final) {
  const auto& at = seat(record.worker);
  const bool is_its = at.status.task && at.task == record.task && at.attempt == record.attempt;
  if (is_its && !at.source) seconds_ += now_ - at.task_since;
  if (final) open_.erase(record.task);
  release(record.worker, record.task, record.attempt);
  if (record.cause == workers::Cause::drained) return;  // it made way
  FailureStatus failure;
  failure.time = wall_;
  failure.name = task.name;
  failure.key = key_of(task.what);
  failure.attempt = record.attempt.value;
  failure.cause = workers::name_of(record.cause);
  failure.message = one_line(record.message);
  failure.worker = worker_name;
  failure.final = final;
  failures_.push_front(std::move(failure));
  if (failures_.size() > kFailuresKept) failures_.pop_back();
  if (!final) return;
  if (source_of(task.what)) {
    features_of(task).status.failure = one_line(record.message);
  } else if (!workers::is_infrastructure(record.cause)) {
    ++failed_;
  }
}

void StatusBoard::blocked(TaskId task) {
  open_.erase(task);
}

void StatusBoard::unusable(const std::string& dataset, const std::string& why) {
  auto& status = features_[{dataset, ""}].status;
  status.dataset = dataset;
  status.ready = false;
  status.failure = one_line(why);
}

std::optional<double> StatusBoard::seconds_left() const {
  constexpr double kLeastShare = 0.05;
  constexpr std::int64_t kLeastTrainings = 2;
  for (const auto& [source, features] : features_) {
    if (features.open_tasks > 0 && features.status.failure.empty()) return std::nullopt;
  }
  double cost = 0, longest = 0;
  for (const auto& [task, its_cost] : open_) cost += its_cost;
  std::size_t workers = 0;
  for (const auto& [worker, seat] : seats_) {
    const bool is_there = seat.status.state == WorkerState::idle || seat.status.state == WorkerState::working;
    workers += is_there ? 1 : 0;
    const auto open = seat.status.task ? open_.find(seat.task) : open_.end();
    if (open == open_.end() || seat.status.task->epochs == 0) continue;
    const double to_do = 1 - static_cast<double>(seat.status.task->epochs_done) / seat.status.task->epochs;
    const double left = std::min(open->second, seat.cost * to_do);
    cost -= open->second - left;
    longest = std::max(longest, left);
  }
  if (workers == 0 || trained_ < kLeastTrainings || trained_cost_ < kLeastShare * (trained_cost_ + cost)) return {};
  if (open_.empty() || seconds_ <= 0 || cost <= 0) return std::nullopt;
  const double a_cost = seconds_ / trained_cost_;
  return a_cost * std::max(longest, cost / static_cast<double>(std::min(workers, open_.size())));
}

/// Rows in a second and the time that is left, while workers are at this one.
void StatusBoard::foresee(const Source& source, const Features& features, FeatureStatus& status) const {
  constexpr std::int64_t kLeastTasks = 2;
  if (features.tasks_timed < kLeastTasks || features.seconds <= 0) return;
  const double a_row = features.seconds / static_cast<double>(features.rows_timed);
  double workers = 0, under_way = 0;
  for (const auto& [worker, seat] : seats_) {
    if (!seat.status.task || seat.source != source || seat.rows == 0) continue;
    workers += 1;
    under_way += std::min(now_ - seat.task_since, a_row * static_cast<double>(seat.rows));
  }
  if (workers == 0) return;
  status.rows_per_second = workers / a_row;
  const double left = a_row * static_cast<double>(status.rows - status.rows_done) - under_way;
  if (left > 0) status.seconds_left = left / workers;
}

void StatusBoard::fill(RunStatus& status) const {
  status.committed = committed_;
  status.failed = failed_;
  status.feature_rows = feature_rows_;
  status.features.clear();
  for (const auto& [source, features] : features_) {
    status.features.push_back(features.status);
    foresee(source, features, status.features.back());
  }
  status.failures.assign(failures_.begin(), failures_.end());
  status.workers.clear();
  status.workers.reserve(seats_.size());
  for (const auto& [worker, seat] : seats_) {
    status.workers.push_back(seat.status);
    auto& written = status.workers.back();
    if (seat.heard >= 0) written.heard = wall_at(seat.heard);
    if (!written.task) continue;
    written.task->since = wall_at(seat.task_since);
    if (written.task->still) written.task->still->seconds = now_ - seat.still_since;
  }
}

}  // namespace runner
