// Values to JSON.
#include "runner/status_json.hpp"

#include "storage/json.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

const char* name_of(Life life) {
  constexpr const char* kNames[] = {"not started", "working", "silent", "died", "ended", "unknown"};
  return kNames[static_cast<std::size_t>(life)];
}

void write_strings(storage::JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const auto& text : texts) json.value(text);
  json.end_array();
}

void write_counts(storage::JsonWriter& json, const JobCounts& counts) {
  const auto whole = [](std::size_t n) { return static_cast<std::uint64_t>(n); };
  json.member("chosen", whole(counts.chosen())).member("done", whole(counts.committed()));
  json.member("diverged", whole(counts.diverged)).member("running", whole(counts.running));
  json.member("failed", whole(counts.failed)).member("left", whole(counts.left));
  json.member("not_chosen", whole(counts.not_chosen));
}

void write_failure(storage::JsonWriter& json, const FailureView& failure) {
  json.begin_object();
  if (failure.time) json.member("time", storage::utc_text(*failure.time));
  json.member("name", failure.name);
  if (!failure.key.empty()) json.member("key", failure.key);
  json.member("attempt", failure.attempt).member("tries", static_cast<std::uint64_t>(failure.tries));
  json.member("cause", failure.cause).member("message", failure.message);
  json.member("worker", failure.worker).member("final", failure.final).member("now", failure.now);
  if (!failure.directory.empty()) json.member("directory", failure.directory);
  json.end_object();
}

/// What squeue said of a share.
void write_queue(storage::JsonWriter& json, const std::vector<QueuedJob>& jobs) {
  json.key("queue").begin_array();
  for (const auto& job : jobs) {
    json.begin_object().member("job", job.job).member("running", job.running);
    if (!job.reason.empty()) json.member("reason", job.reason);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string status_json(const StatusView& view) {
  storage::JsonWriter json;
  json.begin_object().member("v", kStatusDocumentVersion).member("directory", view.directory);
  json.member("life", name_of(view.life.life)).member("silent_seconds", view.life.silent_seconds);
  json.member("by_another_clock", view.life.by_another_clock).member("clock_ahead", view.life.ahead_seconds);
  json.member("at_work", view.at_work);
  json.member("following", name_of(view.following));
  json.member("headline", view.headline).member("caution", view.caution);
  write_strings(json, "next", view.next);
  write_strings(json, "sweeps", view.sweeps);
  json.member("selection", view.selection).key("jobs").begin_object();
  write_counts(json, view.jobs);
  json.end_object().key("tables").begin_array();
  for (const auto& table : view.tables) {
    json.begin_object().member("id", table.id);
    write_counts(json, table.counts);
    json.end_object();
  }
  json.end_array().key("failures").begin_array();
  for (const auto& failure : view.failures) write_failure(json, failure);
  json.end_array().member("failures_more", static_cast<std::uint64_t>(view.failures_more));
  write_strings(json, "problems", view.problems);
  json.key("status");
  if (view.status) {
    json.raw(encode(*view.status));
  } else {
    json.null();
  }
  return json.end_object().text();
}

std::string status_json(const SharesView& view) {
  storage::JsonWriter json;
  json.begin_object().member("v", kStatusDocumentVersion).member("directory", view.directory);
  json.member("shares", view.shares).key("jobs").begin_object();
  write_counts(json, view.jobs);
  json.end_object().member("all_known", view.is_all);
  if (view.jobs_per_minute) json.member("jobs_per_minute", *view.jobs_per_minute);
  if (view.seconds_left) json.member("seconds_left", *view.seconds_left);
  json.key("parts").begin_array();
  for (const auto& part : view.parts) {
    json.begin_object().member("folder", part.folder).member("share", part.number);
    if (part.queue) write_queue(json, *part.queue);
    json.key("run");
    if (part.view) {
      json.raw(status_json(*part.view));
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array().key("failures").begin_array();
  for (const auto& failure : view.failures) write_failure(json, failure);
  json.end_array().member("failures_more", static_cast<std::uint64_t>(view.failures_more));
  write_strings(json, "problems", view.problems);
  write_strings(json, "next", view.next);
  return json.end_object().text();
}

}  // namespace runner
