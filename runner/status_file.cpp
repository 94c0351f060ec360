// Status to text.
#include "runner/status_file.hpp"

#include <algorithm>

#include "storage/json.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

void write_optional(storage::JsonWriter& json, std::string_view name, const std::optional<double>& number) {
  if (number) json.member(name, *number);
}

void write_task(storage::JsonWriter& json, const WorkerTask& task) {
  json.key("task").begin_object().member("kind", task.kind).member("name", task.name);
  if (!task.key.empty()) json.member("key", task.key);
  json.member("attempt", task.attempt).member("since", storage::utc_text(task.since));
  if (task.epochs > 0) json.member("epochs", task.epochs).member("epochs_done", task.epochs_done);
  write_optional(json, "loss", task.loss);
  write_optional(json, "auc", task.auc);
  write_optional(json, "epoch_seconds", task.epoch_seconds);
  if (task.still) {
    json.key("still").begin_object().member("seconds", task.still->seconds).member("allowed", task.still->allowed);
    json.member("moved", task.still->moved).end_object();
  }
  json.end_object();
}

void write_worker(storage::JsonWriter& json, const WorkerStatus& worker) {
  json.begin_object().member("worker", worker.worker).member("host", worker.host).member("threads", worker.threads);
  if (!worker.gpu.empty()) {
    json.key("gpu").begin_object().member("uuid", worker.gpu).member("name", worker.gpu_name).end_object();
  }
  json.member("state", std::string(name_of(worker.state)));
  if (!worker.why.empty()) json.member("why", worker.why);
  if (worker.heard > 0) json.member("heard", storage::utc_text(worker.heard));
  if (worker.task) write_task(json, *worker.task);
  json.end_object();
}

void write_failure(storage::JsonWriter& json, const FailureStatus& failure) {
  json.begin_object().member("time", storage::utc_text(failure.time)).member("name", failure.name);
  if (!failure.key.empty()) json.member("key", failure.key);
  json.member("attempt", failure.attempt).member("cause", failure.cause).member("message", failure.message);
  json.member("worker", failure.worker).member("final", failure.final).end_object();
}

void write_features(storage::JsonWriter& json, const FeatureStatus& features) {
  json.begin_object().member("dataset", features.dataset);
  if (!features.backbone.empty()) json.member("backbone", features.backbone);
  json.member("rows", features.rows).member("rows_done", features.rows_done).member("ready", features.ready);
  if (!features.failure.empty()) json.member("failure", features.failure);
  write_optional(json, "rows_per_second", features.rows_per_second);
  write_optional(json, "seconds_left", features.seconds_left);
  json.end_object();
}

void write_process(storage::JsonWriter& json, const RunStatus& status) {
  json.member("program", status.program).member("written", storage::utc_text(status.written));
  json.member("counter", status.counter).member("every_seconds", status.every_seconds);
  json.member("state", std::string(name_of(status.phase)));
  if (!status.why.empty()) json.member("why", status.why);
  if (status.exit_status) json.member("exit_status", *status.exit_status);
  json.member("host", status.host).member("boot", status.boot).member("pid", status.pid);
  json.member("process_started", status.process_started).member("started", storage::utc_text(status.started));
  if (!status.slurm_job.empty()) {
    json.member("slurm_job", status.slurm_job).member("slurm_restart", status.slurm_restart);
    if (!status.slurm_cluster.empty()) json.member("slurm_cluster", status.slurm_cluster);
  }
  if (status.deadline) json.member("deadline", storage::utc_text(*status.deadline));
  if (!status.faults.empty()) json.member("faults", status.faults);
}

void write_progress(storage::JsonWriter& json, const RunStatus& status) {
  if (!status.command.empty()) {
    json.key("command").begin_array();
    for (const auto& word : status.command) json.value(word);
    json.end_array();
  }
  json.member("sweep", status.sweep);
  if (!status.selection.empty()) json.member("selection", status.selection);
  if (status.chosen) json.member("chosen", *status.chosen);
  json.member("committed", status.committed).member("failed", status.failed);
  json.member("feature_rows", status.feature_rows).member("checkpoints", status.checkpoints);
  json.key("jobs").begin_object().member("chosen", status.jobs_chosen).member("before", status.jobs_before);
  json.member("done", status.jobs.done).member("running", status.jobs.running);
  json.member("failed", status.jobs.failed).member("waiting", status.jobs.waiting).end_object();
  write_optional(json, "jobs_per_minute", status.jobs_per_minute);
  write_optional(json, "seconds_left", status.seconds_left);
  if (status.journal_bytes) json.member("journal_bytes", *status.journal_bytes);
}

}  // namespace

std::string_view name_of(RunPhase phase) {
  constexpr std::string_view kNames[] = {"starting", "scanning",  "extracting", "training",
                                         "draining", "reporting", "ended"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view name_of(WorkerState state) {
  constexpr std::string_view kNames[] = {"greeting", "idle", "working", "gone", "set aside"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string cause_of_end(const RunStatus& status) {
  const auto cut = status.why.ends_with(kMendAndRetry) ? kMendAndRetry.size() : 0;
  return status.why.substr(0, status.why.size() - cut);
}

std::string only_in(std::string_view selection) {
  constexpr std::string_view kOnly = "--only ", kShare = " --share ", kAndFeatures = ", ";
  if (!selection.starts_with(kOnly)) return "";
  selection.remove_prefix(kOnly.size());
  if (selection.ends_with(kFeaturesOnly)) selection.remove_suffix(kAndFeatures.size() + kFeaturesOnly.size());
  return std::string(selection.substr(0, std::min(selection.rfind(kShare), selection.size())));
}

bool makes_features_only(const RunStatus& status) {
  return status.selection.ends_with(kFeaturesOnly);
}

std::string chosen_text(const std::vector<std::size_t>& chosen, std::size_t jobs) {
  std::vector<unsigned> digits((jobs + 3) / 4);
  for (const std::size_t job : chosen) digits.at(job / 4) |= 8U >> (job % 4);
  std::string text;
  for (const unsigned digit : digits) text += "0123456789abcdef"[digit];
  return text;
}

std::string encode(const RunStatus& status) {
  storage::JsonWriter json;
  json.begin_object().member("v", kStatusVersion);
  write_process(json, status);
  write_progress(json, status);
  json.key("features").begin_array();
  for (const auto& features : status.features) write_features(json, features);
  json.end_array().key("failures").begin_array();
  for (const auto& failure : status.failures) write_failure(json, failure);
  json.end_array().key("workers").begin_array();
  for (const auto& worker : status.workers) write_worker(json, worker);
  json.end_array().end_object();
  return json.text();
}

std::filesystem::path status_file(const std::filesystem::path& directory) {
  return directory / "status.json";
}

}  // namespace runner
