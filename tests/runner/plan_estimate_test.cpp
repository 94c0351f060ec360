// What a plan says of time: from times, else a guess that says so.
#include "runner/plan_estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr JobShape kShape{320, 100, 1280};

sweeps::Job training(int epochs = 10, int dimension = 384) {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = "cat";
  job.backbone = "efficientnet-lite0";
  job.training.dimension = dimension;
  job.training.epochs = epochs;
  job.training.learning_rate = 1e-3;
  return job;
}

results::Done done(const sweeps::Job& job, double seconds, const std::string& device = "cpu") {
  results::Done d;
  d.job = job;
  d.result.train_rows = kShape.rows;
  d.result.test_rows = kShape.test_rows;
  d.result.device = device;
  d.timing.wall_seconds = seconds;
  return d;
}

MeasuredTimes times_of(const std::vector<results::Done>& all) {
  results::Ledger ledger;
  for (auto d : all) {
    d.job.seed = ledger.done.size();
    ledger.done.emplace(sweeps::key_of(d.job), d);
  }
  return measured_times({&ledger}, [](const sweeps::Job&) { return std::optional<std::int64_t>(kShape.length); });
}

TEST(EffortOf, AlikeAreJobsThatDifferInSeedClassAndEpochs) {
  auto other = training(20);
  other.seed = 7;
  other.normal_class = "dog";
  const auto effort = effort_of(training(), kShape), longer = effort_of(other, kShape);
  EXPECT_EQ(effort.kind, longer.kind);
  EXPECT_NEAR(longer.work / effort.work, 2, 0.01);
  EXPECT_NE(effort_of(training(10, 768), kShape).kind, effort.kind);
  EXPECT_NE(effort_of(training(), {320, 100, 2048}).kind, effort.kind);
  auto guided = training();
  guided.training.guidance = sweeps::Guidance::none;
  EXPECT_NE(effort_of(guided, kShape).kind, effort.kind);
}

TEST(MeasuredTimes, AreOfOneDeviceAndOfWholeTrainings) {
  auto diverged = done(training(), 1);
  diverged.result.outcome = results::Outcome::diverged;
  const auto measured =
      times_of({done(training(), 8), done(training(), 10), done(training(), 1, "cuda"), diverged, done(training(), 0)});
  EXPECT_EQ(measured.device, "cpu");
  EXPECT_EQ(measured.count, 2u);
  EXPECT_DOUBLE_EQ(measured.times.seconds_of(effort_of(training(), kShape)).value(), 9);
}

TEST(ExpectedOf, TakesLikeJobsThenTheOthersFactorThenTheModel) {
  const auto measured = times_of({done(training(), 10)});
  const auto like = expected_of(training(20), kShape, measured, sweeps::kCpuThread);
  EXPECT_NEAR(like.seconds, 20, 0.2);
  EXPECT_FALSE(like.guessed);
  const double model = effort_of(training(), kShape).work;
  const auto other = expected_of(training(10, 768), kShape, measured, sweeps::kCpuThread);
  EXPECT_TRUE(other.guessed);
  EXPECT_NEAR(other.seconds, effort_of(training(10, 768), kShape).work * 10 / model, 1e-9);
  const auto guess = expected_of(training(), kShape, MeasuredTimes{}, sweeps::kCpuThread);
  EXPECT_TRUE(guess.guessed);
  EXPECT_DOUBLE_EQ(guess.seconds, model);
}

TEST(Estimate, SumsWhatIsLeftAndWhatTookItsTime) {
  const auto measured = times_of({done(training(), 10)});
  const std::vector<PlannedJob> jobs{{training(), kShape, false, 11.0},
                                     {training(), kShape, true, {}},
                                     {training(20), kShape, true, {}},
                                     {training(10, 768), std::nullopt, true, {}}};
  const auto e = estimate(jobs, measured, sweeps::kCpuThread, 2);
  EXPECT_NEAR(e.left_seconds, 30, 0.3);
  EXPECT_NEAR(e.all_seconds, 41, 0.3);
  EXPECT_NEAR(e.longest_seconds, 20, 0.2);
  EXPECT_NEAR(e.together_seconds, 20, 0.2) << "two workers";
  EXPECT_NEAR(estimate(jobs, measured, sweeps::kCpuThread, 1).together_seconds, 30, 0.3);
  EXPECT_EQ(e.left, 3u);
  EXPECT_EQ(e.guessed, 0u);
  EXPECT_EQ(e.not_known, 1u);
}

TEST(EstimateLines, SayWhatIsMeasured) {
  const auto measured = times_of({done(training(), 600), done(training(), 600)});
  std::vector<PlannedJob> jobs{{training(), kShape, false, 600.0}};
  for (int i = 0; i < 9; ++i) jobs.push_back({training(), kShape, true, {}});
  EXPECT_THAT(estimate_lines(jobs, measured, 3),
              ElementsAre("  estimated: 1.5 worker-hours left of 1.7 worker-hours, from 2 jobs that ran on CPUs",
                          "  longest job left: about 10 min; with 3 workers all in about 30 min"));
}

TEST(EstimateLines, MarkWhatIsGuessed) {
  const auto measured = times_of({done(training(), 600)});
  const std::vector<PlannedJob> jobs{{training(), kShape, true, {}}, {training(10, 768), kShape, true, {}}};
  const auto lines = estimate_lines(jobs, measured, 0);
  EXPECT_THAT(lines.at(0), HasSubstr("* worker-"));
  EXPECT_THAT(lines.at(0), HasSubstr("; * = 1 of the 2 left are guessed: no job like them was timed"));
  const auto guesses = estimate_lines(jobs, MeasuredTimes{}, 0);
  EXPECT_THAT(guesses.at(0), HasSubstr("on an H100; * = guess: no job like these was timed"));
}

TEST(EstimateLines, AreNoneWhereNothingIsLeft) {
  EXPECT_TRUE(estimate_lines({{training(), kShape, false, 3.0}}, MeasuredTimes{}, 4).empty());
  EXPECT_TRUE(estimate_lines({{training(), std::nullopt, true, {}}}, MeasuredTimes{}, 4).empty()) << "rows not known";
}

TEST(EstimateLines, CallGpuTimeGpuTime) {
  const auto measured = times_of({done(training(), 7200, "cuda")});
  EXPECT_THAT(estimate_lines({{training(), kShape, true, {}}}, measured, 0).at(0),
              StartsWith("  estimated: 2.0 GPU-hours, from 1 job that ran on cuda"));
}

}  // namespace
}  // namespace runner
