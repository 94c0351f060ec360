// Performs the coordinator's actions, in its order: a result is durable before the next task goes out.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/attempts_folder.hpp"
#include "runner/epoch_line.hpp"
#include "runner/job_names.hpp"
#include "runner/sweep_run_state.hpp"
#include "storage/machine.hpp"
#include "workers/kept_files.hpp"

namespace runner {
namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

/// ": AUROC 0.8123, best 0.8300 at epoch 7"; nothing of what is no result.
std::string outcome_in_words(const workers::TaskOutput& output) {
  const auto* trained = std::get_if<workers::Trained>(&output);
  if (trained == nullptr || trained->result.epochs.empty()) return "";
  const auto& epochs = trained->result.epochs;
  const auto last = epochs.back().auc();
  if (!last) return ": AUROC undefined";
  const auto best = results::best_epoch(epochs);
  if (epochs.size() == 1 || !best) return fmt::format(": AUROC {:.4f}", *last);
  return fmt::format(": AUROC {:.4f}, best {:.4f} at epoch {}", *last, *epochs[*best].auc(), epochs[*best].epoch);
}

}  // namespace

std::string SweepRun::State::label(const PlannedTask& task) const {
  const auto* train = std::get_if<workers::TrainTask>(&task.what);
  return train == nullptr ? task.name : labelled(task.name, sweeps::key_of(train->job));
}

void SweepRun::State::hand(const Event& event) {
  const auto actions = coordinator->on(event, now());
  for (const auto& action : actions) perform(action);
}

/// The messages of a batch of events go out together, after one fsync: results are durable before the next tasks start,
/// and a hundred results that arrived at once wait for the disk once.
void SweepRun::State::flush() {
  for (const auto& each : outbox) {
    const auto* assign = std::get_if<workers::Assign>(&each.message);
    const auto* train = assign != nullptr ? std::get_if<workers::TrainTask>(&assign->what) : nullptr;
    if (train == nullptr) continue;
    // Not worth a wait for the disk: should the machine lose it, only the number of a lost attempt is used again.
    const bool was_dirty = journal_dirty;
    append(results::AttemptStarted{sweeps::key_of(train->job), assign->attempt.value, worker_name(each.worker),
                                   storage::utc_now()});
    journal_dirty = was_dirty;
  }
  sync();
  remove_needless_checkpoints();
  for (const auto& each : std::exchange(outbox, {})) send_one(each);
}

void SweepRun::State::send_one(const Send& send) {
  if (const auto* assign = std::get_if<workers::Assign>(&send.message)) {
    const auto& task = coordinator->task(assign->task);
    log->info(fmt::format("worker {} starts {} (attempt {})", send.worker.value, label(task), assign->attempt.value));
    meter.started(task, now());
    board.started(send.worker, task, assign->attempt);
  }
  link->send(send.worker, send.message);
}

std::string SweepRun::State::worker_name(workers::WorkerId worker) const {
  const auto host = hosts.find(worker);
  return host == hosts.end() ? fmt::format("worker {}", worker.value)
                             : fmt::format("worker {} ({})", worker.value, host->second);
}

void SweepRun::State::perform(const Action& action) {
  std::visit(Overloaded{
                 [this](const Send& send) { outbox.push_back(send); },
                 [this](const Commit& done) { commit(done); },
                 [this](const RecordAttempt& record) { record_attempt(record); },
                 [this](const RecordFailure& record) { record_failure(record); },
                 [this](const ShowEpoch& show) {
                   board.epoch(show);
                   if (options.epoch_lines) {
                     progress.message(coordinator->task(show.task).name + " " + epoch_text(show.epoch));
                   }
                 },
                 [this](const ShowCheckpoint& shown) { show(shown); },
                 [this](const WorkerGone& left) { drop(left); },
                 [this](const KeepEvidence& late_one) { keep_evidence(late_one); },
                 [this](const Quarantine& bad) {
                   const auto line =
                       fmt::format("worker {} ({}) is set aside: {}", bad.worker.value, hosts[bad.worker], bad.why);
                   warn(line);
                   board.set_aside(bad.worker, bad.why);
                   append(results::Note{storage::utc_now() + " " + line});  // the report shows it
                 },
                 [this](const StopSweep& stop) {
                   stopped = stop.why;
                   log->error("the sweep stops: " + stop.why);
                 },
                 [this](const RecordBlocked& blocked) { board.blocked(blocked.task); },
                 [](const Finished&) {},
             },
             action);
}

void SweepRun::State::drop(const WorkerGone& left) {
  gone.insert(left.worker);
  board.gone(left.worker, left.why);
  placement->leave(left.worker);
  greetings.erase(left.worker);
  std::erase_if(outbox, [&](const Send& send) { return send.worker == left.worker; });
  link->drop(left.worker);
  if (sent_away.contains(left.worker)) return;  // a line for its host has been said
  warn(fmt::format("{} is gone: {}", worker_name(left.worker), left.why));
}

/// A result that came too late is no result, but it is work that was done: who doubts the committed one may compare.
void SweepRun::State::keep_evidence(const KeepEvidence& late_one) {
  const auto& task = coordinator->task(late_one.task);
  const auto what = fmt::format("{}: a result of attempt {} from {} came too late ({})", label(task),
                                late_one.attempt.value, worker_name(late_one.worker), late_one.why);
  const auto* train = std::get_if<workers::TrainTask>(&task.what);
  const auto* trained = std::get_if<workers::Trained>(&late_one.output);
  if (train == nullptr || trained == nullptr) {
    log->info(what + "; it is not used");
    return;
  }
  results::JobTiming timing;
  timing.host = hosts[late_one.worker];
  timing.processor = processors[late_one.worker];
  if (const auto gpu = placement->gpu_of(late_one.worker)) timing.gpu = gpu->uuid;
  const auto file = keep_late_result(options.out, {train->job, late_one.attempt.value, trained->result, timing},
                                     worker_name(late_one.worker), late_one.why);
  const auto where = file.empty() ? std::string("it could not be kept") : "kept as " + file.string();
  warn(fmt::format("{}; it does not count; {}", what, where));
  const auto key = sweeps::key_of(train->job);
  late[key].push_back({trained->result, timing.processor});
  const auto done = ledger.done.find(key);
  if (done != ledger.done.end() && !redo.contains(key))
    compare_with_late(key, {done->second.result, done->second.timing.processor});
}

/// One job has one result, whoever computes it. Where it has not, no number of this machine should be believed blindly.
void SweepRun::State::compare_with_late(const sweeps::JobKey& key, const ComputedResult& counted) {
  const auto found = late.find(key);
  if (found == late.end()) return;
  for (const auto& late_one : found->second) {
    if (!contradict(late_one, counted)) continue;
    const auto line = fmt::format(
        "{}: its late result differs from the committed one, though job, device kind, threads and kind of processor "
        "are the same: a worker computes wrongly (compare {})",
        labelled(names.at(key), key), (options.out / "attempts").string());
    warn(line);
    append(results::Note{line});
  }
  late.erase(found);
}

void SweepRun::State::keep_words(const sweeps::JobKey& key, int attempt, const std::string& standard_error) {
  if (standard_error.empty()) return;
  const auto file = keep_standard_error(options.out, key, attempt, standard_error);
  const auto folder = attempt_folder(options.out, key, attempt).string();
  log->info(labelled(names.at(key), key) +
            (file.empty() ? ": what its trainer wrote to standard error cannot be kept in " + folder
                          : ": what its trainer wrote to standard error: " + file.string()));
}

void SweepRun::State::commit(const Commit& done) {
  const auto& task = coordinator->task(done.task);
  log->info(fmt::format("worker {} finished {} (attempt {}) in {:.2f} s{}", done.worker.value, label(task),
                        done.attempt.value, done.wall_seconds, outcome_in_words(done.output)));
  meter.done(task, now());
  board.done(done, task);
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
  timing.processor = processors[done.worker];
  if (const auto gpu = placement->gpu_of(done.worker)) timing.gpu = gpu->uuid;
  timing.started = done.started;
  // One that is made again is taken back only now that there is another.
  const auto key = sweeps::key_of(job);
  if (const auto again = redo.extract(key)) {
    append(results::AttemptEnded{key, ledger.done.at(key).attempt, std::string(results::kRedo), again.mapped()});
    const bool left_none = trained.result.outcome == results::Outcome::diverged;
    workers::remove_all_but(options.out, key, left_none ? sweeps::Keep{} : wanted_of(key));
  }
  append(results::Done{job, done.attempt.value, trained.result, timing});
  forget_checkpoints(key);
  compare_with_late(key, {trained.result, timing.processor});
  ++committed;
  if (const auto rate = trained.result.found_learning_rate) {
    const auto line =
        fmt::format("{}: found learning rate {}", labelled(names.at(key), key), learning_rate_text(*rate));
    log->info(line);
    if (options.epoch_lines) progress.message(line);
  }
  if (trained.result.outcome == results::Outcome::diverged) {
    warn(fmt::format("{}: diverged at epoch {} (a loss or a score stopped being finite)", labelled(names.at(key), key),
                     trained.result.diverged_epoch.value_or(0)));
  }
}

void SweepRun::State::record_attempt(const RecordAttempt& record) {
  const auto& task = coordinator->task(record.task);
  if (record.cause == workers::Cause::drained) {  // no failure
    log->info(fmt::format("{}: attempt {} on {}: {}", label(task), record.attempt.value, worker_name(record.worker),
                          record.message));
  } else {
    warn(fmt::format("{}: attempt {} on {} ended without a result: {}: {}; it is tried again", label(task),
                     record.attempt.value, worker_name(record.worker), workers::name_of(record.cause), record.message));
  }
  board.failed(record, task, worker_name(record.worker), false);
  if (const auto* train = std::get_if<workers::TrainTask>(&task.what)) {
    const auto key = sweeps::key_of(train->job);
    append(
        results::AttemptEnded{key, record.attempt.value, std::string(workers::name_of(record.cause)), record.message});
    if (workers::is_of_the_training(record.cause)) forget_checkpoints(key, record.attempt.value + 1);
    keep_words(key, record.attempt.value, record.standard_error);
  }
}

void SweepRun::State::record_failure(const RecordFailure& record) {
  const auto& task = coordinator->task(record.task);
  const auto line = fmt::format("{}: failed at attempt {}: {}: {} (on {})", label(task), record.attempt.value,
                                workers::name_of(record.cause), record.message, worker_name(record.worker));
  warn(line);
  board.failed({record.task, record.attempt, record.worker, record.cause, record.message}, task,
               worker_name(record.worker), true);
  const auto* train = std::get_if<workers::TrainTask>(&task.what);
  if (train == nullptr) {
    feature_failures.push_back(record.message);
    // Several slices of one data set may fail; it is given up once.
    const auto* scan = std::get_if<workers::ScanTask>(&task.what);
    if (scan != nullptr && unreadable.insert(scan->data.spec.id).second && --unscanned == 0) hand(NoMoreTasks{});
  } else if (workers::is_infrastructure(record.cause)) {
    if (record.cause == workers::Cause::disk_full) {
      feature_failures.push_back(record.message);
    } else {
      ++lost_jobs;
    }
    append(results::AttemptEnded{sweeps::key_of(train->job), record.attempt.value,
                                 std::string(workers::name_of(record.cause)), record.message});
  } else {
    failed_now.insert(sweeps::key_of(train->job));
    append(
        results::Failed{train->job, record.attempt.value, std::string(workers::name_of(record.cause)), record.message});
    if (workers::is_of_the_training(record.cause)) {
      forget_checkpoints(sweeps::key_of(train->job), record.attempt.value + 1);
    }
  }
  if (train != nullptr) keep_words(sweeps::key_of(train->job), record.attempt.value, record.standard_error);
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
  if (log) log->warning(line);
  progress.message(line);
}

}  // namespace runner
