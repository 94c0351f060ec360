// Work done and left, by kind of task.
#include "runner/meter.hpp"

#include <gtest/gtest.h>

namespace runner {
namespace {

PlannedTask task(workers::Task what, double cost, const std::string& name = "") {
  PlannedTask planned;
  planned.what = std::move(what);
  planned.cost = cost;
  planned.name = name;
  return planned;
}

TEST(Meter, ShowsScannedImagesUntilAllAreScannedThenThoseWithFeatures) {
  Meter meter;
  const auto scan = task(workers::ScanTask{}, 100);
  const auto extract = task(workers::ExtractTask{}, 60);
  meter.add({scan, extract});
  meter.started(scan, 10);
  auto view = meter.view({}, {}, 0, 12);
  EXPECT_TRUE(view.scanning);
  EXPECT_EQ(view.images_total, 100);
  meter.done(scan);
  meter.started(extract, 20);
  view = meter.view({}, {}, 0, 23);
  EXPECT_FALSE(view.scanning);
  EXPECT_EQ(view.images_total, 60);
  EXPECT_EQ(view.images_done, 0);
  EXPECT_EQ(view.images_seconds, 3);
}

TEST(Meter, WeighsJobsByTheirCostAndRemembersTheLast) {
  Meter meter;
  const auto large = task(workers::TrainTask{}, 9, "large");
  const auto small = task(workers::TrainTask{}, 1, "small");
  meter.add({large, small});
  meter.started(large, 0);
  meter.done(large);
  const Counts jobs{1, 0, 1, 0};
  const auto view = meter.view(jobs, {}, 5, 30);
  EXPECT_EQ(view.work_done, 9);
  EXPECT_EQ(view.work_left, 1);
  EXPECT_EQ(view.jobs_before, 4) << "five are committed, one of them in this run";
  EXPECT_EQ(view.last, "large");
}

}  // namespace
}  // namespace runner
