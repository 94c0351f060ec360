// Text to status: everything is checked before it is believed, since a copy of a directory may hold half a file, and
// another version other keys.
#include <fmt/format.h>

#include <array>

#include "runner/status_file.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

using storage::JsonValue;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;
constexpr std::size_t kMostValues = std::size_t{4} << 20;
constexpr std::size_t kMostWorkers = 100'000;
constexpr std::size_t kMostFailures = 1'000;
constexpr std::size_t kMostFeatures = 10'000;
constexpr std::size_t kMostWords = 10'000;
constexpr std::int64_t kMost = std::int64_t{1} << 53;

int whole(const JsonValue& value, int least = 0) {
  return static_cast<int>(value.integer(least, INT32_MAX));
}

std::int64_t time_of(const JsonValue& value) {
  const auto text = value.string();
  const auto seconds = storage::utc_seconds(text);
  if (!seconds) value.fail("expected a time like 2026-11-27T20:15:03Z, found " + storage::in_quotes(text));
  return *seconds;
}

std::string text_in(const JsonValue& object, std::string_view key) {
  const auto found = object.find(key);
  return found ? found->string() : "";
}

std::optional<double> number_in(const JsonValue& object, std::string_view key) {
  const auto found = object.find(key);
  return found && !found->is_null() ? std::optional(found->number()) : std::nullopt;
}

template <typename Enum>
Enum one_of(const JsonValue& value, Enum last) {
  const auto text = value.string();
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name_of(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
  }
  value.fail("found " + storage::in_quotes(text) + ", which this plume-bench does not know");
}

WorkerTask read_task(const JsonValue& value) {
  WorkerTask task;
  task.kind = value.at("kind").string();
  task.name = value.at("name").string();
  task.key = text_in(value, "key");
  task.attempt = whole(value.at("attempt"), 1);
  task.since = time_of(value.at("since"));
  if (const auto epochs = value.find("epochs")) {
    task.epochs = whole(*epochs, 1);
    task.epochs_done = whole(value.at("epochs_done"));
  }
  task.loss = number_in(value, "loss");
  task.auc = number_in(value, "auc");
  task.epoch_seconds = number_in(value, "epoch_seconds");
  if (const auto still = value.find("still")) {
    task.still =
        workers::Stillness{still->at("seconds").number(), still->at("allowed").number(), still->at("moved").boolean()};
  }
  return task;
}

WorkerStatus read_worker(const JsonValue& value) {
  WorkerStatus worker;
  worker.worker = whole(value.at("worker"));
  worker.host = value.at("host").string();
  worker.threads = whole(value.at("threads"));
  if (const auto gpu = value.find("gpu")) {
    worker.gpu = gpu->at("uuid").string();
    worker.gpu_name = gpu->at("name").string();
  }
  worker.state = one_of(value.at("state"), WorkerState::set_aside);
  worker.why = text_in(value, "why");
  if (const auto heard = value.find("heard")) worker.heard = time_of(*heard);
  if (const auto task = value.find("task")) worker.task = read_task(*task);
  return worker;
}

FailureStatus read_failure(const JsonValue& value) {
  FailureStatus failure;
  failure.time = time_of(value.at("time"));
  failure.name = value.at("name").string();
  failure.key = text_in(value, "key");
  failure.attempt = whole(value.at("attempt"), 1);
  failure.cause = value.at("cause").string();
  failure.message = value.at("message").string();
  failure.worker = value.at("worker").string();
  failure.final = value.at("final").boolean();
  return failure;
}

FeatureStatus read_features(const JsonValue& value) {
  FeatureStatus features;
  features.dataset = value.at("dataset").string();
  features.backbone = text_in(value, "backbone");
  features.rows = value.at("rows").integer(0, kMost);
  features.rows_done = value.at("rows_done").integer(0, features.rows);
  features.ready = value.at("ready").boolean();
  features.failure = text_in(value, "failure");
  features.rows_per_second = number_in(value, "rows_per_second");
  features.seconds_left = number_in(value, "seconds_left");
  return features;
}

void read_process(const JsonValue& root, RunStatus& status) {
  status.program = root.at("program").string();
  status.written = time_of(root.at("written"));
  status.counter = root.at("counter").unsigned_integer();
  status.every_seconds = root.at("every_seconds").number();
  status.phase = one_of(root.at("state"), RunPhase::ended);
  status.why = text_in(root, "why");
  if (const auto exit_status = root.find("exit_status")) status.exit_status = whole(*exit_status);
  status.host = root.at("host").string();
  status.boot = root.at("boot").string();
  status.pid = root.at("pid").integer(0);
  status.process_started = root.at("process_started").integer(0);
  status.started = time_of(root.at("started"));
  status.slurm_job = text_in(root, "slurm_job");
  if (!status.slurm_job.empty()) status.slurm_restart = whole(root.at("slurm_restart"));
  status.slurm_cluster = text_in(root, "slurm_cluster");
  if (const auto deadline = root.find("deadline")) status.deadline = time_of(*deadline);
  status.faults = text_in(root, "faults");
}

void read_progress(const JsonValue& root, RunStatus& status) {
  if (const auto command = root.find("command")) {
    for (const auto& word : command->items(kMostWords)) status.command.push_back(word.string());
  }
  status.sweep = root.at("sweep").string();
  status.selection = text_in(root, "selection");
  if (const auto chosen = root.find("chosen")) status.chosen = chosen->string();
  status.committed = root.at("committed").integer(0, kMost);
  status.failed = root.at("failed").integer(0, kMost);
  status.feature_rows = root.at("feature_rows").integer(0, kMost);
  status.checkpoints = root.at("checkpoints").integer(0, kMost);
  const auto jobs = root.at("jobs");
  status.jobs_chosen = jobs.at("chosen").integer(0, kMost);
  status.jobs_before = jobs.at("before").integer(0, kMost);
  status.jobs.done = jobs.at("done").integer(0, kMost);
  status.jobs.running = jobs.at("running").integer(0, kMost);
  status.jobs.failed = jobs.at("failed").integer(0, kMost);
  status.jobs.waiting = jobs.at("waiting").integer(0, kMost);
  status.jobs_per_minute = number_in(root, "jobs_per_minute");
  status.seconds_left = number_in(root, "seconds_left");
  if (const auto bytes = root.find("journal_bytes")) status.journal_bytes = bytes->unsigned_integer();
}

/// Keys that a later plume-bench adds are passed over; what another version means by a key is not guessed.
void check_version(const JsonValue& root) {
  const auto version = root.at("v").integer();
  if (version == kStatusVersion) return;
  root.at("v").fail(fmt::format("expected {}, found {}: it was written by another plume-bench; ask that one",
                                kStatusVersion, version));
}

int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

}  // namespace

std::optional<std::vector<bool>> chosen_of(const std::string& text, std::size_t jobs) {
  if (text.size() != (jobs + 3) / 4) return std::nullopt;
  std::vector<bool> chosen(jobs);
  for (std::size_t i = 0; i < text.size() * 4; ++i) {
    const int digit = value_of(text[i / 4]);
    const bool is_set = digit >= 0 && (static_cast<unsigned>(digit) & 8U >> (i % 4)) != 0;
    if (digit < 0 || (i >= jobs && is_set)) return std::nullopt;
    if (i < jobs) chosen[i] = is_set;
  }
  return chosen;
}

RunStatus decode_status(std::string_view text, const std::string& origin) {
  const auto root = storage::parse_json(text, origin, storage::Blame::run, kMostValues);
  check_version(root);
  RunStatus status;
  read_process(root, status);
  read_progress(root, status);
  for (const auto& item : root.at("features").items(kMostFeatures)) status.features.push_back(read_features(item));
  for (const auto& item : root.at("failures").items(kMostFailures)) status.failures.push_back(read_failure(item));
  for (const auto& item : root.at("workers").items(kMostWorkers)) status.workers.push_back(read_worker(item));
  return status;
}

std::optional<RunStatus> read_status(const std::filesystem::path& directory) {
  const auto file = status_file(directory);
  std::error_code ignored;
  if (std::filesystem::symlink_status(file, ignored).type() == std::filesystem::file_type::not_found) {
    return std::nullopt;
  }
  return decode_status(storage::read_regular_file(file, kMostBytes), file.string());
}

}  // namespace runner
