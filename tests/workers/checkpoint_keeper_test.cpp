// The keeper inside a trainer: small trainings of plume/, and the files and words that come of them.
#include "workers/checkpoint_keeper.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plume/method.hpp"
#include "plume/training.hpp"
#include "storage/sealed_file.hpp"
#include "tests/plume/small_jobs.hpp"
#include "tests/temporary_folder.hpp"
#include "workers/checkpoint_files.hpp"

namespace workers {
namespace {

using testing::HasSubstr;

constexpr Seconds kAlways{1e-9};

Assign assign(int attempt, int anew_through = 0) {
  TrainTask task;
  task.job = small::job();
  return {TaskId{5}, Attempt{attempt}, task, anew_through};
}

plume::JobData data() {
  return small::rows_of(20, 10);
}

/// One attempt of a training, and what was said of it.
class Tried {
 public:
  Tried(const std::filesystem::path& attempts, const Assign& given, Seconds every = kAlways)
      : assign_(given), keeper({attempts, every}, assign_, hooks()) {
    keeper.begin({"key", sweeps::kEngineVersion, "cpu", 1, {"a", "b"}, {"c", "d"}});
  }
  results::JobResult run(const plume::TrainingState* from = nullptr) {
    plume::Observer observer;
    observer.on_boundary = [this](const plume::Boundary& boundary) { keeper.at_boundary(boundary); };
    observer.keep = keep;
    observer.on_finished = [this](const plume::FinishedTraining& training) {
      best_scores = plume::scores_of(training.best->model, training.test, [] {});
    };
    return plume::run_job(std::get<TrainTask>(assign_.what).job, data(), observer, from);
  }
  template <typename Message>
  std::vector<Message> said() const {
    std::vector<Message> all;
    for (const auto& message : said_) {
      if (const auto* one = std::get_if<Message>(&message)) all.push_back(*one);
    }
    return all;
  }

  plume::ModelParts keep = plume::ModelParts::none;
  std::vector<double> best_scores;
  std::optional<Suspend> suspend;
  int moved = 0;

 private:
  CheckpointKeeper::Hooks hooks() {
    return {[this] { ++moved; }, [this](const FromTrainer& message) { said_.push_back(message); },
            [this] { return std::exchange(suspend, std::nullopt); }};
  }
  Assign assign_;
  std::vector<FromTrainer> said_;

 public:
  CheckpointKeeper keeper;
};

class Keeper : public testing::Test {
 protected:
  std::filesystem::path file(int attempt) const {
    return checkpoint_file(folder_.path(), sweeps::key_of(std::get<TrainTask>(assign(1).what).job), attempt);
  }
  const tests::TemporaryFolder folder_;
  const results::JobResult whole_ = Tried(folder_ / "elsewhere", assign(1), Seconds(0)).run();
};

TEST_F(Keeper, WritesAtEveryBoundaryWhereItIsDueAndTheNextAttemptGoesOn) {
  Tried first(folder_.path(), assign(1));
  EXPECT_FALSE(first.keeper.next_state());
  EXPECT_EQ(first.run(), whole_);
  const auto written = first.said<CheckpointWritten>();
  ASSERT_EQ(written.size(), 3U + 1 + 3);
  EXPECT_EQ(written.back().epoch, 1);
  EXPECT_EQ(written.back().batches, 3);
  EXPECT_EQ(written.back().bytes, static_cast<std::int64_t>(std::filesystem::file_size(file(1))));
  EXPECT_GE(first.moved, 7) << "whoever watches sees that something moves";
  EXPECT_EQ(folder_.entry_count(), 1);

  Tried second(folder_.path(), assign(2), Seconds(600));
  const auto state = second.keeper.next_state();
  ASSERT_TRUE(state);
  ASSERT_EQ(second.said<Resumed>().size(), 1U);
  EXPECT_EQ(second.said<Resumed>()[0].from, 1);
  EXPECT_EQ(second.said<Resumed>()[0].batches, 3);
  EXPECT_GT(second.keeper.seconds_before(), 0);
  EXPECT_FALSE(second.keeper.started().empty());
  EXPECT_EQ(second.run(&*state), whole_);
  EXPECT_TRUE(second.said<CheckpointWritten>().empty());
}

TEST_F(Keeper, KeepsTheWeightsOfTheBestEpochWhereTheyAreWanted) {
  Tried first(folder_.path(), assign(1));
  first.keep = plume::ModelParts::classifier;
  EXPECT_EQ(first.run(), whole_);
  const auto written = first.said<CheckpointWritten>();
  ASSERT_EQ(written.size(), 7U);
  EXPECT_GT(written.back().bytes, written.front().bytes + 4 * 24 * 8) << "before the first evaluation none is best";

  Tried second(folder_.path(), assign(2), Seconds(600));
  second.keep = plume::ModelParts::classifier;
  const auto state = second.keeper.next_state();
  ASSERT_TRUE(state);
  ASSERT_FALSE(state->best.empty());
  EXPECT_EQ(state->best.front().first, "classifier.fc1.0.weight");
  EXPECT_EQ(second.run(&*state), whole_);
  EXPECT_EQ(second.best_scores, first.best_scores);
  EXPECT_FALSE(first.best_scores.empty());
}

TEST_F(Keeper, WritesNoneWhereNoneIsDueOrWanted) {
  for (const Seconds every : {Seconds(0), Seconds(600)}) {
    Tried tried(folder_.path(), assign(1), every);
    EXPECT_EQ(tried.run(), whole_);
    EXPECT_TRUE(tried.said<CheckpointWritten>().empty());
  }
  EXPECT_EQ(folder_.entry_count(), 0);
}

TEST_F(Keeper, LooksAtNoneOfAttemptsThatAreNotToBeGoneOnWith) {
  Tried(folder_.path(), assign(3)).run();
  EXPECT_FALSE(Tried(folder_.path(), assign(4, 3)).keeper.next_state());
  EXPECT_TRUE(Tried(folder_.path(), assign(4, 2)).keeper.next_state());
}

TEST_F(Keeper, MakesWayWithACheckpointWhenItIsAsked) {
  Tried first(folder_.path(), assign(1));
  first.suspend = Suspend{{5}, {1}, {}};
  try {
    first.run();
    FAIL() << "it ran to its end";
  } catch (const GivenBack& given_back) {
    // The first boundary's checkpoint was due; with it the training is long.
    EXPECT_EQ(given_back.message, "given back on request at epoch 0 step 2 of 3; its checkpoint is written");
  }
  Tried second(folder_.path(), assign(2));
  const auto state = second.keeper.next_state();
  ASSERT_TRUE(state);
  EXPECT_EQ(second.run(&*state), whole_);
  EXPECT_FALSE(std::filesystem::exists(file(1)));
}

TEST_F(Keeper, GoesOnToItsEndWhereItCannotWrite) {
  tests::write_text(folder_ / "attempts", "a file where a folder should be");
  Tried tried(folder_ / "attempts", assign(1));
  tried.suspend = Suspend{{5}, {1}, {}};
  EXPECT_EQ(tried.run(), whole_);
  ASSERT_EQ(tried.said<Remark>().size(), 1U) << "once";
  EXPECT_THAT(tried.said<Remark>()[0].text, HasSubstr("no checkpoint can be written, the training goes on without: "));
}

TEST_F(Keeper, FallsBackWhereASoundFileHoldsAnotherTraining) {
  Tried(folder_.path(), assign(1)).run();
  // The seals are right, but a tensor has another name.
  storage::SealedFileReader reader(file(1));
  std::string header = reader.header(), body(reader.body_bytes(), '?');
  reader.read(body.data(), body.size(), [] {});
  header.replace(header.find("classifier.fc2.weight"), 21, "classifier.fc9.weight");
  storage::SealedFileWriter writer(file(1), header, body.size(), [] {});
  writer.append(body);
  writer.publish();

  Tried second(folder_.path(), assign(2));
  const auto state = second.keeper.next_state();
  ASSERT_TRUE(state) << "the file itself is sound";
  try {
    second.run(&*state);
    FAIL() << "it was believed";
  } catch (const plume::StateRefused& error) {
    second.keeper.refuse(error.what());
  }
  ASSERT_EQ(second.said<Remark>().size(), 1U);
  EXPECT_THAT(second.said<Remark>()[0].text, HasSubstr("-1/checkpoint: its tensor classifier.fc9.weight is not the "));
  EXPECT_FALSE(second.keeper.next_state());
  EXPECT_EQ(second.keeper.seconds_before(), 0);
  EXPECT_EQ(second.run(), whole_);
}

TEST_F(Keeper, RefusesABodyThatIsNotTheHeadersTensors) {
  Tried(folder_.path(), assign(1)).run();
  const std::string header = storage::SealedFileReader(file(1)).header();
  storage::SealedFileWriter writer(file(1), header, 8, [] {});
  writer.append("too few.");
  writer.publish();
  Tried second(folder_.path(), assign(2));
  EXPECT_FALSE(second.keeper.next_state());
  ASSERT_EQ(second.said<Remark>().size(), 1U);
  EXPECT_THAT(second.said<Remark>()[0].text, HasSubstr("bytes, its body 8"));
}

}  // namespace
}  // namespace workers
