// Keeps a seat for each worker and a count for each data set.
#include "runner/status_board.hpp"

#include <algorithm>
#include <cmath>

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

void StatusBoard::greeted(WorkerId worker, const workers::Hello& hello) {
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

void StatusBoard::gone(WorkerId worker, const std::string& why) {
  auto& status = seat(worker).status;
  if (status.state == WorkerState::set_aside) return;
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
    if (!source_of(task.what)) continue;
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
}

/// The worker's current task is over, if it is this attempt of it.
void StatusBoard::release(WorkerId worker, TaskId task, Attempt attempt) {
  auto& at = seat(worker);
  if (!at.status.task || at.task != task || at.attempt != attempt) return;
  at.status.task.reset();
  if (at.status.state == WorkerState::working) at.status.state = WorkerState::idle;
}

void StatusBoard::done(const Commit& done, const PlannedTask& task) {
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

void StatusBoard::unusable(const std::string& dataset, const std::string& why) {
  auto& status = features_[{dataset, ""}].status;
  status.dataset = dataset;
  status.ready = false;
  status.failure = one_line(why);
}

void StatusBoard::fill(RunStatus& status) const {
  status.committed = committed_;
  status.failed = failed_;
  status.feature_rows = feature_rows_;
  status.features.clear();
  for (const auto& [source, features] : features_) status.features.push_back(features.status);
  status.failures.assign(failures_.begin(), failures_.end());
  status.workers.clear();
  status.workers.reserve(seats_.size());
  for (const auto& [worker, seat] : seats_) {
    status.workers.push_back(seat.status);
    auto& written = status.workers.back();
    if (seat.heard >= 0) written.heard = wall_at(seat.heard);
    if (written.task) written.task->since = wall_at(seat.task_since);
  }
}

}  // namespace runner
