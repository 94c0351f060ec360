// A scan in this process: the outcome and the first error do not depend on the number of threads.
#include "runner/data_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

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

std::atomic<int> rows_scanned{0};

/// Not an image's numbers, but ones that tell its split and row.
workers::ScannedImage numbered(const datasets::Dataset&, const workers::ScanTask& task, std::int64_t row) {
  ++rows_scanned;
  workers::ScannedImage image;
  image.crc32c = static_cast<std::uint32_t>(row * 2 + (task.split == datasets::Split::test ? 1 : 0));
  image.width = image.height = 1;
  image.sums = image.squares = {1, 1, 1};
  return image;
}

workers::ScannedImage damaged_from_1100(const datasets::Dataset& data, const workers::ScanTask& task,
                                        std::int64_t row) {
  if (row >= 1100) throw storage::Error("row " + std::to_string(row) + ": damaged");
  return numbered(data, task, row);
}

class ScanHere : public testing::TestWithParam<int> {
 protected:
  ScanHere() { site_.cache = folder_ / "cache"; }
  tests::TemporaryFolder folder_;
  Site site_;
};

TEST_P(ScanHere, GivesThePlanEveryRowInItsPlaceAndKeepsTheOutcome) {
  FeaturePlan plan(two_classes(), site_);
  rows_scanned = 0;
  std::int64_t last = 0, total = 0;
  const auto rows = scan_here(plan, "synthetic", GetParam(), numbered, [&](std::int64_t done, std::int64_t all) {
    EXPECT_GE(done, last);
    last = done;
    total = all;
  });
  EXPECT_EQ(rows, 1202);
  EXPECT_EQ(rows_scanned, 1202);
  EXPECT_EQ(last, 1202);
  EXPECT_EQ(total, 1202);
  ASSERT_TRUE(plan.scanned("synthetic"));
  EXPECT_EQ(plan.scan_of("synthetic")[0].checksums.at(1100), 2200U);
  EXPECT_EQ(plan.scan_of("synthetic")[1].checksums.at(1), 3U);
  EXPECT_TRUE(FeaturePlan(two_classes(), site_).scanned("synthetic")) << "the next plan finds it in the cache";
}

TEST_P(ScanHere, NamesTheFirstDamagedRow) {
  FeaturePlan plan(two_classes(), site_);
  try {
    scan_here(plan, "synthetic", GetParam(), damaged_from_1100, [](std::int64_t, std::int64_t) {});
    FAIL() << "nobody complained";
  } catch (const storage::Error& error) {
    EXPECT_STREQ(error.what(), "row 1100: damaged");
  }
  EXPECT_FALSE(FeaturePlan(two_classes(), site_).scanned("synthetic"));
}

INSTANTIATE_TEST_SUITE_P(OnThreads, ScanHere, testing::Values(1, 2, 7));

}  // namespace
}  // namespace runner
