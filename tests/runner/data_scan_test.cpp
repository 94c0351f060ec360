// A scan in this process leaves what a run's would.
#include "runner/data_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

using testing::HasSubstr;

/// 2 x (600 + 1) rows: train takes two slices, test one.
sweeps::Sweep two_classes() {
  return sweeps::parse_sweep(R"({"version": 1, "name": "s",
    "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 600, "test_per_class": 1}},
    "blocks": [{"dataset": "synthetic", "method": "plad"}]})",
                             "s.json");
}

int rows_scanned = 0;

/// Not images' numbers, but ones that tell their split and row.
workers::Scanned numbered(const workers::ScanTask& task, const std::function<void()>& on_progress,
                          std::int64_t first_damaged) {
  workers::Scanned scanned;
  for (auto row = task.first; row < task.first + task.count; ++row) {
    if (row == first_damaged) throw storage::Error("row " + std::to_string(row) + ": damaged");
    ++rows_scanned;
    workers::ScannedImage image;
    image.crc32c = static_cast<std::uint32_t>(row * 2 + (task.split == datasets::Split::test ? 1 : 0));
    image.width = image.height = 1;
    image.sums = image.squares = {1, 1, 1};
    scanned.images.push_back(image);
    on_progress();
  }
  return scanned;
}

workers::Scanned good(const datasets::Dataset&, const workers::ScanTask& task, int threads,
                      const std::function<void()>& on_progress) {
  EXPECT_EQ(threads, 3);
  return numbered(task, on_progress, -1);
}

workers::Scanned damaged_at_1100(const datasets::Dataset&, const workers::ScanTask& task, int,
                                 const std::function<void()>& on_progress) {
  return numbered(task, on_progress, 1100);
}

class ScanHere : public testing::Test {
 protected:
  ScanHere() {
    site_.cache = folder_ / "cache";
    rows_scanned = 0;
    report_ = {[this](std::int64_t done, std::int64_t total) {
                 EXPECT_EQ(done, done_ + 1);
                 done_ = done;
                 total_ = total;
               },
               [this](const std::string& line) { said_.push_back(line); }};
  }
  tests::TemporaryFolder folder_;
  Site site_;
  ScanReport report_;
  std::int64_t done_ = 0, total_ = 0;
  std::vector<std::string> said_;
};

TEST_F(ScanHere, GivesThePlanEveryRowInItsPlaceAndKeepsTheOutcome) {
  FeaturePlan plan(two_classes(), site_);
  EXPECT_EQ(scan_here(plan, "synthetic", 3, good, report_), 1202);
  EXPECT_EQ(rows_scanned, 1202);
  EXPECT_EQ(done_, 1202);
  EXPECT_EQ(total_, 1202);
  ASSERT_TRUE(plan.scanned("synthetic"));
  EXPECT_EQ(plan.scan_of("synthetic")[0].checksums.at(1100), 2200U);
  EXPECT_EQ(plan.scan_of("synthetic")[1].checksums.at(1), 3U);
  EXPECT_TRUE(FeaturePlan(two_classes(), site_).scanned("synthetic")) << "the next plan finds it in the cache";
  EXPECT_EQ(scan_here(plan, "synthetic", 3, good, report_), 0);
}

TEST_F(ScanHere, GoesOnWhereADamagedRowEndedIt) {
  {
    FeaturePlan plan(two_classes(), site_);
    EXPECT_THAT([&] { scan_here(plan, "synthetic", 3, damaged_at_1100, report_); },
                testing::ThrowsMessage<storage::Error>("row 1100: damaged"));
  }
  FeaturePlan plan(two_classes(), site_);
  EXPECT_FALSE(plan.scanned("synthetic"));
  done_ = 0;
  EXPECT_EQ(scan_here(plan, "synthetic", 3, good, report_), 1202 - 1024);
  EXPECT_TRUE(plan.scanned("synthetic"));
  EXPECT_THAT(said_, testing::ElementsAre(HasSubstr("1 of 3 slices")));
}

}  // namespace
}  // namespace runner
