// Performs the coordinator's actions, in its order: a result is durable before the next task goes out.
#include <fmt/format.h>

#include "runner/epoch_line.hpp"
#include "runner/sweep_run_state.hpp"

namespace runner {
namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace

void SweepRun::State::hand(const Event& event) {
  const auto actions = coordinator->on(event, now());
  for (const auto& action : actions) perform(action);
  sync();
}

void SweepRun::State::perform(const Action& action) {
  std::visit(Overloaded{
                 [this](const Send& send) {
                   sync();  // a result is durable before the next task goes out
                   if (const auto* assign = std::get_if<workers::Assign>(&send.message)) {
                     log->info(fmt::format("worker {} starts {} (attempt {})", send.worker.value,
                                           coordinator->task(assign->task).name, assign->attempt.value));
                     meter.started(coordinator->task(assign->task), now());
                   }
                   link->send(send.worker, send.message);
                 },
                 [this](const Commit& done) { commit(done); },
                 [this](const RecordAttempt& record) { record_attempt(record); },
                 [this](const RecordFailure& record) { record_failure(record); },
                 [this](const ShowEpoch& show) {
                   if (!options.only.empty()) {
                     progress.message(coordinator->task(show.task).name + " " + epoch_text(show.epoch));
                   }
                 },
                 [this](const WorkerGone& left) {
                   gone.insert(left.worker);
                   link->drop(left.worker);
                   warn(fmt::format("worker {} ({}) is gone: {}", left.worker.value, hosts[left.worker], left.why));
                 },
                 [this](const Quarantine& bad) {
                   warn(fmt::format("worker {} ({}) is set aside: {}", bad.worker.value, hosts[bad.worker], bad.why));
                 },
                 [this](const StopSweep& stop) {
                   stopped = stop.why;
                   log->error("the sweep stops: " + stop.why);
                 },
                 [this](const auto&) {},
             },
             action);
}

void SweepRun::State::commit(const Commit& done) {
  const auto& task = coordinator->task(done.task);
  log->info(fmt::format("worker {} finished {} in {:.2f} s", done.worker.value, task.name, done.wall_seconds));
  meter.done(task, now());
  meter.took(task, done.output);
  if (const auto* scanned = std::get_if<workers::Scanned>(&done.output)) {
    const auto dataset = features->take_scan(done.task, *scanned);
    if (dataset.empty()) return;
    go_on_with(dataset);
    if (--unscanned == 0) hand(NoMoreTasks{});
  } else if (std::holds_alternative<workers::Extracted>(done.output)) {
    if (unscanned == 0 && meter.features_are_made()) report_features();
  } else if (const auto* trained = std::get_if<workers::Trained>(&done.output)) {
    commit_job(std::get<workers::TrainTask>(task.what).job, done, *trained);
  }
}

/// What became of the time that the features took, once.
void SweepRun::State::report_features() {
  const auto profile = meter.features_profile();
  if (!profile || features_reported) return;
  features_reported = true;
  const auto line = profile_text(*profile);
  log->info(line);
  progress.message(line);
}

void SweepRun::State::commit_job(const sweeps::Job& job, const Commit& done, const workers::Trained& trained) {
  results::JobTiming timing;
  timing.wall_seconds = done.wall_seconds;
  timing.host = hosts[done.worker];
  timing.started = done.started;
  // A result that rests on changed images is taken back only now that there is another.
  const auto key = sweeps::key_of(job);
  if (redo.erase(key) > 0) {
    append(results::AttemptEnded{key, ledger.done.at(key).attempt, std::string(results::kRedo),
                                 "its feature sets have changed"});
  }
  append(results::Done{job, done.attempt.value, trained.result, timing});
  ++committed;
  if (const auto rate = trained.result.found_learning_rate) {
    const auto line = fmt::format("{}: found learning rate {}", names.at(key), learning_rate_text(*rate));
    log->info(line);
    if (!options.only.empty()) progress.message(line);
  }
  if (trained.result.outcome == results::Outcome::diverged) {
    warn(fmt::format("{}: diverged at epoch {} (a loss or a score stopped being finite)", names.at(key),
                     trained.result.diverged_epoch.value_or(0)));
  }
}

void SweepRun::State::record_attempt(const RecordAttempt& record) {
  const auto& task = coordinator->task(record.task);
  warn(fmt::format("{}: attempt {} on worker {} ended without a result: {}: {}; it is tried again", task.name,
                   record.attempt.value, record.worker.value, workers::name_of(record.cause), record.message));
  if (const auto* train = std::get_if<workers::TrainTask>(&task.what)) {
    append(results::AttemptEnded{sweeps::key_of(train->job), record.attempt.value,
                                 std::string(workers::name_of(record.cause)), record.message});
  }
}

void SweepRun::State::record_failure(const RecordFailure& record) {
  const auto& task = coordinator->task(record.task);
  const auto line = fmt::format("{}: failed at attempt {}: {}: {}", task.name, record.attempt.value,
                                workers::name_of(record.cause), record.message);
  warn(line);
  const auto* train = std::get_if<workers::TrainTask>(&task.what);
  if (train == nullptr) {
    feature_failures.push_back(record.message);
    // Several slices of one data set may fail; it is given up once.
    const auto* scan = std::get_if<workers::ScanTask>(&task.what);
    if (scan != nullptr && unreadable.insert(scan->data.spec.id).second && --unscanned == 0) hand(NoMoreTasks{});
  } else if (workers::is_infrastructure(record.cause)) {
    ++lost_jobs;
    append(results::AttemptEnded{sweeps::key_of(train->job), record.attempt.value,
                                 std::string(workers::name_of(record.cause)), record.message});
  } else {
    append(
        results::Failed{train->job, record.attempt.value, std::string(workers::name_of(record.cause)), record.message});
  }
}

void SweepRun::State::append(const results::Entry& entry) {
  journal->append(entry);
  ledger.apply(entry);
  journal_dirty = true;
}

void SweepRun::State::sync() {
  if (!journal_dirty) return;
  journal->sync();
  journal_dirty = false;
}

void SweepRun::State::warn(const std::string& line) {
  log->warning(line);
  progress.message(line);
}

}  // namespace runner
