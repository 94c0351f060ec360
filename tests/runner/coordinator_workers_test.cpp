// The coordinator's rules for workers: silence, loss, new greetings, quarantine. Whole lists of actions.
#include <gtest/gtest.h>

#include "runner/coordinator.hpp"
#include "tests/runner/coordinator_events.hpp"

namespace runner {
namespace {

const Actions kNothing;

// ---- silence and loss
// ----------------------------------------------------------------------------------------------------------

TEST(CoordinatorWorkers, AreGoneAfterTheHeartbeatDeadline) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1), b = training(2);
  coordinator.on(TasksAdded{{a, b}}, 0);
  coordinator.on(hello(1), 100);
  coordinator.on(hello(2), 101);
  EXPECT_EQ(coordinator.on(done(2, b), 101), (Actions{commit(2, b)}));
  EXPECT_EQ(coordinator.on(Tick{}, 130), kNothing);
  EXPECT_EQ(coordinator.on(Tick{}, 130.5),
            (Actions{gone(1, "no sign of life for 30 s"),
                     again(1, a, 1, Cause::worker_lost, "no sign of life for 30 s"), send(2, a, 2)}));
  EXPECT_EQ(coordinator.live_workers(), 1u);
}

TEST(CoordinatorWorkers, AreKeptByAnyMessage) {
  const auto a = training(1);
  for (const Event& sign : {heartbeat(1), epoch(1, a, 1, 0), done(1, training(9)), failed(1, a, 9, Cause::hung, "m")}) {
    Coordinator coordinator{Budgets{}};
    coordinator.on(TasksAdded{{a}}, 0);
    coordinator.on(hello(1), 0);
    coordinator.on(sign, 29);
    EXPECT_EQ(coordinator.on(Tick{}, 59), kNothing);
    EXPECT_EQ(
        coordinator.on(Tick{}, 59.5),
        (Actions{gone(1, "no sign of life for 30 s"), again(1, a, 1, Cause::worker_lost, "no sign of life for 30 s"),
                 StopSweep{"no worker is left: the last was worker 1 (node): no sign of life for 30 s; open tasks: 1; "
                           "the same command goes on with them"}}));
  }
}

TEST(CoordinatorWorkers, AreNotLostToAClockThatStepsBack) {
  Coordinator coordinator{Budgets{}};
  coordinator.on(hello(1), 1000);
  EXPECT_EQ(coordinator.on(Tick{}, 1020), kNothing);
  EXPECT_EQ(coordinator.on(Tick{}, 0), kNothing);
  EXPECT_EQ(coordinator.on(Tick{}, 10), kNothing);  // 20 s, no time, 10 s: exactly 30
  EXPECT_EQ(coordinator.on(Tick{}, 11), (Actions{gone(1, "no sign of life for 31 s")}));
}

TEST(CoordinatorWorkers, AreGoneWhenTheirLinkSaysSo) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  EXPECT_EQ(
      coordinator.on(lost(1), 0),
      (Actions{gone(1, "connection reset"), again(1, a, 1, Cause::worker_lost, "connection reset"), send(2, a, 2)}));
  EXPECT_EQ(coordinator.on(lost(1), 0), kNothing);
  EXPECT_EQ(coordinator.on(lost(7), 0), kNothing);
}

TEST(CoordinatorWorkers, MayLeave) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(TasksAdded{{a}}, 0);
  EXPECT_EQ(coordinator.on(goodbye(2), 0), (Actions{gone(2, "it said goodbye")}));
  EXPECT_EQ(coordinator.on(done(1, a), 0), (Actions{commit(1, a)}));
}

TEST(CoordinatorWorkers, ThatAreGoneAreNotHeardButTheirOutputsKept) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(lost(1), 0);
  EXPECT_EQ(coordinator.on(heartbeat(1), 0), (Actions{start_anew(1)}));
  for (const Event& event : {heartbeat(1), epoch(1, a, 1, 0), failed(1, a, 1, Cause::hung, "m"), goodbye(1)}) {
    EXPECT_EQ(coordinator.on(event, 0), kNothing);
  }
  EXPECT_EQ(coordinator.on(done(1, a, 1), 0), (Actions{evidence(1, a, 1, "attempt 1 is over; attempt 2 runs")}));
  EXPECT_EQ(coordinator.on(done(2, a, 2), 0), (Actions{commit(2, a, 2)}));
  EXPECT_EQ(coordinator.on(done(1, a, 1), 0), (Actions{evidence(1, a, 1, "the task is committed already")}));
}

TEST(CoordinatorWorkers, ThatSpeakAfterTheirLossAreCalledBackAndWorkAgain) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1), b = training(2);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(heartbeat(2), 25);
  EXPECT_EQ(coordinator.on(Tick{}, 31),
            (Actions{gone(1, "no sign of life for 31 s"),
                     again(1, a, 1, Cause::worker_lost, "no sign of life for 31 s"), send(2, a, 2)}));
  EXPECT_EQ(coordinator.on(done(1, a, 1), 40),
            (Actions{evidence(1, a, 1, "attempt 1 is over; attempt 2 runs"), start_anew(1)}));
  EXPECT_EQ(coordinator.on(heartbeat(1), 42), kNothing) << "asked a moment ago";
  coordinator.on(heartbeat(2), 69);
  EXPECT_EQ(coordinator.on(heartbeat(1), 70), (Actions{start_anew(1)})) << "the first word was lost, too";
  coordinator.on(hello(1), 71);
  EXPECT_EQ(coordinator.on(TasksAdded{{b}}, 72), (Actions{send(1, b)}));
}

TEST(CoordinatorWorkers, AreNotCalledBackToNoWork) {
  Coordinator coordinator{Budgets{}};
  coordinator.on(TasksAdded{{training(1)}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(lost(2), 0);
  coordinator.on(DrainAsked{}, 0);
  EXPECT_EQ(coordinator.on(heartbeat(2), 1), kNothing);
}

TEST(CoordinatorWorkers, GiveAttemptsNumbersAboveThoseOfEarlierRuns) {
  Coordinator coordinator{Budgets{}};
  auto a = training(1);
  a.attempts_before = 4;
  coordinator.on(hello(1), 0);
  EXPECT_EQ(coordinator.on(TasksAdded{{a}}, 0), (Actions{send(1, a, 5)}));
  EXPECT_EQ(coordinator.on(done(1, a, 4), 0), (Actions{evidence(1, a, 4, "attempt 4 is over; attempt 5 runs")}));
  EXPECT_EQ(coordinator.on(done(1, a, 5), 0), (Actions{commit(1, a, 5)}));
}

TEST(CoordinatorWorkers, ThatGreetAgainAreFresh) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(goodbye(2), 0);
  EXPECT_EQ(coordinator.on(hello(1), 0),
            (Actions{again(1, a, 1, Cause::worker_lost, "the worker was started anew"), send(1, a, 2)}));
  EXPECT_EQ(coordinator.on(done(1, a, 1), 0), (Actions{evidence(1, a, 1, "attempt 1 is over; attempt 2 runs")}));
  EXPECT_EQ(coordinator.on(hello(2), 0), kNothing);
  EXPECT_EQ(coordinator.live_workers(), 2u);
  EXPECT_EQ(
      coordinator.on(lost(1), 0),
      (Actions{gone(1, "connection reset"), again(1, a, 2, Cause::worker_lost, "connection reset"), send(2, a, 3)}));
}

TEST(CoordinatorWorkers, StopTheSweepWhenNoneIsLeft) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1), b = training(2);
  coordinator.on(TasksAdded{{a, b}}, 0);
  coordinator.on(hello(1, "node17"), 0);
  EXPECT_EQ(
      coordinator.on(Tick{}, 31),
      (Actions{gone(1, "no sign of life for 31 s"), again(1, a, 1, Cause::worker_lost, "no sign of life for 31 s"),
               StopSweep{"no worker is left: the last was worker 1 (node17): no sign of life for 31 s; open tasks: 2; "
                         "the same command goes on with them"}}));
  EXPECT_TRUE(coordinator.finished());
}

TEST(CoordinatorWorkers, StopTheSweepOnlyWhenThereIsWork) {
  Coordinator coordinator{Budgets{}};
  coordinator.on(hello(1), 0);
  EXPECT_EQ(coordinator.on(lost(1), 0), (Actions{gone(1, "connection reset")}));
  EXPECT_EQ(coordinator.on(TasksAdded{{training(1)}}, 0),
            (Actions{StopSweep{"no worker is left: the last was worker 1 (node): connection reset; open tasks: 1; the "
                               "same command goes on with them"}}));
}

TEST(CoordinatorWorkers, ThatAreExpectedAreWaitedForUntilTheirDeadline) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(TasksAdded{{a}}, 0);
  EXPECT_EQ(coordinator.on(WorkersExpected{{{1}, {2}, {3}}}, 0), kNothing);
  EXPECT_EQ(coordinator.live_workers(), 0u);
  EXPECT_EQ(coordinator.on(hello(1), 10), (Actions{send(1, a)}));
  EXPECT_EQ(coordinator.on(lost(3), 10), (Actions{gone(3, "connection reset")}));
  EXPECT_EQ(coordinator.on(lost(1), 10),
            (Actions{gone(1, "connection reset"), again(1, a, 1, Cause::worker_lost, "connection reset")}));
  EXPECT_EQ(coordinator.on(Tick{}, 120), kNothing);
  EXPECT_EQ(
      coordinator.on(Tick{}, 121),
      (Actions{gone(2, "no greeting for 121 s"),
               StopSweep{"no worker is left: the last was worker 2: no greeting for 121 s; open tasks: 1; the same "
                         "command goes on with them"}}));
}

// ---- quarantine
// ----------------------------------------------------------------------------------------------------------------

class BadWorker : public testing::Test {
 protected:
  /// Two workers; six trainings of falling cost; worker 1 holds a, worker 2 holds b.
  void start(const Budgets& budgets, const std::string& host_of_1 = "node1", const std::string& host_of_2 = "node2") {
    coordinator = Coordinator(budgets);
    coordinator.on(TasksAdded{{a, b, c, d, e, f}}, 0);
    coordinator.on(hello(1, host_of_1), 0);
    coordinator.on(hello(2, host_of_2), 0);
  }
  Actions fail(int worker, const PlannedTask& task, int attempt = 1, bool reached_epoch = false) {
    return coordinator.on(failed(worker, task, attempt, Cause::start_failed, "no device", reached_epoch), 0);
  }
  Actions fail_and_send(const PlannedTask& task, const PlannedTask& next) {
    return {again(1, task, 1, Cause::start_failed, "no device"), send(1, next)};
  }
  Actions fail_and_quarantine(const PlannedTask& task) {
    return {
        again(1, task, 1, Cause::start_failed, "no device"),
        Quarantine{{1},
                   "worker 1 (node1) failed 3 tasks in a row before a first epoch; the last: start-failed: no device"},
        shutdown(1)};
  }
  PlannedTask a = training(1, {}, 9), b = training(2, {}, 8), c = training(3, {}, 7), d = training(4, {}, 6),
              e = training(5, {}, 5), f = training(6, {}, 4);
  Coordinator coordinator{Budgets{}};
};

TEST_F(BadWorker, IsQuarantinedAfterThreeTasksInARow) {
  start({});
  EXPECT_EQ(fail(1, a), fail_and_send(a, c));
  EXPECT_EQ(fail(1, c), fail_and_send(c, d));
  EXPECT_EQ(fail(1, d), fail_and_quarantine(d));
  EXPECT_EQ(coordinator.live_workers(), 1u);
  EXPECT_EQ(coordinator.on(heartbeat(1), 0), kNothing);
  EXPECT_EQ(coordinator.on(hello(1), 0), kNothing);
  EXPECT_EQ(coordinator.on(done(2, b), 0), (Actions{commit(2, b), send(2, a, 2)}));
}

TEST_F(BadWorker, ReturnsItsTasksUncharged) {
  start({});
  fail(1, a);
  fail(1, c);
  fail(1, d);
  coordinator.on(done(2, b), 0);
  for (const auto& [task, next, attempt] : {std::tuple(a, c, 2), std::tuple(c, d, 2), std::tuple(d, e, 1)}) {
    EXPECT_EQ(fail(2, task, 2, true),  // each has its one retry still
              (Actions{again(2, task, 2, Cause::start_failed, "no device"), send(2, task, 3)}));
    EXPECT_EQ(coordinator.on(done(2, task, 3), 0), (Actions{commit(2, task, 3), send(2, next, attempt)}));
  }
}

TEST_F(BadWorker, IsNoSuchAfterATaskDoneOrAnEpoch) {
  start({});
  fail(1, a);
  fail(1, c);
  coordinator.on(epoch(1, d, 1, 0), 0);
  EXPECT_EQ(fail(1, d), fail_and_send(d, e));
  EXPECT_EQ(fail(1, e), fail_and_send(e, f));
  EXPECT_EQ(coordinator.on(done(1, f), 0), (Actions{commit(1, f)}));
  start({});
  fail(1, a);
  fail(1, c);
  EXPECT_EQ(fail(1, d, 1, true), fail_and_send(d, e));
  EXPECT_EQ(fail(1, e), fail_and_send(e, f));
}

TEST_F(BadWorker, IsNotBlamedForBadInput) {
  Budgets budgets;
  budgets.same_error_stop = 0;
  start(budgets);
  for (const auto& [task, next] : {std::pair(a, c), std::pair(c, d), std::pair(d, e)}) {
    EXPECT_EQ(coordinator.on(failed(1, task, 1, Cause::bad_input, task.name), 0),
              (Actions{failure(1, task, 1, Cause::bad_input, task.name), send(1, next)}));
  }
}

TEST_F(BadWorker, IsNotBlamedForAnErrorThatAnotherHostReportsToo) {
  start({});
  EXPECT_EQ(fail(2, b), (Actions{again(2, b, 1, Cause::start_failed, "no device"), send(2, c)}));
  EXPECT_EQ(fail(1, a), (Actions{again(1, a, 1, Cause::start_failed, "no device"), send(1, b, 2)}));
  coordinator.on(failed(1, b, 2, Cause::hung, "m", false), 0);
  EXPECT_EQ(fail(1, d), fail_and_send(d, e));
  EXPECT_EQ(fail(1, e), fail_and_send(e, f));
}

TEST_F(BadWorker, IsBlamedForAnErrorThatOnlyItsOwnHostReports) {
  start({}, "node1", "node1");
  const auto later = training(7, {}, 3), last = training(8, {}, 2);
  coordinator.on(TasksAdded{{later, last}}, 0);
  coordinator.on(hello(3, "node2"), 0);                                                               // takes c
  EXPECT_EQ(fail(2, b), (Actions{again(2, b, 1, Cause::start_failed, "no device"), send(2, d)}));     // b waits
  EXPECT_EQ(fail(1, a), (Actions{again(1, a, 1, Cause::start_failed, "no device"), send(1, b, 2)}));  // a waits
  coordinator.on(done(1, b, 2), 0);                                                                   // e
  EXPECT_EQ(fail(1, e), fail_and_send(e, f));
  EXPECT_EQ(fail(1, f), fail_and_send(f, later));
  EXPECT_EQ(fail(1, later), fail_and_quarantine(later));
}

TEST_F(BadWorker, OnTheOnlyHostIsNotBlamedForAnErrorOfAnotherWorker) {
  start({}, "node1", "node1");
  fail(2, b);  // takes c
  fail(1, a);  // takes b
  coordinator.on(done(1, b, 2), 0);
  EXPECT_EQ(fail(1, d), fail_and_send(d, e));
  EXPECT_EQ(fail(1, e), fail_and_send(e, f));
  EXPECT_EQ(fail(1, f), (Actions{again(1, f, 1, Cause::start_failed, "no device")}));
}

TEST_F(BadWorker, IsNotQuarantinedWhenItIsTheLast) {
  Budgets budgets;
  budgets.same_error_stop = 0;
  start(budgets);
  coordinator.on(goodbye(2), 0);
  for (const auto& [task, next, attempt] : {std::tuple(a, b, 1), std::tuple(b, c, 2), std::tuple(c, d, 1)}) {
    EXPECT_EQ(fail(1, task, attempt),
              (Actions{again(1, task, attempt, Cause::start_failed, "no device"), send(1, task, attempt + 1)}));
    EXPECT_EQ(fail(1, task, attempt + 1), (Actions{failure(1, task, attempt + 1, Cause::start_failed, "no device"),
                                                   send(1, next, next.id == b.id ? 2 : 1)}));
  }
}

TEST_F(BadWorker, MayBeKept) {
  Budgets budgets;
  budgets.quarantine_after = 0;
  start(budgets);
  EXPECT_EQ(fail(1, a), fail_and_send(a, c));
  EXPECT_EQ(fail(1, c), fail_and_send(c, d));
  EXPECT_EQ(fail(1, d), fail_and_send(d, e));
}

}  // namespace
}  // namespace runner
