// Worker-seconds held against allocations: numbers that can be checked by hand.
#include "runner/cluster_forecast.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr JobShape kShape{320, 100, 1280};

sweeps::Job training(std::uint64_t seed) {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = "cat";
  job.backbone = "efficientnet-lite0";
  job.seed = seed;
  job.training.dimension = 384;
  job.training.epochs = 10;
  job.training.learning_rate = 1e-3;
  return job;
}

/// `count` trainings that are left, and one that was timed: `seconds`, or 0 for none.
ClusterWork work_of(int count, double seconds) {
  ClusterWork work;
  for (int k = 0; k < count; ++k) work.jobs.push_back({training(static_cast<std::uint64_t>(k)), kShape, true, {}});
  if (seconds == 0) return work;
  results::Ledger ledger;
  results::Done done;
  done.job = training(99);
  done.result.train_rows = kShape.rows;
  done.result.test_rows = kShape.test_rows;
  done.result.device = "cpu";
  done.timing.wall_seconds = seconds;
  ledger.done.emplace(sweeps::key_of(done.job), done);
  work.measured = measured_times({&ledger}, [](const auto&) { return std::optional<std::int64_t>(kShape.length); });
  return work;
}

/// An hour, the last ten minutes of it drained.
ClusterSettings hours_of(int nodes, int workers) {
  ClusterSettings cluster;
  cluster.nodes = nodes;
  cluster.gpus_per_node = 0;
  cluster.workers_per_node = workers;
  cluster.cpus_per_task = 2;
  cluster.time = "1:00:00";
  cluster.drain_seconds = 600;
  return cluster;
}

TEST(Forecast, DividesMeasuredTimesAmongWorkersAndAllocations) {
  // 40 jobs of 600 s on 2 x 2 workers: ten each, 6,000 s, and an allocation has 3,000 of them.
  EXPECT_THAT(
      forecast_lines(work_of(40, 600), hours_of(2, 2)),
      ElementsAre("  estimated: 6.7 worker-hours of 2 CPU threads, with 4 workers all in about 1 h 40 min: about "
                  "2 allocations",
                  "  longest job: about 10 min; an allocation has 50 min before its drain"));
}

TEST(Forecast, CountsFeaturesAsTheWorkOfAllThreads) {
  auto work = work_of(4, 600);
  work.extraction_seconds = 4 * 2 * 3'000;  // of one thread: 3,000 s of 4 workers with 2 each
  EXPECT_THAT(forecast_lines(work, hours_of(2, 2)).at(0),
              HasSubstr("all in about 10 min and at most 50 min* more for the features (together 3.3* worker-hours): "
                        "about 2 allocations"));
  auto cluster = hours_of(1, 2);
  cluster.form = Form::array;
  EXPECT_THAT(forecast_lines(work, cluster).at(0),
              HasSubstr(": one allocation; before them the features, at most 3.3* worker-hours"));
}

TEST(Forecast, SaysThatATrainingIsLongerThanAnAllocation) {
  EXPECT_THAT(forecast_lines(work_of(1, 3'100), hours_of(1, 1)).at(1),
              HasSubstr("goes on from a checkpoint in the next one (--checkpoint-every)"));
  EXPECT_THAT(forecast_lines(work_of(1, 2'900), hours_of(1, 1)).at(1), Not(HasSubstr("checkpoint")));
}

TEST(Forecast, OfAnArrayIsThatOfAShare) {
  auto cluster = hours_of(1, 2);
  cluster.form = Form::array;
  cluster.shares = 5;
  EXPECT_THAT(forecast_lines(work_of(40, 600), cluster).at(0),
              HasSubstr(", each of 5 shares about 40 min: one allocation"));
}

TEST(Forecast, MarksWhatIsGuessedAndTakesThreadsToShareTheWork) {
  const auto lines = forecast_lines(work_of(4, 0), hours_of(1, 1));
  EXPECT_THAT(lines.at(0), HasSubstr("* worker-"));
  EXPECT_THAT(lines.back(), AllOf(HasSubstr("* = guess"), HasSubstr("--times DIR")));
}

TEST(Forecast, SaysWhereNothingIsLeft) {
  auto work = work_of(1, 600);
  work.jobs[0].left = false;
  EXPECT_THAT(forecast_lines(work, hours_of(1, 1)), ElementsAre(HasSubstr("nothing is left to run")));
}

}  // namespace
}  // namespace runner
