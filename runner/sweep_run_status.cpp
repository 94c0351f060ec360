// What a run says of itself while it works: DIR/status.json, about once a second. It is a view: that it cannot be
// written ends no run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "runner/sweep_run_state.hpp"
#include "runner/version.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"
#include "workers/fault_on_request.hpp"

namespace runner {
namespace {

constexpr double kEverySeconds = 1;
constexpr double kRarestSeconds = 5;
/// Writing takes the loop's time: at most this share of it, however many workers there are and however slow the disk.
constexpr double kShareOfTheTime = 0.02;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Last counter on the directory; a file that cannot be read says none.
std::uint64_t counter_before(const std::filesystem::path& directory) {
  try {
    const auto before = read_status(directory);
    return before ? before->counter : 0;
  } catch (const storage::Error&) {
    return 0;
  }
}

}  // namespace

std::string SweepRun::State::selection_in_words() const {
  std::string words;
  if (!options.only.empty()) words = "--only " + options.only;
  if (options.share) {
    words += fmt::format("{}--share {}/{}", words.empty() ? "" : " ", options.share->number, options.share->of);
  }
  if (options.features_only) words += (words.empty() ? "" : ", ") + std::string(kFeaturesOnly);
  return words;
}

void SweepRun::State::begin_status() {
  status.program = kVersion;
  status.host = storage::host_name();
  status.boot = storage::boot_id();
  status.pid = getpid();
  status.process_started = storage::start_of_process(getpid()).value_or(0);
  status.started = storage::unix_now();
  status.counter = counter_before(options.out);
  status.slurm_job = environment("SLURM_JOB_ID");
  if (!status.slurm_job.empty()) {
    status.slurm_restart = std::max(0, std::atoi(environment("SLURM_RESTART_COUNT").c_str()));
    status.slurm_cluster = environment("SLURM_CLUSTER_NAME");
  }
  status.every_seconds = kEverySeconds;
  if (deadline) status.deadline = deadline->unix_seconds();
  status.command = options.command;
  status.faults = workers::requested_faults();
  status.sweep = sweep.name;
  status.selection = selection_in_words();
  if (selected.size() < plan.jobs.size()) status.chosen = chosen_text(selected, plan.jobs.size());
  status.jobs_chosen = static_cast<std::int64_t>(selected.size());
  write_status(RunPhase::starting);
}

RunPhase SweepRun::State::phase() const {
  if (draining) return RunPhase::draining;
  if (coordinator->live_workers() == 0 && status.phase == RunPhase::starting) return RunPhase::starting;
  if (unscanned > 0) return RunPhase::scanning;
  const auto features_now = coordinator->counts_of_features();
  const bool trains = coordinator->counts_of_jobs().running > 0;
  return !trains && features_now.waiting + features_now.running > 0 ? RunPhase::extracting : RunPhase::training;
}

void SweepRun::State::tell_time() {
  board.set_time(now(), storage::unix_now());
}

void SweepRun::State::show_status() {
  if (now() < status_due) return;
  const double begun = workers::steady_seconds().count();
  write_status(phase());
  const double took = workers::steady_seconds().count() - begun;
  status.every_seconds = std::clamp(took / kShareOfTheTime, kEverySeconds, kRarestSeconds);
  status_due = now() + status.every_seconds;
}

void SweepRun::State::write_status(RunPhase phase_now) {
  tell_time();
  board.fill(status);
  status.checkpoints = checkpoints;
  const auto seen = view();
  status.phase = phase_now;
  status.written = storage::unix_now();
  ++status.counter;
  status.jobs = seen.jobs;
  status.jobs_before = seen.jobs_before;
  status.jobs_per_minute.reset();
  if (seen.jobs.done > 0 && seen.seconds > 0) {
    status.jobs_per_minute = static_cast<double>(seen.jobs.done) / seen.seconds * 60;
  }
  status.seconds_left =
      unscanned == 0 && !draining && phase_now != RunPhase::ended ? board.seconds_left() : std::nullopt;
  if (journal) status.journal_bytes = journal->length();
  storage::replace_view(status_file(options.out), encode(status));
}

void SweepRun::State::end_status(int exit_status, const std::string& why) {
  if (status.pid == 0) return;  // it was refused before the directory was its own
  status.exit_status = exit_status;
  status.why = why;
  write_status(RunPhase::ended);
}

}  // namespace runner
