// Work done and left, by kind of task.
#include "runner/meter.hpp"

#include <gtest/gtest.h>

#include "sweeps/backbones.hpp"

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
  meter.done(scan, 15);
  meter.started(extract, 20);
  view = meter.view({}, {}, 0, 23);
  EXPECT_FALSE(view.scanning);
  EXPECT_EQ(view.images_total, 60);
  EXPECT_EQ(view.images_done, 0);
  EXPECT_EQ(view.images_seconds, 3);
}

workers::ExtractTask part_through(const std::string& backbone) {
  workers::ExtractTask part;
  part.recipe.backbone = backbone;
  return part;
}

TEST(Meter, SpeaksOfRowsWhereADataSetHoldsFeatures) {
  Meter meter;
  workers::ScanTask scan;
  scan.data.spec.kind = "features";
  meter.add({task(scan, 6), task(part_through(sweeps::kOwnFeatures), 6)});
  EXPECT_FALSE(meter.view({}, {}, 0, 0).of_images);
  meter.done(task(scan, 6), 1);
  EXPECT_FALSE(meter.view({}, {}, 0, 2).of_images);
  Meter of_images;
  of_images.add({task(part_through("resnet50"), 6)});
  EXPECT_TRUE(of_images.view({}, {}, 0, 0).of_images);
}

TEST(Meter, AddsUpWhereTheTimeOfFeaturesWent) {
  Meter meter;
  const auto first = task(part_through("resnet50"), 100);
  const auto second = task(part_through("resnet50"), 20);
  const auto kept = task(part_through("resnet50"), 50);
  meter.add({first, second, kept});
  meter.started(first, 10);
  EXPECT_FALSE(meter.features_profile()) << "nothing is made yet";
  for (const auto* one : {&first, &second, &kept}) {
    EXPECT_FALSE(meter.features_are_made());
    meter.done(*one, 14);
  }
  EXPECT_TRUE(meter.features_are_made());
  meter.took(first, workers::Extracted{100, {1, 5, 2}});
  meter.took(second, workers::Extracted{20, {0.5, 1, 0}});
  meter.took(kept, workers::Extracted{50, {}});
  const auto profile = meter.features_profile();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->rows, 120) << "what lay in the cache took no time";
  EXPECT_EQ(profile->seconds, 4);
  EXPECT_EQ(profile->spent, (workers::Spent{1.5, 6, 2}));
  EXPECT_TRUE(profile->backbone);
}

TEST(Meter, WeighsJobsByTheirCostAndRemembersTheLast) {
  Meter meter;
  const auto large = task(workers::TrainTask{}, 9, "large");
  const auto small = task(workers::TrainTask{}, 1, "small");
  meter.add({large, small});
  meter.started(large, 0);
  meter.done(large, 10);
  const Counts jobs{1, 0, 1, 0};
  const auto view = meter.view(jobs, {}, 5, 30);
  EXPECT_EQ(view.work_done, 9);
  EXPECT_EQ(view.work_left, 1);
  EXPECT_EQ(view.jobs_before, 4) << "five are committed, one of them in this run";
  EXPECT_EQ(view.last, "large");
}

}  // namespace
}  // namespace runner
