// The protocol's envelopes: a JSON object with "v" and "type" for each message. Tasks and outputs are in
// messages_tasks.cpp and messages_outputs.cpp. Knows nothing of links: text in, values out.
#include "workers/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "workers/messages_gpus.hpp"
#include "workers/messages_tasks.hpp"

namespace workers {
namespace {

using storage::JsonValue;
using storage::JsonWriter;

constexpr std::array<std::pair<Cause, std::string_view>, 12> kCauses{{
    {Cause::bad_input, "bad-input"},
    {Cause::disk_full, "disk-full"},
    {Cause::search_failed, "search-failed"},
    {Cause::exception, "exception"},
    {Cause::out_of_memory, "out-of-memory"},
    {Cause::device_out_of_memory, "device-out-of-memory"},
    {Cause::signal, "signal"},
    {Cause::exited, "exited"},
    {Cause::hung, "hung"},
    {Cause::start_failed, "start-failed"},
    {Cause::worker_lost, "worker-lost"},
    {Cause::drained, "drained"},
}};

Cause read_cause(const JsonValue& value) {
  const std::optional<Cause> cause = cause_called(value.string());
  if (!cause) refuse(value, "a cause such as \"exception\"");
  return *cause;
}

// ---- envelopes
// -----------------------------------------------------------------------------------------------------------

void check_protocol(const JsonValue& value) {
  if (value.is_integer() && value.text() == std::to_string(kProtocolVersion)) return;
  refuse(value, "protocol version " + std::to_string(kProtocolVersion) +
                    " (coordinator and workers must be the same plume-bench)");
}

/// The version is checked before anything else: what follows may mean something else in another.
JsonValue open_envelope(std::string_view text) {
  if (text.size() > kMaxMessageBytes) {
    throw storage::Error("message: expected at most " + std::to_string(kMaxMessageBytes) + " bytes, found " +
                         std::to_string(text.size()));
  }
  JsonValue message = storage::parse_json(text, "message", storage::Blame::run);
  check_protocol(message.at("v"));
  return message;
}

[[noreturn]] void refuse_type(const JsonValue& message, const std::vector<std::string>& known) {
  refuse(message.at("type"), storage::listed(known));
}

/// Members of every message besides `keys`.
void allow(const JsonValue& message, std::vector<std::string> keys) {
  keys.insert(keys.end(), {"v", "type"});
  message.allow_only(keys);
}

TaskId read_task_id(const JsonValue& message) {
  return {message.at("task").integer(0)};
}
Attempt read_attempt(const JsonValue& message) {
  return {static_cast<int>(message.at("attempt").integer(1, INT32_MAX))};
}
int read_threads(const JsonValue& message) {
  return static_cast<int>(message.at("threads").integer(1, 1 << 16));
}

template <typename Message>
void write_task_and_attempt(JsonWriter& writer, const Message& message) {
  writer.member("task", message.task.value).member("attempt", message.attempt.value);
}

// ---- one function a message: its type and members
// ------------------------------------------------------------------------

void write_members(JsonWriter& writer, const Assign& assign) {
  writer.member("type", "assign");
  write_task_and_attempt(writer, assign);
  writer.key("what");
  write(writer, assign.what);
  writer.member("anew_through", assign.anew_through);
}

void write_members(JsonWriter& writer, const Suspend& suspend) {
  writer.member("type", "suspend");
  write_task_and_attempt(writer, suspend);
  if (suspend.seconds_left) writer.member("seconds_left", *suspend.seconds_left);
}

void write_members(JsonWriter& writer, const Prepare& prepare) {
  writer.member("type", "prepare").key("next");
  write(writer, Task(prepare.next));
}

void write_members(JsonWriter& writer, const Shutdown&) {
  writer.member("type", "shutdown");
}

void write_members(JsonWriter& writer, const StartAnew&) {
  writer.member("type", "start-anew");
}

void write_members(JsonWriter& writer, const UseGpu& use) {
  writer.member("type", "use-gpu").member("gpu", use.uuid);
}

void write_members(JsonWriter& writer, const Hello& hello) {
  writer.member("type", "hello").member("protocol", hello.protocol).member("host", hello.host);
  writer.member("pid", hello.pid).member("threads", hello.threads).member("faults", hello.faults);
  writer.member("processor", hello.processor);
  writer.key("visible");
  write(writer, hello.visible);
}

void write_members(JsonWriter& writer, const Heartbeat& beat) {
  writer.member("type", "heartbeat");
  if (!beat.still) return;
  writer.key("still").begin_object().member("seconds", beat.still->seconds).member("allowed", beat.still->allowed);
  writer.member("moved", beat.still->moved).end_object();
}

void write_members(JsonWriter& writer, const EpochDone& done) {
  writer.member("type", "epoch-done");
  write_task_and_attempt(writer, done);
  writer.key("epoch").raw(results::encode(done.epoch));
}

template <typename Message>
void write_position(JsonWriter& writer, const Message& message) {
  writer.member("epoch", message.epoch).member("batches", message.batches).member("seconds", message.seconds);
}

void write_members(JsonWriter& writer, const CheckpointWritten& written) {
  writer.member("type", "checkpoint-written");
  write_task_and_attempt(writer, written);
  write_position(writer, written);
  writer.member("bytes", written.bytes);
}

void write_members(JsonWriter& writer, const Resumed& resumed) {
  writer.member("type", "resumed");
  write_task_and_attempt(writer, resumed);
  write_position(writer, resumed);
  writer.member("from", resumed.from);
}

void write_members(JsonWriter& writer, const Remark& remark) {
  writer.member("type", "remark");
  write_task_and_attempt(writer, remark);
  writer.member("text", remark.text);
}

void write_members(JsonWriter& writer, const TaskDone& done) {
  writer.member("type", "task-done");
  write_task_and_attempt(writer, done);
  writer.key("output");
  write(writer, done.output);
  writer.member("wall_seconds", done.wall_seconds).member("started", done.started);
}

void write_members(JsonWriter& writer, const TaskFailed& failed) {
  writer.member("type", "task-failed");
  write_task_and_attempt(writer, failed);
  writer.member("cause", name_of(failed.cause)).member("message", failed.message);
  writer.member("reached_epoch", failed.reached_epoch).member("standard_error", failed.standard_error);
}

void write_members(JsonWriter& writer, const Goodbye&) {
  writer.member("type", "goodbye");
}

void write_members(JsonWriter& writer, const Ready& ready) {
  writer.member("type", "ready").member("protocol", ready.protocol);
  writer.member("threads", ready.threads).member("device", ready.device).member("gpu", ready.gpu);
  writer.member("engine", ready.engine);
}

void write_members(JsonWriter& writer, const Progress& progress) {
  writer.member("type", "progress");
  write_task_and_attempt(writer, progress);
}

template <typename Messages>
std::string encode_any(const Messages& message) {
  JsonWriter writer;
  writer.begin_object().member("v", kProtocolVersion);
  std::visit([&writer](const auto& one) { write_members(writer, one); }, message);
  return writer.end_object().text();
}

// ---- and their inverses
// --------------------------------------------------------------------------------------------------

Assign read_assign(const JsonValue& message) {
  allow(message, {"task", "attempt", "what", "anew_through"});
  return {read_task_id(message), read_attempt(message), read_task(message.at("what")),
          static_cast<int>(message.at("anew_through").integer(0, INT32_MAX))};
}

double read_seconds(const JsonValue& value) {
  if (value.number() < 0) refuse(value, "at least 0");
  return value.number();
}

Prepare read_prepare(const JsonValue& message) {
  allow(message, {"next"});
  Task next = read_task(message.at("next"));
  if (auto* training = std::get_if<TrainTask>(&next)) return {std::move(*training)};
  refuse(message.at("next").at("type"), "\"train\"");
}

Suspend read_suspend(const JsonValue& message) {
  allow(message, {"task", "attempt", "seconds_left"});
  const auto left = message.find("seconds_left");
  return {read_task_id(message), read_attempt(message), left ? std::optional(read_seconds(*left)) : std::nullopt};
}

int read_epoch(const JsonValue& message) {
  return static_cast<int>(message.at("epoch").integer(0, INT32_MAX));
}

CheckpointWritten read_checkpoint_written(const JsonValue& message) {
  allow(message, {"task", "attempt", "epoch", "batches", "seconds", "bytes"});
  return {read_task_id(message),
          read_attempt(message),
          read_epoch(message),
          message.at("batches").integer(0),
          message.at("bytes").integer(0),
          read_seconds(message.at("seconds"))};
}

Resumed read_resumed(const JsonValue& message) {
  allow(message, {"task", "attempt", "epoch", "batches", "seconds", "from"});
  return {read_task_id(message),
          read_attempt(message),
          static_cast<int>(message.at("from").integer(1, INT32_MAX)),
          read_epoch(message),
          message.at("batches").integer(0),
          read_seconds(message.at("seconds"))};
}

Remark read_remark(const JsonValue& message) {
  allow(message, {"task", "attempt", "text"});
  return {read_task_id(message), read_attempt(message), message.at("text").string()};
}

UseGpu read_use_gpu(const JsonValue& message) {
  allow(message, {"gpu"});
  return {read_gpu_uuid(message.at("gpu"))};
}

Hello read_hello(const JsonValue& message) {
  allow(message, {"protocol", "host", "pid", "threads", "faults", "processor", "visible"});
  check_protocol(message.at("protocol"));
  return {kProtocolVersion,
          message.at("host").string(),
          static_cast<int>(message.at("pid").integer(0, INT32_MAX)),
          read_threads(message),
          read_visible_gpus(message.at("visible")),
          message.at("faults").string(),
          message.at("processor").string()};
}

EpochDone read_epoch_done(const JsonValue& message) {
  allow(message, {"task", "attempt", "epoch"});
  return {read_task_id(message), read_attempt(message), results::decode_epoch(message.at("epoch"))};
}

TaskDone read_task_done(const JsonValue& message) {
  allow(message, {"task", "attempt", "output", "wall_seconds", "started"});
  return {read_task_id(message), read_attempt(message), read_output(message.at("output")),
          read_seconds(message.at("wall_seconds")), message.at("started").string()};
}

TaskFailed read_task_failed(const JsonValue& message) {
  allow(message, {"task", "attempt", "cause", "message", "reached_epoch", "standard_error"});
  return {read_task_id(message),
          read_attempt(message),
          read_cause(message.at("cause")),
          message.at("message").string(),
          message.at("reached_epoch").boolean(),
          message.at("standard_error").string()};
}

Progress read_progress(const JsonValue& message) {
  allow(message, {"task", "attempt"});
  return {read_task_id(message), read_attempt(message)};
}

Ready read_ready(const JsonValue& message) {
  allow(message, {"protocol", "threads", "device", "gpu", "engine"});
  check_protocol(message.at("protocol"));
  const JsonValue engine = message.at("engine");
  if (!engine.is_integer() || engine.text() != std::to_string(sweeps::kEngineVersion))
    refuse(engine,
           fmt::format("engine {}: plume-compute and plume-bench must be of one build", sweeps::kEngineVersion));
  const JsonValue gpu = message.at("gpu");
  return {kProtocolVersion, read_threads(message), message.at("device").string(),
          gpu.string().empty() ? "" : read_gpu_uuid(gpu)};
}

Heartbeat read_heartbeat(const JsonValue& message) {
  allow(message, {"still"});
  Heartbeat beat;
  if (const auto still = message.find("still")) {
    still->allow_only({"seconds", "allowed", "moved"});
    beat.still =
        Stillness{read_seconds(still->at("seconds")), read_seconds(still->at("allowed")), still->at("moved").boolean()};
  }
  return beat;
}

/// A message that says nothing but its type.
template <typename Message>
Message read_bare(const JsonValue& message) {
  allow(message, {});
  return {};
}

}  // namespace

std::string_view name_of(Cause cause) {
  for (const auto& [known, name] : kCauses) {
    if (known == cause) return name;
  }
  throw std::logic_error("a Cause without a name");
}

bool is_infrastructure(Cause cause) {
  return cause == Cause::worker_lost || cause == Cause::drained || cause == Cause::disk_full;
}

bool is_final(Cause cause) {
  return cause == Cause::bad_input || cause == Cause::search_failed || cause == Cause::disk_full;
}

bool takes_the_trainer_along(Cause cause) {
  return !is_final(cause) && cause != Cause::drained;
}

bool is_of_the_training(Cause cause) {
  return cause == Cause::bad_input || cause == Cause::search_failed || cause == Cause::exception ||
         cause == Cause::exited;
}

std::optional<Cause> cause_called(std::string_view name) {
  for (const auto& [known, its_name] : kCauses) {
    if (its_name == name) return known;
  }
  return std::nullopt;
}

std::string encode(const ToWorker& message) {
  return encode_any(message);
}
std::string encode(const ToCoordinator& message) {
  return encode_any(message);
}
std::string encode(const FromTrainer& message) {
  return encode_any(message);
}

ToWorker decode_to_worker(std::string_view text) {
  const JsonValue message = open_envelope(text);
  const std::string type = message.at("type").string();
  if (type == "assign") return read_assign(message);
  if (type == "suspend") return read_suspend(message);
  if (type == "prepare") return read_prepare(message);
  if (type == "shutdown") return read_bare<Shutdown>(message);
  if (type == "start-anew") return read_bare<StartAnew>(message);
  if (type == "use-gpu") return read_use_gpu(message);
  refuse_type(message, {"assign", "suspend", "prepare", "shutdown", "start-anew", "use-gpu"});
}

ToCoordinator decode_to_coordinator(std::string_view text) {
  const JsonValue message = open_envelope(text);
  const std::string type = message.at("type").string();
  if (type == "hello") return read_hello(message);
  if (type == "heartbeat") return read_heartbeat(message);
  if (type == "epoch-done") return read_epoch_done(message);
  if (type == "checkpoint-written") return read_checkpoint_written(message);
  if (type == "resumed") return read_resumed(message);
  if (type == "remark") return read_remark(message);
  if (type == "task-done") return read_task_done(message);
  if (type == "task-failed") return read_task_failed(message);
  if (type == "goodbye") return read_bare<Goodbye>(message);
  refuse_type(message, {"hello", "heartbeat", "epoch-done", "checkpoint-written", "resumed", "remark", "task-done",
                        "task-failed", "goodbye"});
}

FromTrainer decode_from_trainer(std::string_view text) {
  const JsonValue message = open_envelope(text);
  const std::string type = message.at("type").string();
  if (type == "ready") return read_ready(message);
  if (type == "progress") return read_progress(message);
  if (type == "epoch-done") return read_epoch_done(message);
  if (type == "checkpoint-written") return read_checkpoint_written(message);
  if (type == "resumed") return read_resumed(message);
  if (type == "remark") return read_remark(message);
  if (type == "task-done") return read_task_done(message);
  if (type == "task-failed") return read_task_failed(message);
  refuse_type(message, {"ready", "progress", "epoch-done", "checkpoint-written", "resumed", "remark", "task-done",
                        "task-failed"});
}

}  // namespace workers
