// A hundred thousand random histories: workers that finish, fail, fall silent, come back, repeat themselves and speak
// too late, in any order, on small plans. A model that knows only the rules checks every action. A broken one is named
// by its seed and printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "runner/coordinator.hpp"
#include "tests/runner/coordinator_events.hpp"

namespace runner {
namespace {

constexpr int kHistories = 100'000;
constexpr int kBlocks = 10;
constexpr int kWildSteps = 40;   // anything may happen
constexpr int kCalmSteps = 400;  // then a worker greets when none is there, and tasks mostly end well

struct BrokenRule {
  std::string rule;
};
void require(bool holds, const char* rule) {
  if (!holds) throw BrokenRule{rule};
}

// ---- the model: what may be true of a run, from its actions alone
// ---------------------------------------------------------------

struct ModelTask {
  PlannedTask planned;
  enum { open, running, done, failed, blocked } state = open;
  int worker = 0;
  int attempt = 0;
  int job_failures = 0;
  int infrastructure_failures = 0;
};

class Model {
 public:
  explicit Model(const Budgets& budgets) : budgets_(budgets) {}

  std::map<TaskId, ModelTask> tasks;
  std::map<int, TaskId> busy;  // by worker
  std::set<int> live, barred;  // greeted and not gone; quarantined
  bool draining = false;
  bool ended = false;

  void check(const Event& event, const Actions& actions) {
    event_ = &event;
    if (std::holds_alternative<DrainAsked>(event)) draining = true;
    before(event);
    check_evidence(event, actions);
    for (std::size_t i = 0; i < actions.size(); ++i) {
      is_first_ = i == 0;
      is_last_ = i + 1 == actions.size();
      std::visit([this](const auto& action) { take(action); }, actions[i]);
    }
    shutdowns_.clear();
  }

  Counts counts(bool trainings) const {
    Counts counts;
    for (const auto& [id, task] : tasks) {
      if (std::holds_alternative<workers::TrainTask>(task.planned.what) != trainings) continue;
      if (task.state == ModelTask::open) ++counts.waiting;
      if (task.state == ModelTask::running) ++counts.running;
      if (task.state == ModelTask::done) ++counts.done;
      if (task.state == ModelTask::failed || task.state == ModelTask::blocked) ++counts.failed;
    }
    return counts;
  }

 private:
  /// What an event itself says: a greeting makes a worker live.
  void before(const Event& event) {
    const auto* from = std::get_if<FromWorker>(&event);
    if (ended || from == nullptr || !std::holds_alternative<workers::Hello>(from->message)) return;
    const int worker = from->worker.value;
    if (barred.count(worker) > 0) return;
    live.insert(worker);
  }

  /// An output of a task of the plan is committed, fails the fence and is kept, or is of the wrong kind: never lost.
  void check_evidence(const Event& event, const Actions& actions) {
    const auto* from = std::get_if<FromWorker>(&event);
    const auto* done = from == nullptr ? nullptr : std::get_if<workers::TaskDone>(&from->message);
    if (done == nullptr || tasks.count(done->task) == 0) return;
    const auto held = busy.find(from->worker.value);
    const bool counts = live.count(from->worker.value) > 0 && held != busy.end() && held->second == done->task &&
                        tasks.at(done->task).attempt == done->attempt.value;
    std::size_t commits = 0, kept = 0;
    for (const Action& action : actions) {
      commits += std::holds_alternative<Commit>(action) ? 1 : 0;
      kept += std::holds_alternative<KeepEvidence>(action) ? 1 : 0;
    }
    require(commits == (counts ? 1U : 0U), "an output counts that should not, or does not though it should");
    require(kept == (counts ? 0U : 1U), "a late output is lost, or a good one called late");
  }

  ModelTask& running(TaskId id, Attempt attempt, WorkerId worker) {
    ModelTask& task = tasks.at(id);
    require(task.state == ModelTask::running, "an attempt ends that does not run");
    require(task.attempt == attempt.value && task.worker == worker.value,
            "the attempt that ends is not the current one");
    busy.erase(worker.value);
    return task;
  }

  void take(const Send& send) {
    const int worker = send.worker.value;
    const auto* assign = std::get_if<workers::Assign>(&send.message);
    if (std::holds_alternative<workers::StartAnew>(send.message)) {
      require(live.count(worker) == 0 && barred.count(worker) == 0, "a worker is called back that is not away");
      require(!draining && !ended, "a worker is called back to no work");
      return;
    }
    if (const auto* suspend = std::get_if<workers::Suspend>(&send.message)) {
      require(draining && busy.count(worker) > 0 && busy.at(worker) == suspend->task, "a task is suspended idly");
      return;
    }
    if (const auto* prepare = std::get_if<workers::Prepare>(&send.message)) {
      require(!draining && !ended && busy.count(worker) > 0, "a worker without a task is told of the next");
      const auto is_it = [&](const auto& one) { return one.second.planned.what == workers::Task(prepare->next); };
      const auto next = std::find_if(tasks.begin(), tasks.end(), is_it);
      require(next != tasks.end() && next->second.state == ModelTask::open, "what is next has been given out");
      for (const auto& [other, told] : told_) {
        const bool stands =
            busy.count(other) > 0 && busy.at(other) == told.during && tasks.at(told.during).attempt == told.attempt;
        require(!stands || other != worker, "a worker is told twice during one attempt");
        require(!stands || told.next != next->first, "two workers are told of the same task");
      }
      told_[worker] = {busy.at(worker), tasks.at(busy.at(worker)).attempt, next->first};
      return;
    }
    if (assign == nullptr) {
      require(shutdowns_.insert(worker).second, "a worker is shut down twice");
      return;
    }
    require(live.count(worker) > 0, "a task goes to a worker that is not there");
    require(busy.count(worker) == 0, "a task goes to a busy worker");
    require(!draining && !ended, "a task is started while draining or after the end");
    ModelTask& task = tasks.at(assign->task);
    require(task.state == ModelTask::open, "a task is given out that runs or has ended");
    require(assign->attempt.value == ++task.attempt, "attempts do not count up one by one");
    for (const TaskId need : task.planned.needs) {
      require(tasks.at(need).state == ModelTask::done, "a task is started before what it needs is committed");
    }
    task.state = ModelTask::running;
    task.worker = worker;
    busy[worker] = assign->task;
  }

  void take(const Commit& commit) {
    require(is_first_, "a commit is not the first action");
    const auto* from = std::get_if<FromWorker>(event_);
    require(from != nullptr && std::holds_alternative<workers::TaskDone>(from->message), "a commit without an output");
    running(commit.task, commit.attempt, commit.worker).state = ModelTask::done;
  }

  void count(ModelTask& task, Cause cause) {
    if (cause == Cause::drained) return;
    ++(workers::is_infrastructure(cause) ? task.infrastructure_failures : task.job_failures);
  }
  /// Failures that quarantines may have given back.
  int uncharged() const { return static_cast<int>(barred.size()) * budgets_.quarantine_after; }

  void take(const RecordAttempt& record) {
    ModelTask& task = running(record.task, record.attempt, record.worker);
    count(task, record.cause);
    require(!workers::is_final(record.cause), "a final cause is tried again");
    require(task.infrastructure_failures <= budgets_.infrastructure_retries, "the infrastructure budget is overdrawn");
    task.state = ModelTask::open;
    if (uncharged() == 0 && budgets_.quarantine_after == 0) {
      require(task.job_failures <= budgets_.job_retries, "the job budget is overdrawn");
    }
    require(task.job_failures <= budgets_.job_retries + uncharged() + 1, "the job budget is overdrawn by far");
  }

  void take(const RecordFailure& record) {
    ModelTask& task = running(record.task, record.attempt, record.worker);
    count(task, record.cause);
    if (record.cause == Cause::disk_full) {
      draining = true;
    } else if (workers::is_infrastructure(record.cause)) {
      require(task.infrastructure_failures == budgets_.infrastructure_retries + 1,
              "a lost task fails too early or late");
    } else if (!workers::is_final(record.cause)) {
      require(task.job_failures > budgets_.job_retries, "a task fails before its budget is used");
    }
    task.state = ModelTask::failed;
    for (const TaskId id : record.blocked) block(id);
  }

  void take(const RecordBlocked& record) { block(record.task); }
  void block(TaskId id) {
    ModelTask& task = tasks.at(id);
    require(task.state == ModelTask::open, "a task is blocked that runs or has ended");
    task.state = ModelTask::blocked;
  }

  void take(const KeepEvidence& evidence) { require(!evidence.why.empty(), "evidence without a reason"); }
  void take(const ShowEpoch& show) {
    require(busy.count(show.worker.value) > 0 && busy.at(show.worker.value) == show.task,
            "an epoch of a task not held");
  }
  void take(const ShowCheckpoint&) {}
  void take(const WorkerGone& gone) {
    require(live.erase(gone.worker.value) == 1, "a worker is gone that was not there");
  }
  void take(const Quarantine& quarantine) {
    require(live.erase(quarantine.worker.value) == 1, "a worker is quarantined that was not there");
    require(!live.empty(), "the last worker is quarantined");
    barred.insert(quarantine.worker.value);
  }

  void take(const StopSweep& stop) {
    require(!stop.why.empty(), "a stop without a reason");
    end();
  }
  void take(const Finished&) {
    require(busy.empty(), "finished while a task runs");
    for (const auto& [id, task] : tasks)
      require(draining || task.state > ModelTask::running, "finished with open tasks");
    end();
  }
  void end() {
    require(is_last_ && !ended, "the end comes twice, or something after it");
    for (const int worker : live) require(shutdowns_.count(worker) == 1, "a live worker is not shut down at the end");
    ended = true;
  }

  Budgets budgets_;
  const Event* event_ = nullptr;
  bool is_first_ = false;
  bool is_last_ = false;
  std::set<int> shutdowns_;
  struct Told {
    TaskId during;
    int attempt = 0;
    TaskId next;
  };
  std::map<int, Told> told_;  // by worker
};

// ---- a history: random events, each checked
// ------------------------------------------------------------------------------------

class History {
 public:
  History(std::uint64_t seed, std::ostream* trace)
      : random_(seed), trace_(trace), budgets_(random_budgets()), model_(budgets_) {
    coordinator_ = Coordinator(budgets_);
    make_plan();
  }

  void run() {
    for (int step = 0; step < kWildSteps && !coordinator_.finished(); ++step) happen(wild_event());
    while (!waves_.empty()) happen(next_wave());
    happen(NoMoreTasks{});
    for (int step = 0; step < kCalmSteps && !coordinator_.finished(); ++step) happen(calm_event());
    require(coordinator_.finished() && model_.ended, "the machine does not end");
    happen(wild_event());  // and stays quiet
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }

  Budgets random_budgets() {
    Budgets budgets;
    budgets.job_retries = below(3);
    budgets.infrastructure_retries = below(4);
    budgets.same_error_stop = chance(50) ? 0 : 3;
    budgets.quarantine_after = chance(50) ? 0 : 2;
    return budgets;
  }

  void make_plan() {
    const int size = 1 + below(8);
    waves_.resize(static_cast<std::size_t>(1 + below(3)));
    for (int id = 1; id <= size; ++id) {
      std::vector<TaskId> needs;
      for (int need = 1; need < id; ++need) {
        if (chance(25)) needs.push_back({need});
      }
      const std::string affinity = chance(50) ? "" : std::string(1, static_cast<char>('a' + below(4)));
      PlannedTask task = chance(40) ? extraction(id, needs, below(3)) : training(id, needs, below(3), affinity);
      const std::size_t wave = static_cast<std::size_t>(id - 1) * waves_.size() / static_cast<std::size_t>(size);
      waves_[wave].tasks.push_back(std::move(task));
    }
    std::reverse(waves_.begin(), waves_.end());
  }

  Event next_wave() {
    TasksAdded wave = std::move(waves_.back());
    waves_.pop_back();
    if (!model_.ended) {
      for (const PlannedTask& task : wave.tasks) model_.tasks[task.id].planned = task;
    }
    return wave;
  }

  int any_worker() { return 1 + below(4); }
  /// A worker that holds a task, or 0.
  int busy_worker() {
    if (model_.busy.empty()) return 0;
    return std::next(model_.busy.begin(), below(static_cast<int>(model_.busy.size())))->first;
  }
  const ModelTask& held_by(int worker) const { return model_.tasks.at(model_.busy.at(worker)); }

  Event ends_well(int worker) { return remember(done(worker, held_by(worker).planned, held_by(worker).attempt)); }
  Event ends_badly(int worker) {
    const ModelTask& task = held_by(worker);
    auto cause = static_cast<Cause>(below(11));
    if (cause == Cause::disk_full && chance(90)) cause = Cause::exception;  // the end of most other events
    return remember(failed(worker, task.planned, task.attempt, cause, chance(50) ? "m 1" : "n", chance(30)));
  }
  Event remember(Event event) {
    said_.push_back(event);
    return event;
  }
  /// Something said before, said again: a duplicate, or too late by now; sometimes by another worker or of another
  /// attempt.
  Event repeated() {
    if (said_.empty()) return heartbeat(any_worker());
    Event event = said_[static_cast<std::size_t>(below(static_cast<int>(said_.size())))];
    auto& from = std::get<FromWorker>(event);
    if (chance(20)) from.worker = {any_worker()};
    if (auto* message = std::get_if<workers::TaskDone>(&from.message); message != nullptr && chance(20)) {
      message->attempt = {1 + below(3)};
    }
    return event;
  }
  Event tick(double seconds) {
    now_ += seconds;
    return Tick{};
  }

  Event wild_event() {
    const int worker = busy_worker();
    const int kind = below(100);
    if (kind < 25 && worker != 0) return ends_well(worker);
    if (kind < 40 && worker != 0) return ends_badly(worker);
    if (kind < 48) return repeated();
    if (kind < 66) return hello(any_worker(), chance(50) ? "node1" : "node2");
    if (kind < 71) return heartbeat(any_worker());
    if (kind < 75 && worker != 0) return epoch(worker, held_by(worker).planned, held_by(worker).attempt, 0);
    if (kind < 78) return lost(any_worker());
    if (kind < 80) return goodbye(any_worker());
    if (kind < 84) return tick(below(25));
    if (kind < 85) return tick(-50);
    if (kind < 86) return DrainAsked{};
    if (!waves_.empty()) return next_wave();
    return heartbeat(any_worker());
  }

  Event calm_event() {
    if (model_.live.empty()) return hello(++last_fresh_worker_);
    const int worker = busy_worker();
    if (worker == 0) return hello(++last_fresh_worker_);  // what waits may wait for another worker
    return chance(85) ? ends_well(worker) : ends_badly(worker);
  }

  void happen(const Event& event) {
    const Actions actions = coordinator_.on(event, now_);
    if (trace_ != nullptr) {
      *trace_ << "event " << event.index();
      PrintTo(actions, trace_);
      *trace_ << "\n";
    }
    if (model_.ended) {
      require(actions.empty() || actions.size() == 1, "the machine goes on after its end");
      return;
    }
    model_.check(event, actions);
    require(coordinator_.counts_of_jobs() == model_.counts(true), "the jobs are miscounted");
    require(coordinator_.counts_of_features() == model_.counts(false), "the features are miscounted");
    require(coordinator_.live_workers() == model_.live.size(), "the workers are miscounted");
    require(coordinator_.finished() == model_.ended, "finished() and the last action differ");
  }

  std::mt19937_64 random_;
  std::ostream* trace_;
  Budgets budgets_;
  Model model_;
  Coordinator coordinator_{Budgets{}};
  std::vector<TasksAdded> waves_;  // last first
  std::vector<Event> said_;
  double now_ = 0;
  int last_fresh_worker_ = 100;
};

class CoordinatorOrders : public testing::TestWithParam<int> {};

TEST_P(CoordinatorOrders, KeepEveryRule) {
  const int first = GetParam() * (kHistories / kBlocks);
  for (int seed = first; seed < first + kHistories / kBlocks; ++seed) {
    try {
      History(static_cast<std::uint64_t>(seed), nullptr).run();
    } catch (const BrokenRule& broken) {
      std::ostringstream trace;
      EXPECT_THROW(History(static_cast<std::uint64_t>(seed), &trace).run(), BrokenRule);
      FAIL() << "seed " << seed << ": " << broken.rule << "\n" << trace.str();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, CoordinatorOrders, testing::Range(0, kBlocks));

}  // namespace
}  // namespace runner
