// Reads and writes checkpoints.
#include "workers/checkpoint_keeper.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "plume/training_state.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"
#include "storage/sealed_file.hpp"
#include "workers/checkpoint_files.hpp"
#include "workers/one_line.hpp"

namespace workers {
namespace {

TensorEntry entry_of(const std::string& name, const at::Tensor& tensor) {
  if (tensor.scalar_type() != at::kFloat) throw std::logic_error(name + ": a checkpoint holds float32 only");
  return {name, "float32", tensor.sizes().vec()};
}

std::string_view bytes_of(const at::Tensor& tensor) {
  return {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()};
}

/// Before the names of the best epoch's weights, in a checkpoint of a training that keeps them.
constexpr std::string_view kBest = "best/";

/// All tensors of a checkpoint, in the order of its body.
plume::NamedTensors tensors_of(const plume::TrainingState& state) {
  plume::NamedTensors all = state.tensors;
  for (const auto& [name, tensor] : state.best) all.emplace_back(std::string(kBest) + name, tensor);
  return all;
}

/// How far a training is, to compare checkpoints of one job.
auto position(const CheckpointHeader& header) {
  return std::tuple(header.epoch, header.batches, header.attempt);
}

}  // namespace

CheckpointKeeper::CheckpointKeeper(CheckpointOptions options, const Assign& assign, Hooks hooks)
    : options_(std::move(options)),
      assign_(assign),
      key_(sweeps::key_of(std::get<TrainTask>(assign.what).job)),
      hooks_(std::move(hooks)) {}

// ---- beginning
// ---------------------------------------------------------------------------------------------------------------

void CheckpointKeeper::begin(const CheckpointIdentity& identity) {
  identity_ = identity;
  began_ = storage::utc_now();
  if (!options_.attempts.empty()) {
    remove_checkpoints(options_.attempts, key_, assign_.attempt.value + 1, /*keep_whole=*/true);
    for (const auto& found : find_checkpoints(options_.attempts)) {
      if (found.key == key_ && found.attempt > assign_.anew_through) look_at(found.file);
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [](const auto& a, const auto& b) { return position(a.header) < position(b.header); });
  }
  start_ = steady_seconds();
}

/// Its header alone: whether it is worth reading.
void CheckpointKeeper::look_at(const std::filesystem::path& file) {
  try {
    const storage::SealedFileReader reader(file);
    CheckpointHeader header = decode_checkpoint_header(reader.header(), file.string());
    if (const auto why = difference(header.identity, identity_); !why.empty()) {
      throw storage::Error(fmt::format("{}: {}", file.string(), why));
    }
    candidates_.push_back({file, std::move(header)});
  } catch (const storage::Error& error) {
    remark(fmt::format("a checkpoint is not used: {}", error.what()));
  }
}

std::optional<plume::TrainingState> CheckpointKeeper::next_state() {
  begun_from_.reset();
  while (!candidates_.empty()) {
    const Candidate candidate = std::move(candidates_.back());
    candidates_.pop_back();
    const Seconds before = steady_seconds();
    try {
      plume::TrainingState state = read(candidate);
      const auto& header = candidate.header;
      start_ = steady_seconds();
      hooks_.say(Resumed{assign_.task, assign_.attempt, header.attempt, header.epoch, header.batches,
                         (start_ - before).count()});
      begun_from_ = header;
      return state;
    } catch (const storage::Error& error) {
      remark(fmt::format("a checkpoint is not used: {}", error.what()));
    }
  }
  return std::nullopt;
}

plume::TrainingState CheckpointKeeper::read(const Candidate& candidate) const {
  const auto& file = candidate.file;
  const CheckpointHeader& header = candidate.header;
  storage::SealedFileReader reader(file);
  if (decode_checkpoint_header(reader.header(), file.string()) != header) {
    throw storage::Error(file.string() + ": it changed while it was read");
  }
  std::uint64_t announced = 0;
  for (const auto& tensor : header.tensors) announced += bytes_of(tensor);
  if (announced != reader.body_bytes()) {
    throw storage::Error(
        fmt::format("{}: its tensors have {} bytes, its body {}", file.string(), announced, reader.body_bytes()));
  }
  plume::TrainingState state;
  state.epoch = header.epoch;
  state.progress = {header.batches, header.sums, header.learning_rate};
  state.found_learning_rate = header.found_learning_rate;
  state.epochs = header.epochs;
  for (const auto& tensor : header.tensors) {
    at::Tensor values = at::empty(tensor.shape, at::kFloat);
    reader.read(values.data_ptr(), values.nbytes(), hooks_.on_progress);
    const bool is_best = tensor.name.starts_with(kBest);
    (is_best ? state.best : state.tensors)
        .emplace_back(tensor.name.substr(is_best ? kBest.size() : 0), std::move(values));
  }
  reader.check();
  return state;
}

void CheckpointKeeper::refuse(const std::string& why) {
  const int attempt = begun_from_ ? begun_from_->attempt : 0;
  remark(
      fmt::format("a checkpoint is not used: {}: {}", checkpoint_file(options_.attempts, key_, attempt).string(), why));
  begun_from_.reset();
}

// ---- between two steps
// -------------------------------------------------------------------------------------------------------

void CheckpointKeeper::at_boundary(const plume::Boundary& boundary) {
  const auto suspend = hooks_.suspended();
  if (options_.attempts.empty() || options_.every <= Seconds(0)) return;
  const Seconds now = steady_seconds();
  if (!timing_) timing_.emplace(options_.every, begun_from_.has_value(), start_);
  const std::int64_t made = boundary.epoch * boundary.batches_an_epoch + boundary.batches;
  timing_->at_boundary(made, boundary.epochs * boundary.batches_an_epoch, now);
  if (suspend) {
    timing_->ask_to_make_way(suspend->seconds_left ? std::optional(Seconds(*suspend->seconds_left)) : std::nullopt,
                             now);
  }
  const bool makes_way = timing_->makes_way(now);
  if (!makes_way && !timing_->is_due(now)) return;
  if (write(boundary) && makes_way) {
    throw GivenBack{fmt::format("given back on request at epoch {} step {} of {}; its checkpoint is written",
                                boundary.epoch, boundary.batches, boundary.batches_an_epoch)};
  }
}

/// False where it could not be written: the training goes on without.
bool CheckpointKeeper::write(const plume::Boundary& boundary) {
  const Seconds began = steady_seconds();
  std::uint64_t bytes = 0;
  try {
    bytes = write_file(boundary.state());
  } catch (const storage::Error& error) {
    timing_->failed_to_write(steady_seconds());
    if (!std::exchange(said_that_it_cannot_write_, true)) {
      remark(fmt::format("no checkpoint can be written, the training goes on without: {}", error.what()));
    }
    return false;
  }
  remove_checkpoints(options_.attempts, key_, assign_.attempt.value);
  const Seconds now = steady_seconds();
  timing_->wrote(began, now);
  hooks_.say(CheckpointWritten{assign_.task, assign_.attempt, boundary.epoch, boundary.batches,
                               static_cast<std::int64_t>(bytes), (now - began).count()});
  return true;
}

/// Straight from the tensors' memory; those of a GPU pass through the host one by one.
std::uint64_t CheckpointKeeper::write_file(const plume::TrainingState& state) const {
  const CheckpointHeader header = header_of(state);
  std::uint64_t body_bytes = 0;
  for (const auto& tensor : header.tensors) body_bytes += bytes_of(tensor);
  storage::SealedFileWriter file(checkpoint_file(options_.attempts, key_, assign_.attempt.value), encode(header),
                                 body_bytes, hooks_.on_progress);
  for (const auto& [name, tensor] : tensors_of(state)) {
    const at::Tensor values = tensor.detach().to(at::kCPU).contiguous();
    file.append(bytes_of(values));
  }
  return file.publish();
}

CheckpointHeader CheckpointKeeper::header_of(const plume::TrainingState& state) const {
  CheckpointHeader header;
  header.identity = identity_;
  header.attempt = assign_.attempt.value;
  header.written = storage::utc_now();
  header.started = begun_from_ ? begun_from_->started : began_;
  header.seconds = seconds_before() + (steady_seconds() - start_).count();
  header.epoch = state.epoch;
  header.batches = state.progress.batches;
  header.sums = state.progress.sums;
  header.learning_rate = state.progress.learning_rate;
  header.found_learning_rate = state.found_learning_rate;
  header.epochs = state.epochs;
  for (const auto& [name, tensor] : tensors_of(state)) header.tensors.push_back(entry_of(name, tensor));
  return header;
}

void CheckpointKeeper::remark(const std::string& text) const {
  hooks_.say(Remark{assign_.task, assign_.attempt, one_line(text)});
}

}  // namespace workers
