// Checkpoints as a run sees them: what trainings say of theirs, from which attempts the next may go on, and when they
// are removed. Reads no more of them than how far they are, and writes none.
#include <fmt/format.h>

#include <algorithm>

#include "runner/attempts_folder.hpp"
#include "runner/size_text.hpp"
#include "runner/sweep_run_state.hpp"
#include "storage/error.hpp"
#include "storage/sealed_file.hpp"
#include "workers/checkpoint_files.hpp"
#include "workers/checkpoint_header.hpp"

namespace runner {
void SweepRun::State::show(const ShowCheckpoint& shown) {
  const auto worker = shown.worker.value;
  if (const auto* written = std::get_if<workers::CheckpointWritten>(&shown.news)) {
    ++checkpoints;
    const auto& task = coordinator->task(written->task);
    if (const auto* train = std::get_if<workers::TrainTask>(&task.what)) {
      with_checkpoints.insert(sweeps::key_of(train->job));
    }
    log->info(fmt::format("worker {} wrote a checkpoint of {} (attempt {}): epoch {} step {}, {} in {:.2f} s", worker,
                          label(task), written->attempt.value, written->epoch, written->batches,
                          size_text(written->bytes), written->seconds));
  } else if (const auto* resumed = std::get_if<workers::Resumed>(&shown.news)) {
    const auto line =
        fmt::format("{} resumed from epoch {} step {} of attempt {}", label(coordinator->task(resumed->task)),
                    resumed->epoch, resumed->batches, resumed->from);
    log->info(fmt::format("worker {}: {} (attempt {}, read in {:.2f} s)", worker, line, resumed->attempt.value,
                          resumed->seconds));
    if (options.epoch_lines) progress.message(line);
    board.resumed(shown.worker, *resumed);
  } else if (const auto* remark = std::get_if<workers::Remark>(&shown.news)) {
    warn(fmt::format("{} (attempt {} on worker {}): {}", label(coordinator->task(remark->task)), remark->attempt.value,
                     worker, remark->text));
  }
}

/// Up to the last attempt that ended by the training's own fault, or whose result was taken back.
int SweepRun::State::anew_through(const sweeps::JobKey& key) const {
  int last = 0;
  const auto ends = ledger.ends.find(key);
  if (ends == ledger.ends.end()) return last;
  for (const auto& [attempt, name] : ends->second) {
    const auto cause = workers::cause_called(name);
    const bool anew = cause ? workers::is_of_the_training(*cause) : name == results::kRedo;
    if (anew) last = std::max(last, attempt);
  }
  return last;
}

/// Those that an earlier run left of jobs that have a result, or that begin anew.
void SweepRun::State::find_old_checkpoints() {
  for (const auto& found : workers::find_checkpoints(attempts_of(options.out))) {
    with_checkpoints.insert(found.key);
    const bool done = ledger.done.contains(found.key) && !redo.contains(found.key);
    if (done) {
      needless_checkpoints[found.key] = INT32_MAX;
    } else if (found.attempt <= anew_through(found.key)) {
      needless_checkpoints[found.key] = anew_through(found.key) + 1;
    } else {
      newest_checkpoints[found.key] = found.file;
    }
  }
  remove_needless_checkpoints();
}

/// By its newest checkpoint, for the time that it is expected to take. Whether a trainer can go on from it is the
/// trainer's to find out, and to say.
double SweepRun::State::part_done(const sweeps::Job& job, const sweeps::JobKey& key) const {
  const auto found = newest_checkpoints.find(key);
  if (found == newest_checkpoints.end() || job.training.epochs == 0) return 0;
  try {
    const storage::SealedFileReader reader(found->second);
    const auto header = workers::decode_checkpoint_header(reader.header(), found->second.string());
    return std::min(header.epoch, job.training.epochs - 1) / static_cast<double>(job.training.epochs);
  } catch (const storage::Error&) {
    return 0;
  }
}

/// Of attempts below `below`, once the reason is durable.
void SweepRun::State::forget_checkpoints(const sweeps::JobKey& key, int below) {
  if (!with_checkpoints.contains(key)) return;
  needless_checkpoints[key] = std::max(needless_checkpoints[key], below);
}

void SweepRun::State::remove_needless_checkpoints() {
  for (const auto& [key, below] : needless_checkpoints) {
    workers::remove_checkpoints(attempts_of(options.out), key, below);
  }
  needless_checkpoints.clear();
}

}  // namespace runner
