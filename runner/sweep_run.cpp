// The thin loop around the coordinator: receives, asks it, performs its actions in order.
#include "runner/sweep_run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <numeric>
#include <set>
#include <thread>

#include "results/journal.hpp"
#include "results/tables.hpp"
#include "runner/directory_report.hpp"
#include "runner/epoch_line.hpp"
#include "runner/event_log.hpp"
#include "runner/feature_plan.hpp"
#include "runner/lock.hpp"
#include "runner/meter.hpp"
#include "runner/placement.hpp"
#include "runner/progress.hpp"
#include "runner/run_file.hpp"
#include "runner/version.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"
#include "storage/nearest.hpp"
#include "sweeps/backbones.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
constexpr workers::Seconds kReceiveWait{0.05};
constexpr double kLogEverySeconds = 30;
constexpr double kGoodbyeSeconds = 10;

void make_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory / "logs", error);
  if (error) {
    throw storage::UsageError(fmt::format("--out {}: the directory cannot be made: {}; give one that you may write to",
                                          directory.string(), error.message()));
  }
}

LockOptions lock_options(bool take_over) {
  LockOptions options;
  options.take_over = take_over;
  options.wait = [](std::chrono::duration<double> time) { std::this_thread::sleep_for(time); };
  options.say = [](const std::string& line) { std::cerr << line << std::endl; };
  return options;
}

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace

std::atomic<Stopping>& stopping_asked() {
  static std::atomic<Stopping> asked{Stopping::no};
  return asked;
}

struct SweepRun::State {
  RunOptions options;
  sweeps::Sweep sweep;
  std::unique_ptr<FeaturePlan> features;
  sweeps::Plan plan;
  std::vector<std::size_t> selected;  ///< indices into plan.jobs that this run is about
  RunFile run_file;
  std::unique_ptr<DirectoryLock> lock;
  results::Ledger ledger;
  std::unique_ptr<results::Journal> journal;
  std::unique_ptr<EventLog> log;
  ProgressLine progress{stderr, isatty(fileno(stderr)) == 1, kLogEverySeconds};
  std::unique_ptr<Coordinator> coordinator;

  std::set<sweeps::JobKey> redo;
  bool journal_dirty = false;
  std::string stopped;                        ///< why the sweep was stopped, "" if it was not
  std::vector<std::string> feature_failures;  ///< one line each
  std::int64_t lost_jobs = 0;                 ///< out of the infrastructure budget
  std::map<workers::WorkerId, std::string> hosts;
  std::set<workers::WorkerId> gone;
  std::int64_t committed = 0;  ///< selected jobs with a result
  Meter meter;
  bool given_up = false;  ///< stopped at once, running jobs were given up

  void prepare();
  void announce(const Site& site);
  void freeze_once();
  bool all_scanned() const;
  bool frozen = false;
  std::vector<sweeps::Job> selected_jobs() const;
  bool is_open(const sweeps::Job& job) const;
  std::vector<sweeps::Job> open_jobs() const;
  std::vector<sweeps::Job> open_jobs_of(const std::string& dataset) const;
  void check_changed();
  void add_jobs_of(const std::vector<sweeps::Job>& jobs);
  void start();
  void hand(const Event& event);
  void perform(const Action& action);
  void commit(const Commit& commit);
  void commit_job(const sweeps::Job& job, const Commit& commit, const workers::Trained& trained);
  void record_attempt(const RecordAttempt& record);
  void record_failure(const RecordFailure& record);
  void greet(const FromWorker& from);
  void append(const results::Entry& entry);
  void sync();
  void warn(const std::string& line);
  ProgressView view() const;
  void say_goodbye(Link& link);
  double now() const { return workers::steady_seconds().count(); }
  Link* link = nullptr;
  std::int64_t unscanned = 0;        ///< data sets whose scan is under way
  std::set<std::string> unreadable;  ///< data sets whose scan failed
};

// ---- before the first worker
// -------------------------------------------------------------------------------------------------------

/// A mistyped id would otherwise leave its path unused without a word.
static void refuse_unused(const char* flag, const std::map<std::string, std::string>& given,
                          const std::vector<std::string>& ids) {
  for (const auto& [id, path] : given) {
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
    throw storage::UsageError(
        fmt::format("{} {}={}: the sweep names no \"{}\"{}", flag, id, path, id, storage::suggestion(id, ids)));
  }
}

void SweepRun::State::prepare() {
  const auto site = read_site(options.site);
  sweep = sweeps::read_sweep(options.sweep);
  std::vector<std::string> ids;
  for (const auto& spec : sweep.datasets) ids.push_back(spec.id);
  refuse_unused("--data", options.site.data, ids);
  refuse_unused("--weights", options.site.weights, sweeps::backbone_names());
  features = std::make_unique<FeaturePlan>(sweep, site);
  plan = sweeps::expand(sweep, features->class_names());
  if (options.only.empty()) {
    selected.resize(plan.jobs.size());
    std::iota(selected.begin(), selected.end(), std::size_t{0});
  } else {
    selected = sweeps::select_jobs(plan, options.only);
  }
  features->find_weights(plan.jobs);
  make_directory(options.out);
  lock = std::make_unique<DirectoryLock>(options.out, lock_options(options.take_over));
  log = std::make_unique<EventLog>(options.out / "logs" / "run.log");
  run_file = read_run_file(options.out);
  const auto replaced = freeze(run_file, sweep, features->class_names());
  run_file.facts = {kVersion, storage::host_name(), storage::utc_now(), options.command};
  const auto replay = results::replay_journal(options.out / "journal.jsonl");
  ledger = replay.ledger;
  journal = std::make_unique<results::Journal>(options.out / "journal.jsonl", replay);
  if (replaced) {
    warn(fmt::format(
        "sweep {}: replaces the version that this directory had; results that it no longer names stay in the journal",
        sweep.name));
  }
  if (replay.cut_tail)
    warn("journal.jsonl: its last line was torn by the end of an earlier run and has been cut; that job runs again");
  committed =
      std::count_if(selected.begin(), selected.end(), [&](auto i) { return ledger.done.contains(plan.keys[i]); });
  check_changed();
  if (all_scanned()) freeze_once();
  announce(site);
}

/// run.json names a sweep only when its committed results have been held against today's images.
void SweepRun::State::freeze_once() {
  if (frozen) return;
  write_run_file(options.out, run_file);
  frozen = true;
}

bool SweepRun::State::all_scanned() const {
  return std::all_of(plan.jobs.begin(), plan.jobs.end(),
                     [&](const auto& job) { return features->scanned(job.dataset); });
}

void SweepRun::State::announce(const Site& site) {
  const auto line =
      fmt::format("sweep {}: {} jobs, {} done, {} to run", sweep.name, selected.size(), committed, open_jobs().size());
  log->info(fmt::format("plume-bench {} on {} (pid {}): {}", kVersion, storage::host_name(), getpid(), line));
  progress.message(line);
  if (open_jobs().empty()) return;
  progress.message("feature cache: " + site.cache.string());
  for (const auto& short_class : features->short_classes(open_jobs())) warn(short_class);
}

std::vector<sweeps::Job> SweepRun::State::selected_jobs() const {
  std::vector<sweeps::Job> jobs;
  for (const auto i : selected) jobs.push_back(plan.jobs[i]);
  return jobs;
}

bool SweepRun::State::is_open(const sweeps::Job& job) const {
  const auto key = sweeps::key_of(job);
  if (redo.count(key) > 0) return true;
  if (ledger.done.count(key) > 0) return false;
  return options.retry_failed || ledger.failed.count(key) == 0;
}

std::vector<sweeps::Job> SweepRun::State::open_jobs() const {
  auto jobs = selected_jobs();
  std::erase_if(jobs, [&](const auto& job) { return !is_open(job); });
  return jobs;
}

std::vector<sweeps::Job> SweepRun::State::open_jobs_of(const std::string& dataset) const {
  auto jobs = open_jobs();
  std::erase_if(jobs, [&](const auto& job) { return job.dataset != dataset; });
  return jobs;
}

/// Committed results of the whole sweep must rest on today's feature sets; with --redo-changed those that do not are
/// run again.
void SweepRun::State::check_changed() {
  const auto changed =
      changed_results(plan.jobs, ledger, *features, read_site(options.site).cache, options.redo_changed);
  std::size_t ours = 0;
  for (const auto i : selected) {
    if (!changed.contains(plan.keys[i])) continue;
    ++ours;
    if (redo.insert(plan.keys[i]).second) --committed;
  }
  if (ours < changed.size()) {
    throw storage::UsageError(
        fmt::format("--redo-changed with --only: {} more committed results rest on changed images, and a table would "
                    "mix both; leave --only out",
                    changed.size() - ours));
  }
}

// ---- the loop
// ----------------------------------------------------------------------------------------------------------------------

ProgressView SweepRun::State::view() const {
  return meter.view(coordinator->counts_of_jobs(), coordinator->counts_of_features(), committed, now());
}

void SweepRun::State::add_jobs_of(const std::vector<sweeps::Job>& jobs) {
  freeze_once();
  auto tasks = features->tasks_for(jobs, [this](const std::string& line) { warn(line); });
  meter.add(tasks);
  hand(TasksAdded{std::move(tasks)});
}

void SweepRun::State::start() {
  const auto jobs = selected_jobs();
  auto scans = features->scan_tasks(jobs);
  std::set<std::string> datasets;
  for (const auto& job : jobs) datasets.insert(job.dataset);
  for (const auto& id : datasets) {
    if (features->scanned(id)) {
      add_jobs_of(open_jobs_of(id));
    } else {
      ++unscanned;
    }
  }
  meter.add(scans);
  if (!scans.empty()) hand(TasksAdded{std::move(scans)});
  if (unscanned == 0) hand(NoMoreTasks{});
}

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
  meter.done(task);
  if (const auto* scanned = std::get_if<workers::Scanned>(&done.output)) {
    const auto dataset = features->take_scan(done.task, *scanned);
    if (dataset.empty()) return;
    check_changed();
    add_jobs_of(open_jobs_of(dataset));
    if (--unscanned == 0) hand(NoMoreTasks{});
  } else if (const auto* trained = std::get_if<workers::Trained>(&done.output)) {
    commit_job(std::get<workers::TrainTask>(task.what).job, done, *trained);
  }
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
    const auto line = fmt::format("{}: found learning rate {}", sweeps::describe(job), learning_rate_text(*rate));
    log->info(line);
    if (!options.only.empty()) progress.message(line);
  }
  if (trained.result.outcome == results::Outcome::diverged) {
    warn(fmt::format("{}: diverged at epoch {} (a loss stopped being finite)", sweeps::describe(job),
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

void SweepRun::State::greet(const FromWorker& from) {
  if (const auto* hello = std::get_if<workers::Hello>(&from.message)) {
    hosts[from.worker] = hello->host;
    log->info(fmt::format("worker {}: host {}, pid {}, {} x {} thread(s)", from.worker.value, hello->host, hello->pid,
                          hello->device, hello->threads));
  } else if (std::holds_alternative<workers::Goodbye>(from.message)) {
    gone.insert(from.worker);
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
  state_->coordinator = std::make_unique<Coordinator>(state_->options.budgets);
  state_->prepare();
}
SweepRun::~SweepRun() = default;

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
  s.hand(WorkersExpected{link.workers()});
  s.start();
  bool draining = false;
  while (!s.coordinator->finished() && s.stopped.empty() && !s.given_up) {
    for (auto& in : link.receive(kReceiveWait)) {
      const FromWorker from{in.worker, std::move(in.message)};
      s.greet(from);
      s.hand(from);
    }
    for (auto& loss : link.losses()) s.hand(LinkLost{loss.worker, loss.why});
    s.hand(Tick{});
    const auto asked = stopping_asked().load();
    if (asked == Stopping::drain && !draining) {
      draining = true;
      s.meter.drain();
      s.warn("draining: no new job starts, those that run may end; Ctrl-C once more gives them up");
      s.hand(DrainAsked{});
    }
    s.given_up = asked == Stopping::now;
    s.lock->refresh();
    s.progress.show(s.view(), s.now());
  }
  s.progress.finish(s.view());
  if (!s.given_up) s.say_goodbye(link);  // else trainers die with their supervisors
}

Exit SweepRun::report() {
  auto& s = *state_;
  const auto index = write_directory_report(s.options.out, s.run_file, s.ledger);
  const auto width = terminal_width(fileno(stdout));
  const bool something = !s.ledger.done.empty() || !s.ledger.failed.empty();
  if (something && !s.given_up) {  // a table of nothing but "missing" only hides the line that matters
    for (const auto& table : s.plan.tables) {
      std::cout << results::to_terminal(results::aggregate(s.plan, table, s.ledger), width) << "\n";
    }
    std::cout << "Report: " << index.string() << std::endl;
  }

  std::size_t failed = 0;
  std::size_t left = 0;
  for (const auto i : s.selected) {
    const bool taken_back = s.redo.contains(s.plan.keys[i]);
    if (s.ledger.done.contains(s.plan.keys[i]) && !taken_back) continue;
    ++(s.ledger.failed.count(s.plan.keys[i]) > 0 ? failed : left);
  }
  if (!s.stopped.empty()) throw storage::Error("the sweep stopped: " + s.stopped);
  if (!s.feature_failures.empty()) throw storage::Error(s.feature_failures.front());
  if (s.lost_jobs > 0) {
    throw storage::Error(
        fmt::format("{} job(s) were lost with their workers too often; the same command runs them again", s.lost_jobs));
  }
  if (left > 0) {
    std::cerr << fmt::format("{}: {} of {} jobs are left; the same command goes on{}\n",
                             s.given_up ? "stopped, running jobs were given up" : "drained", left, s.selected.size(),
                             s.given_up ? s.options.how_to_drain : "");
    return Exit::drained;
  }
  if (failed > 0) {
    std::cerr << fmt::format("{} job(s) failed (see {}); --retry-failed runs them again\n", failed,
                             (s.options.out / "logs" / "run.log").string());
    return Exit::failed_cells;
  }
  return Exit::complete;
}

}  // namespace runner
