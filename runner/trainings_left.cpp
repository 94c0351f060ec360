// Looks through the jobs that the last run began and did not end.
#include "runner/trainings_left.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "runner/attempts_folder.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"
#include "storage/sealed_file.hpp"
#include "workers/checkpoint_files.hpp"
#include "workers/checkpoint_header.hpp"
#include "workers/messages.hpp"

namespace runner {
namespace {

/// How many there are, and how far the farthest is.
struct Left {
  std::size_t trainings = 0;
  int epoch = -1, epochs = 0;
  void add(int at, int of) {
    ++trainings;
    if (at <= epoch) return;
    epoch = at;
    epochs = of;
  }
};

/// Of "given back on request at epoch 12 step 3 of 40; its checkpoint is written" (workers/checkpoint_keeper.cpp).
std::optional<int> epoch_of_giving_back(const std::string& message) {
  constexpr std::string_view kBegin = "given back on request at epoch ";
  if (!message.starts_with(kBegin)) return std::nullopt;
  return std::atoi(message.c_str() + kBegin.size());
}

/// By job; as a run takes them (sweep_run_checkpoints.cpp).
using Checkpoints = std::unordered_map<sweeps::JobKey, std::vector<workers::FoundCheckpoint>>;

Checkpoints checkpoints_in(const std::filesystem::path& directory) {
  Checkpoints found;
  for (auto& each : workers::find_checkpoints(attempts_of(directory))) found[each.key].push_back(std::move(each));
  return found;
}

/// Up to this attempt a job's checkpoints are not gone on from: it failed by the training's own fault.
int anew_through(const results::JobHistory& job) {
  int last = job.taken_back.value_or(0);
  for (const auto& attempt : job.attempts) {
    const auto cause = workers::cause_called(attempt.cause);
    if (cause && workers::is_of_the_training(*cause)) last = std::max(last, attempt.number);
  }
  return last;
}

/// Where the next attempt goes on; nothing where it begins anew. A trainer refuses a checkpoint whose head is damaged.
std::optional<int> epoch_of_checkpoints(const std::vector<workers::FoundCheckpoint>& checkpoints, int anew) {
  std::optional<int> epoch;
  for (const auto& found : checkpoints) {
    if (found.attempt <= anew) continue;
    try {
      const storage::SealedFileReader reader(found.file);
      const auto header = workers::decode_checkpoint_header(reader.header(), found.file.string());
      epoch = std::max(epoch.value_or(0), header.epoch);
    } catch (const storage::Error&) {
    }
  }
  return epoch;
}

}  // namespace

std::string trainings_left(const RunPicture& picture) {
  const auto begun = storage::utc_text((*picture.status)->started);
  const auto checkpoints = checkpoints_in(picture.directory);
  Left made_way, cut_off;
  for (const auto& plan : *picture.plans) {
    for (std::size_t job = 0; job < plan.jobs.size(); ++job) {
      const auto* history = picture.history->find(plan.keys[job]);
      if (history == nullptr || history->done || history->failed || history->attempts.empty()) continue;
      const auto& last = history->attempts.back();
      if (last.at < begun) continue;
      const int epochs = plan.jobs[job].training.epochs;
      const auto found = checkpoints.find(plan.keys[job]);
      if (const auto epoch = epoch_of_giving_back(last.message)) {
        made_way.add(*epoch, epochs);
      } else if (found != checkpoints.end()) {
        if (const auto from = epoch_of_checkpoints(found->second, anew_through(*history))) cut_off.add(*from, epochs);
      }
    }
  }
  std::string words;
  if (made_way.trainings > 0) {
    words = fmt::format("{} training(s) made way with a checkpoint, the farthest at epoch {} of {}", made_way.trainings,
                        made_way.epoch, made_way.epochs);
  }
  if (cut_off.trainings > 0) {
    words += fmt::format("{}{} training(s) that were cut off go on from a checkpoint, the farthest from epoch {} of {}",
                         words.empty() ? "" : ", and ", cut_off.trainings, cut_off.epoch, cut_off.epochs);
  }
  return words;
}

}  // namespace runner
