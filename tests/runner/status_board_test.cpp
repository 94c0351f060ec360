// What the loop hears, as status.json has it.
#include "runner/status_board.hpp"

#include <gtest/gtest.h>

#include "tests/runner/coordinator_events.hpp"

namespace runner {
namespace {

class Board : public testing::Test {
 protected:
  Board() {
    at(0);
    board_.expect({{1}, {2}});
  }
  void at(double seconds) { board_.set_time(seconds, kBegin + static_cast<std::int64_t>(seconds)); }
  void join(int worker, std::optional<workers::Gpu> gpu = {}) {
    board_.greeted({worker}, workers::Hello{workers::kProtocolVersion, "node17", 5, 4, {}});
    board_.placed({worker}, gpu);
  }
  void epoch(int worker, const PlannedTask& task, int number, int attempt = 1) {
    ShowEpoch show;
    show.task = task.id;
    show.attempt = {attempt};
    show.worker = {worker};
    show.epoch.epoch = number;
    show.epoch.ranking = results::Ranking{0.75, 0, 0, 0, {}};
    board_.epoch(show);
  }
  RunStatus status() const {
    RunStatus filled;
    board_.fill(filled);
    return filled;
  }
  WorkerStatus worker(int number) const { return status().workers.at(static_cast<std::size_t>(number - 1)); }

  static constexpr std::int64_t kBegin = 1'700'000'000;
  StatusBoard board_;
  PlannedTask task_ = training(5);
};

TEST_F(Board, FollowsAWorkerFromItsGreetingToItsTask) {
  EXPECT_EQ(worker(1).state, WorkerState::greeting);
  at(3);
  join(1, workers::Gpu{"GPU-1", "NVIDIA", false, 0});
  EXPECT_EQ(worker(1).state, WorkerState::idle);
  EXPECT_EQ(worker(1).host, "node17");
  EXPECT_EQ(worker(1).gpu, "GPU-1");
  at(10);
  board_.started({1}, task_, {2});
  at(14);
  const auto seen = worker(1);
  EXPECT_EQ(seen.state, WorkerState::working);
  EXPECT_EQ(seen.heard, kBegin + 3);
  ASSERT_TRUE(seen.task);
  EXPECT_EQ(seen.task->since, kBegin + 10);
  EXPECT_EQ(seen.task->kind, "train");
  EXPECT_EQ(seen.task->attempt, 2);
  EXPECT_EQ(seen.task->key, sweeps::key_of(std::get<workers::TrainTask>(task_.what).job).hex);
}

TEST_F(Board, CountsHowLongWorkersWereThereAndAtWhat) {
  at(10);
  join(1);
  board_.started({1}, extraction(7), {1});
  at(15);
  board_.failed({extraction(7).id, {1}, {1}, workers::Cause::exception, "x"}, extraction(7), "worker 1", false);
  at(20);
  board_.started({1}, task_, {1});
  at(50);
  EXPECT_EQ(board_.uses(), (std::vector<WorkerUse>{{1, "node17", "", 4, 40, 30, 5}})) << "5 s between the two";
  board_.gone({1}, "no sign of life");
  at(90);
  EXPECT_EQ(board_.uses(), (std::vector<WorkerUse>{{1, "node17", "", 4, 40, 30, 5}})) << "no longer there";
  join(1);
  at(100);
  EXPECT_EQ(board_.uses(), (std::vector<WorkerUse>{{1, "node17", "", 4, 50, 30, 5}})) << "there again, without a task";
}

TEST_F(Board, MeasuresAnEpochFromTheFirstOneOn) {
  join(1);
  board_.started({1}, task_, {1});
  at(20);  // loading took its time
  epoch(1, task_, 0);
  at(26);
  epoch(1, task_, 3);
  EXPECT_EQ(worker(1).task->epochs_done, 4);
  EXPECT_EQ(worker(1).task->epoch_seconds, 2);
  EXPECT_EQ(worker(1).task->auc, 0.75);
}

TEST_F(Board, DoesNotTakeAnEpochOfAnotherAttemptForThisOne) {
  join(1);
  board_.started({1}, task_, {2});
  epoch(1, task_, 7, 1);
  EXPECT_EQ(worker(1).task->epochs_done, 0);
}

TEST_F(Board, CountsWhatThisRunDid) {
  auto part = extraction(1);
  std::get<workers::ExtractTask>(part.what).count = 1024;
  std::get<workers::ExtractTask>(part.what).recipe.backbone = "resnet50";
  auto found = extraction(2);
  std::get<workers::ExtractTask>(found.what) = std::get<workers::ExtractTask>(part.what);
  board_.planned({part, found, task_});
  join(1);
  board_.done({part.id, {1}, {1}, workers::Extracted{1024, {0, 1, 0}}, 1, ""}, part);
  EXPECT_FALSE(status().features.at(0).ready);
  board_.done({found.id, {1}, {1}, workers::Extracted{1024, {}}, 0, ""}, found);
  board_.started({1}, task_, {1});
  board_.done({task_.id, {1}, {1}, workers::Trained{}, 1, ""}, task_);
  EXPECT_EQ(status().feature_rows, 1024) << "rows that were found in the cache are no progress";
  EXPECT_EQ(status().features.at(0).rows_done, 2048);
  EXPECT_TRUE(status().features.at(0).ready);
  EXPECT_EQ(status().committed, 1);
  EXPECT_EQ(worker(1).state, WorkerState::idle);
}

/// Nothing is known by which to tell: better no number than a wrong one.
TEST_F(Board, SaysNoTimeLeftBeforeTwoTrainingsHaveEnded) {
  join(1);
  std::vector<PlannedTask> tasks;
  for (int i = 1; i <= 4; ++i) tasks.push_back(training(i, {}, 10));
  board_.planned(tasks);
  board_.started({1}, tasks[0], {1});
  at(20);
  board_.done({tasks[0].id, {1}, {1}, workers::Trained{}, 1, ""}, tasks[0]);
  EXPECT_FALSE(board_.seconds_left());
  board_.started({1}, tasks[1], {1});
  at(40);
  board_.done({tasks[1].id, {1}, {1}, workers::Trained{}, 1, ""}, tasks[1]);
  EXPECT_EQ(board_.seconds_left(), 40) << "two trainings of 20 s, one worker";
  join(2);
  EXPECT_EQ(board_.seconds_left(), 20) << "two workers";
}

TEST_F(Board, SaysNoTimeLeftWhileFeaturesAreMadeOrNobodyIsThere) {
  auto part = extraction(9);
  std::get<workers::ExtractTask>(part.what).count = 100;
  std::vector<PlannedTask> tasks = {part};
  for (int i = 1; i <= 3; ++i) tasks.push_back(training(i));
  board_.planned(tasks);
  join(1);
  for (std::size_t i = 1; i <= 2; ++i) {
    board_.started({1}, tasks[i], {1});
    at(10.0 * static_cast<double>(i));
    board_.done({tasks[i].id, {1}, {1}, workers::Trained{}, 1, ""}, tasks[i]);
  }
  EXPECT_FALSE(board_.seconds_left());
  board_.done({part.id, {1}, {1}, workers::Extracted{100, {0, 1, 0}}, 1, ""}, part);
  EXPECT_EQ(board_.seconds_left(), 10);
  board_.gone({1}, "lost");
  EXPECT_FALSE(board_.seconds_left());
}

/// A trainer that hangs one epoch before its end does not make the time left a fraction of an epoch.
TEST_F(Board, CountsWhatIsLeftOfATrainingAndTheTimeOfTriesThatFailed) {
  std::vector<PlannedTask> tasks;
  for (int i = 1; i <= 3; ++i) {
    tasks.push_back(training(i, {}, 10));
    std::get<workers::TrainTask>(tasks.back().what).job.training.epochs = 10;
  }
  board_.planned(tasks);
  join(1);
  double now = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    board_.started({1}, tasks[i], {1});
    at(now += 20);
    board_.done({tasks[i].id, {1}, {1}, workers::Trained{}, 1, ""}, tasks[i]);
  }
  board_.started({1}, tasks[2], {1});
  epoch(1, tasks[2], 3);
  EXPECT_DOUBLE_EQ(board_.seconds_left().value(), 12) << "4 of 10 epochs are done";
  at(now + 60);
  board_.failed({tasks[2].id, {1}, {1}, Cause::hung, "no step"}, tasks[2], "worker 1", false);
  EXPECT_DOUBLE_EQ(board_.seconds_left().value(), 50) << "100 s for what two trainings came to";
  board_.failed({tasks[2].id, {2}, {1}, Cause::hung, "no step"}, tasks[2], "worker 1", true);
  EXPECT_FALSE(board_.seconds_left()) << "nothing is left";
}

TEST_F(Board, MeasuresRowsASecondByTheWorkersThatAreAtThem) {
  std::vector<PlannedTask> parts;
  for (int i = 1; i <= 5; ++i) {
    parts.push_back(extraction(i));
    std::get<workers::ExtractTask>(parts.back().what).count = 100;
  }
  board_.planned(parts);
  join(1);
  join(2);
  const auto of_set = [this] { return status().features.at(0); };
  board_.started({1}, parts[0], {1});
  board_.started({2}, parts[1], {1});
  at(10);
  board_.done({parts[0].id, {1}, {1}, workers::Extracted{100, {0, 1, 0}}, 1, ""}, parts[0]);
  board_.started({1}, parts[2], {1});
  EXPECT_FALSE(of_set().rows_per_second) << "one part is no ground";
  board_.done({parts[1].id, {1}, {2}, workers::Extracted{100, {0, 1, 0}}, 1, ""}, parts[1]);
  board_.started({2}, parts[3], {1});
  EXPECT_DOUBLE_EQ(of_set().rows_per_second.value(), 20) << "a part in 10 s, two at once";
  EXPECT_DOUBLE_EQ(of_set().seconds_left.value(), 15) << "300 rows";
  board_.done({parts[3].id, {1}, {2}, workers::Extracted{100, {}}, 0, ""}, parts[3]);
  EXPECT_DOUBLE_EQ(of_set().rows_per_second.value(), 10) << "one was found in the cache, and takes no part";
  board_.gone({1}, "lost");
  EXPECT_FALSE(of_set().rows_per_second) << "nobody is at it";
}

TEST_F(Board, SaysForHowLongATrainerHasNotMovedUntilAnEpochComes) {
  join(1);
  board_.started({1}, task_, {1});
  at(50);
  board_.still({1}, {30, 60, true});
  at(52);
  EXPECT_EQ(worker(1).task->still, (workers::Stillness{32, 60, true}));
  epoch(1, task_, 1);
  EXPECT_FALSE(worker(1).task->still);
  board_.still({2}, {30, 60, true});
  EXPECT_FALSE(worker(2).task) << "nor of a worker without a task";
}

TEST_F(Board, KeepsTheLastTenFailuresTheLatestFirst) {
  join(1);
  for (int i = 1; i <= 12; ++i) {
    at(i);
    board_.failed({task_.id, {i}, {1}, Cause::hung, "no\nstep"}, task_, "worker 1 (node17)", i == 12);
  }
  const auto failures = status().failures;
  ASSERT_EQ(failures.size(), 10U);
  EXPECT_EQ(failures.front().attempt, 12);
  EXPECT_EQ(failures.front().time, kBegin + 12);
  EXPECT_EQ(failures.front().message, "no?step");
  EXPECT_TRUE(failures.front().final);
  EXPECT_EQ(failures.back().attempt, 3);
  EXPECT_EQ(status().failed, 1) << "tries that are repeated are no failed jobs";
}

TEST_F(Board, DoesNotCallAJobFailedThatOnlyItsWorkersLost) {
  board_.failed({task_.id, {6}, {1}, Cause::worker_lost, "gone"}, task_, "worker 1 (node17)", true);
  EXPECT_EQ(status().failed, 0);
}

TEST_F(Board, RemembersThatAWorkerWasSetAsideThoughItLeavesAfterwards) {
  join(1);
  board_.started({1}, task_, {1});
  board_.set_aside({1}, "3 failures in a row");
  board_.gone({1}, "it said goodbye");
  EXPECT_EQ(worker(1).state, WorkerState::set_aside);
  EXPECT_EQ(worker(1).why, "3 failures in a row");
  EXPECT_FALSE(worker(1).task);
  join(2);
  board_.gone({2}, "lost");
  join(2);  // it came back
  EXPECT_EQ(worker(2).state, WorkerState::idle);
  EXPECT_EQ(worker(2).why, "");
}

}  // namespace
}  // namespace runner
