// Trainings on real feature files, one after the other in one process.
#include "workers/task_runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "tests/bytes_read.hpp"
#include "tests/plume/small_jobs.hpp"
#include "tests/temporary_folder.hpp"

namespace workers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kRows = 400, kLength = 24;  // files of some 50 kB, more than all else that is read

class TaskRunnerOnFiles : public testing::Test {
 protected:
  /// A training on features of its own, which are written; `first` makes them others than those of another name.
  TrainTask training_on(const std::string& name, float first) {
    TrainTask task;
    task.job = small::job();
    task.job.backbone = "features";
    task.train_identity = write(name + "-train", first);
    task.test_identity = write(name + "-test", first);
    task.train_file = file(name + "-train");
    task.test_file = file(name + "-test");
    task.train_id = name + "-train";
    task.test_id = name + "-test";
    return task;
  }
  std::filesystem::path file(const std::string& set) const { return folder / (set + ".h5"); }

  results::JobResult run(
      TaskRunner& runner, const TrainTask& task, const std::function<void()>& on_epoch = [] {}) {
    return std::get<Trained>(runner.run(
                                 task, [] {}, [&](const auto&) { on_epoch(); }))
        .result;
  }

  const tests::TemporaryFolder folder;

 private:
  std::string write(const std::string& set, float first) {
    storage::FeatureTable table;
    table.identity = R"({"backbone":"features","content":")" + set + R"(","format":1,"length":24,"split":"train"})";
    table.row_count = kRows;
    table.row_length = kLength;
    std::vector<float> rows;
    for (int i = 0; i < kRows * kLength; ++i) rows.push_back(first + static_cast<float>(i * i % 97) / 97);
    table.rows = rows;
    for (int i = 0; i < kRows; ++i) {
      table.labels.push_back(i % 2);
      table.ids.push_back(set + "#" + std::to_string(i));
    }
    table.classes = {small::job().normal_class, "other"};
    storage::write_feature_file(file(set), table);
    return table.identity;
  }
};

TEST_F(TaskRunnerOnFiles, TrainsOnWhatItReadInAdvanceAndDoesNotReadItAgain) {
  const auto now = training_on("now", 0), next = training_on("next", 1);
  const auto read_for_both = [&](bool in_advance) {
    TaskRunner runner(1);
    const long before = tests::bytes_read();
    run(runner, now, [&] {
      if (in_advance) runner.prepare(next, InAdvance::into_memory);
    });
    const auto result = run(runner, next);
    return std::pair(result, tests::bytes_read() - before);
  };
  const auto [expected, bytes] = read_for_both(false);
  const auto [result, bytes_in_advance] = read_for_both(true);
  EXPECT_EQ(result, expected);
  const auto of_the_smaller = std::filesystem::file_size(next.test_file);
  EXPECT_NEAR(static_cast<double>(bytes_in_advance), static_cast<double>(bytes), of_the_smaller / 2.0);
}

TEST_F(TaskRunnerOnFiles, ReadsNothingInAdvanceWhileItWritesWhatATrainingLeaves) {
  auto now = training_on("now", 0);
  const auto next = training_on("next", 1);
  now.keep = {sweeps::Save::all, 3};
  TaskRunner runner(1, folder / "out");
  int epochs = 0, signs = 0;
  const auto tell = [&] {
    if (epochs < now.job.training.epochs) return;
    ++signs;
    runner.prepare(next, InAdvance::into_memory);
  };
  runner.run(now, tell, [&](const auto&) { ++epochs; });
  EXPECT_GE(signs, 3) << "one before each file";
  for (const char* set : {"next-train", "next-test"}) std::filesystem::remove(file(set));
  EXPECT_THROW(run(runner, next), storage::Error);
}

TEST_F(TaskRunnerOnFiles, ReadsWhatItNeedsWhereNothingWasReadInAdvance) {
  const auto now = training_on("now", 0), next = training_on("next", 1);
  TaskRunner runner(1);
  run(runner, now);
  for (const char* set : {"next-train", "next-test"}) std::filesystem::remove(file(set));
  try {
    run(runner, next);
    FAIL() << "its features are gone";
  } catch (const storage::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("next-train.h5"));
  }
}

TEST_F(TaskRunnerOnFiles, HasTheSameResultsWhereWhatItReadInAdvanceDoesNotComeNext) {
  const auto now = training_on("now", 0), guessed = training_on("guessed", 1), other = training_on("other", 2);
  TaskRunner apart(1), together(1);
  const std::vector<results::JobResult> expected{run(apart, now), run(apart, other), run(apart, guessed)};
  std::vector<results::JobResult> found{run(together, now, [&] { together.prepare(guessed, InAdvance::into_memory); })};
  found.push_back(run(together, other));
  found.push_back(run(together, guessed));
  EXPECT_EQ(found, expected);
  EXPECT_NE(found[0], found[1]);
}

TEST_F(TaskRunnerOnFiles, SaysNothingOfDamageBeforeTheTrainingWhoseItIs) {
  const auto now = training_on("now", 0), next = training_on("next", 1);
  tests::write_text(next.test_file, "no HDF5");
  TaskRunner runner(1);
  EXPECT_EQ(run(runner, now, [&] { runner.prepare(next, InAdvance::into_memory); }).epochs.size(), 2U);
  EXPECT_THROW(run(runner, next), storage::Error);
}

}  // namespace
}  // namespace workers
