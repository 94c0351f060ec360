// The thin loop around the coordinator: receives, asks it, has its actions performed, and says how it ended.
#include "runner/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "results/tables.hpp"
#include "runner/directory_report.hpp"
#include "runner/exit_status.hpp"
#include "runner/last_words.hpp"
#include "runner/models_list.hpp"
#include "runner/placement.hpp"
#include "runner/sweep_run_state.hpp"
#include "storage/error.hpp"
#include "storage/is_there.hpp"
#include "storage/machine.hpp"
#include "workers/fault_on_request.hpp"

namespace runner {
namespace {

constexpr workers::Seconds kReceiveWait{0.05};
constexpr double kGoodbyeSeconds = 10;
/// A driver that was not loaded takes some seconds for each GPU of a host.
constexpr double kPlacementSeconds = 30;

/// Workers that wait for a place are not overdue before they get one.
std::unique_ptr<GpuPlacement> make_placement(const RunOptions& options) {
  return std::make_unique<GpuPlacement>(options.workers_per_gpu,
                                        std::min(kPlacementSeconds, options.budgets.hello_deadline / 2));
}

Exit exit_of(const std::exception& error) {
  return dynamic_cast<const storage::UsageError*>(&error) != nullptr ? Exit::usage : Exit::broke;
}

}  // namespace

std::atomic<Stopping>& stopping_asked() {
  static std::atomic<Stopping> asked{Stopping::no};
  return asked;
}

ProgressView SweepRun::State::view() const {
  return meter.view(coordinator->counts_of_jobs(), coordinator->counts_of_features(), committed, now());
}

void SweepRun::State::greet(const FromWorker& from) {
  board.heard(from.worker);
  const auto* beat = std::get_if<workers::Heartbeat>(&from.message);
  if (beat != nullptr && beat->still) board.still(from.worker, *beat->still);
  if (const auto* hello = std::get_if<workers::Hello>(&from.message)) {
    board.greeted(from.worker, *hello);
    hosts[from.worker] = hello->host;
    processors[from.worker] = hello->processor;
    gone.erase(from.worker);
    if (status.faults.empty()) status.faults = hello->faults;
    if (!hello->faults.empty() && hello->faults != workers::requested_faults()) {
      warn(workers::warning_about_faults(hello->faults, fmt::format(" on worker {}", from.worker.value)));
    }
    log->info(fmt::format("worker {}: host {}, pid {}, {} thread(s), {} GPU(s) visible, {}", from.worker.value,
                          hello->host, hello->pid, hello->threads, hello->visible.gpus.size(), hello->processor));
  } else if (std::holds_alternative<workers::Goodbye>(from.message)) {
    gone.insert(from.worker);
  }
}

/// Tells every worker to leave and waits a little for their goodbyes; a dead one does not keep the others.
void SweepRun::State::say_goodbye(Link& workers_link) {
  for (const auto worker : workers_link.workers()) {
    if (gone.count(worker) == 0) workers_link.send(worker, workers::Shutdown{});
  }
  const auto until = now() + kGoodbyeSeconds;
  while (gone.size() < workers_link.workers().size() && now() < until) {
    for (auto& in : workers_link.receive(kReceiveWait)) greet({in.worker, in.message});
    for (auto& loss : workers_link.losses()) gone.insert(loss.worker);
  }
}

SweepRun::SweepRun(RunOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->options.budgets.checkpoint_every = state_->options.checkpoint_every.count();
  state_->placement = make_placement(state_->options);
  state_->coordinator = std::make_unique<Coordinator>(state_->options.budgets);
  try {
    state_->options.dry_run ? state_->prepare_rehearsal() : state_->prepare();
  } catch (const std::exception& error) {
    if (!state_->options.dry_run) state_->end_status(static_cast<int>(exit_of(error)), error.what());
    throw;
  }
  // What tasks should take is known once the journal is read.
  state_->coordinator = std::make_unique<Coordinator>(state_->options.budgets, state_->measured.times);
}
SweepRun::~SweepRun() = default;

void SweepRun::State::drain(const std::string& why, std::optional<double> seconds_left) {
  if (draining) return;
  draining = true;
  meter.drain();
  warn("draining: " + why);
  hand(DrainAsked{seconds_left});
  flush();
}

/// Told to end by whoever then ends this run, who may have let it drain until now.
void SweepRun::State::end_soon() {
  if (!gives_up_at) {
    const double seconds = options.end_within.value_or(0);
    gives_up_at = now() + seconds;
    draining = true;
    meter.drain();
    warn(fmt::format("ending: this run was told to end, within {:g} s: trainings that cannot end before {}", seconds,
                     options.checkpoint_every.count() > 0 ? "make way with a checkpoint" : "are given up"));
    hand(DrainAsked{seconds});
    flush();
  }
  given_up = given_up || now() >= *gives_up_at;
}

bool SweepRun::nothing_to_do() const {
  const auto jobs = state_->selected_jobs();
  return state_->open_jobs().empty() &&
         std::all_of(jobs.begin(), jobs.end(), [&](const auto& job) { return state_->features->scanned(job.dataset); });
}

std::optional<int> SweepRun::committed_threads() const {
  return runner::committed_threads(state_->ledger);
}

void SweepRun::run(Link& link) {
  auto& s = *state_;
  s.link = &link;
  s.tell_time();
  s.board.expect(link.workers());
  s.hand(WorkersExpected{link.workers()});
  s.placement->expect(link.workers(), s.now());
  s.start();
  s.flush();
  while (!s.coordinator->finished() && s.stopped.empty() && !s.given_up) {
    auto arrived = link.receive(kReceiveWait);
    s.tell_time();
    s.watch_deadline();  // before a message frees a worker
    for (auto& in : arrived) s.hear(in);
    for (auto& loss : link.losses()) s.hand(LinkLost{loss.worker, loss.why});
    s.place_workers();
    s.hand(Tick{});
    s.flush();
    const auto asked = stopping_asked().load();
    if (asked == Stopping::drain) {
      s.drain(
          "no new job starts, those that run may end, long ones make way with a checkpoint; Ctrl-C once more gives "
          "them "
          "up",
          s.seconds_to_drain());
    }
    if (asked == Stopping::soon) s.end_soon();
    s.given_up = s.given_up || asked == Stopping::now;
    s.lock->refresh();
    s.progress.show(s.view(), s.now());
    s.show_status();
  }
  const auto of_features = s.coordinator->counts_of_features();
  s.features_made = s.unscanned == 0 && of_features.waiting + of_features.running + of_features.failed == 0;
  s.report_features();
  s.progress.finish(s.view());
  s.record_worker_uses();
  if (!s.given_up) s.say_goodbye(link);  // else trainers die with their supervisors
  s.find_old_checkpoints();              // of attempts that were given up and wrote on
}

/// It says nothing of any result: a disk that does not take it ends nothing.
void SweepRun::State::record_worker_uses() {
  tell_time();
  const auto uses = board.uses();
  if (const auto words = in_words(uses); !words.empty()) log->info(words);
  try {
    append_worker_uses(options.out, storage::utc_text(status.started), uses);
  } catch (const storage::Error& error) {
    warn(error.what());
  }
}

void SweepRun::record(Exit status, const std::string& why) {
  state_->end_status(static_cast<int>(status), why);
  record_exit_status(state_->options.out, static_cast<int>(status));
}

void SweepRun::State::log_end(const std::string& why) {
  log->info("the run ends: " + why);
}

void SweepRun::log_end(const std::string& why) {
  state_->log_end(why);
}

/// Of `extract`, which leaves no results behind.
Exit SweepRun::State::report_extraction() {
  if (!stopped.empty()) throw storage::Error("the extraction stopped: " + stopped);
  if (!feature_failures.empty()) throw storage::Error(feature_failures.front());
  if (!features_made) {
    const auto line = "drained: " + why_too_late() + "not every feature is made; the same command goes on";
    say_last(line);
    log_end(line + " (exit status 4)");
    return Exit::drained;
  }
  const auto line = fmt::format("features of {} jobs are in {}", selected.size(), features->cache().string());
  std::cout << line << std::endl;
  log_end(line + " (exit status 0)");
  return Exit::complete;
}

Exit SweepRun::report() {
  auto& s = *state_;
  s.journal->check_in_place();
  s.write_status(RunPhase::reporting);
  if (s.options.features_only) return s.report_extraction();
  const auto index = write_directory_report(s.options.out, s.run_file, s.ledger, s.draining ? 0 : kSecondsForDumps);
  const auto width = terminal_width(fileno(stdout));
  const bool something = !s.ledger.done.empty() || !s.ledger.failed.empty();
  if (something && !s.given_up) {  // a table of nothing but "missing" only hides the line that matters
    for (const auto& table : s.plan.tables) {
      std::cout << results::to_terminal(results::aggregate(s.plan, table, s.ledger), width) << "\n";
    }
    std::cout << "Report: " << index.string() << std::endl;
    if (const auto models = models_list(index.parent_path()); storage::is_there(models))
      std::cout << "Models: " << models.string() << std::endl;
  }

  std::size_t failed = 0;
  std::size_t left = 0;
  for (const auto i : s.selected) {
    const bool taken_back = s.redo.contains(s.plan.keys[i]);
    if (s.ledger.done.contains(s.plan.keys[i]) && !taken_back) continue;
    const bool failed_now = s.failed_now.contains(s.plan.keys[i]);  // one that was to be made again keeps its result
    const bool failed_before = s.ledger.failed.contains(s.plan.keys[i]) && !s.options.retry_failed;
    ++(failed_now || failed_before ? failed : left);
  }
  if (!s.stopped.empty()) throw storage::Error("the sweep stopped: " + s.stopped);
  if (!s.feature_failures.empty()) throw storage::Error(s.feature_failures.front());
  if (s.lost_jobs > 0) {
    throw storage::Error(
        fmt::format("{} job(s) were lost with their workers too often; the same command runs them again", s.lost_jobs));
  }
  if (left > 0) {
    const bool was_told_to_stop = s.given_up && stopping_asked().load() == Stopping::now;
    const auto line = fmt::format("{}: {}{} of {} jobs are left; the same command goes on{}",
                                  s.given_up ? "stopped, running jobs were given up" : "drained", s.why_too_late(),
                                  left, s.selected.size(), was_told_to_stop ? s.options.how_to_drain : "");
    say_last(line);
    s.log_end(line + " (exit status 4)");
    return Exit::drained;
  }
  if (failed > 0) {
    const auto line = fmt::format("{} job(s) failed (see {}); --retry-failed runs them again", failed,
                                  (s.options.out / "logs" / "run.log").string());
    say_last(line);
    s.log_end(line + " (exit status 3)");
    return Exit::failed_cells;
  }
  s.log_end("every selected job has a result (exit status 0)");
  return Exit::complete;
}

}  // namespace runner
