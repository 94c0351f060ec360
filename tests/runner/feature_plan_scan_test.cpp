// Scans that a killed run left, slices with rows that cannot be read, and what becomes of the sets.
#include "runner/feature_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "tests/temporary_folder.hpp"
#include "workers/checksums.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
using sweeps::Job;
using sweeps::Method;
using testing::HasSubstr;

/// Three slices of training images (two classes in turn) and one of test images, and jobs without a backbone.
class PlanOfSlices : public testing::Test {
 protected:
  PlanOfSlices() {
    sweep_ = sweeps::parse_sweep(R"({"version": 1, "name": "s",
      "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 1100, "test_per_class": 4}},
      "blocks": [{"dataset": "synthetic", "method": "plad"}]})",
                                 "s.json");
    site_.cache = folder_ / "cache";
    open();
  }
  void open() {
    plan_ = std::make_unique<FeaturePlan>(sweep_, site_);
    jobs_ = sweeps::expand(sweep_, plan_->class_names()).jobs;
  }
  std::vector<PlannedTask> scan_tasks() {
    return plan_->scan_tasks(jobs_, [this](const std::string& line) { said_ += line + "\n"; });
  }
  /// The outcome of a scan task, with the rows of `faulty_` unreadable; the sums depend on the row.
  workers::Scanned outcome(const PlannedTask& task) const {
    const auto& scan = std::get<workers::ScanTask>(task.what);
    workers::Scanned scanned;
    for (std::int64_t row = scan.first; row < scan.first + scan.count; ++row) {
      workers::ScannedImage image;
      if (scan.split == datasets::Split::train && faulty_.contains(row)) {
        image.fault = "row " + std::to_string(row) + ".jpg: not a JPEG";
      } else {
        const auto shade = static_cast<double>(row % 200);
        image = {static_cast<std::uint32_t>(row), 32, 32, {}, {}, {}, {}};
        image.sums.assign(3, shade * 1024);
        image.squares.assign(3, shade * shade * 1024);
      }
      scanned.images.push_back(image);
    }
    return scanned;
  }
  void scan_all() {
    for (const auto& task : scan_tasks()) plan_->take_scan(task.id, outcome(task));
  }
  std::string refusal() const {
    try {
      plan_->check_skipped("synthetic", jobs_);
    } catch (const storage::Error& error) {
      return error.what();
    }
    return "";
  }
  fs::path slices() const {
    for (const auto& entry : fs::directory_iterator(site_.cache / "scan")) {
      if (entry.path().extension() == ".parts") return entry.path();
    }
    return {};
  }

  tests::TemporaryFolder folder_;
  Site site_;
  sweeps::Sweep sweep_;
  std::unique_ptr<FeaturePlan> plan_;
  std::vector<Job> jobs_;
  std::set<std::int64_t> faulty_;
  std::string said_;
};

TEST_F(PlanOfSlices, ScansOnlyWhatAKilledRunHadNotScanned) {
  scan_all();
  const auto undisturbed = plan_->features_of(jobs_[0]).train.identity;
  fs::remove_all(site_.cache);
  open();
  const auto tasks = scan_tasks();
  ASSERT_EQ(tasks.size(), 4U);
  plan_->take_scan(tasks[0].id, outcome(tasks[0]));
  plan_->take_scan(tasks[2].id, outcome(tasks[2]));

  open();
  const auto left = scan_tasks();
  EXPECT_EQ(said_, "synthetic: 2 of 4 slices of its scan were made by an earlier run\n");
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].name, tasks[1].name);
  EXPECT_EQ(plan_->take_scan(left[0].id, outcome(left[0])), "");
  EXPECT_EQ(plan_->take_scan(left[1].id, outcome(left[1])), "synthetic");
  EXPECT_EQ(plan_->features_of(jobs_[0]).train.identity, undisturbed);
  EXPECT_EQ(slices(), fs::path()) << "what the whole scan holds is not kept twice";
}

TEST_F(PlanOfSlices, IsScannedAtOnceWhereOnlyTheWholeWasMissing) {
  const auto tasks = scan_tasks();
  for (std::size_t i = 0; i + 1 < tasks.size(); ++i) plan_->take_scan(tasks[i].id, outcome(tasks[i]));
  const auto& last = std::get<workers::ScanTask>(tasks.back().what);
  workers::keep_slice(site_.cache, {slices().stem().string(), last.split, last.first, last.count},
                      outcome(tasks.back()));
  open();
  EXPECT_TRUE(scan_tasks().empty());
  EXPECT_TRUE(plan_->scanned("synthetic"));
}

TEST_F(PlanOfSlices, MakesADamagedSliceAgain) {
  const auto tasks = scan_tasks();
  plan_->take_scan(tasks[0].id, outcome(tasks[0]));
  const auto file = slices() / "train-0.json";
  tests::write_text(file, tests::read_text(file).substr(0, 1000));
  open();
  EXPECT_EQ(scan_tasks().size(), 4U);
}

TEST_F(PlanOfSlices, TakesASliceWithFaultsOnlyWhereTheDataSetMaySkip) {
  sweep_.datasets[0].skip = 0.5;
  faulty_ = {5};
  open();
  const auto tasks = scan_tasks();
  plan_->take_scan(tasks[0].id, outcome(tasks[0]));
  sweep_.datasets[0].skip = 0.25;
  open();
  EXPECT_EQ(scan_tasks().size(), 3U) << "how many may be skipped is no matter of a scan";
  sweep_.datasets[0].skip = 0;
  open();
  EXPECT_EQ(scan_tasks().size(), 4U);
}

TEST_F(PlanOfSlices, HasOnlyTheGoodRowsInItsSets) {
  sweep_.datasets[0].skip = 0.001;
  faulty_ = {1, 1024};
  open();
  scan_all();
  EXPECT_EQ(refusal(), "");
  const auto skipped = plan_->skipped("synthetic");
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].summary,
            "synthetic: 2 of 2200 train images are skipped: 1 ring, 1 cross; first: row 1.jpg: not a JPEG");
  EXPECT_THAT(skipped[0].rows, testing::ElementsAre("synthetic: skipped train/cross#0: row 1.jpg: not a JPEG",
                                                    "synthetic: skipped train/ring#512: row 1024.jpg: not a JPEG"));
  auto job = jobs_[0];
  EXPECT_EQ(plan_->features_of(job).train.row_count, 2198);
  const auto tasks = plan_->tasks_for({job}, [](const std::string&) {});
  const auto& first = std::get<workers::ExtractTask>(tasks[0].what);
  EXPECT_EQ(first.rows.front(), 0);
  EXPECT_EQ(first.rows[1], 2) << "row 1 is skipped";
  EXPECT_EQ(first.rows[1023], 1025) << "row 1024 too";
  EXPECT_EQ(first.checksums[1023], workers::checksum_with_class(1025, "cross"));
  const auto& last = std::get<workers::ExtractTask>(tasks[2].what);
  EXPECT_EQ(last.rows.back(), 2199);
  EXPECT_EQ(last.checksums.back(), workers::checksum_with_class(2199, "cross"));

  job.train_rows = 1;  // of each class
  open();
  EXPECT_EQ(std::get<workers::ExtractTask>(plan_->tasks_for({job}, [](const std::string&) {})[0].what).rows,
            (std::vector<std::int64_t>{0, 3}));
}

TEST_F(PlanOfSlices, RefusesMoreSkippedRowsThanAllowed) {
  sweep_.datasets[0].skip = 0.001;
  faulty_ = {0, 7, 9};
  open();
  scan_all();
  EXPECT_EQ(refusal(),
            "synthetic: 3 of 2200 train images cannot be read, and \"skip\": 0.001 of its entry under \"datasets\" "
            "allows fewer; first: row 0.jpg: not a JPEG");
  sweep_.datasets[0].skip = 0.002;
  open();
  EXPECT_TRUE(plan_->scanned("synthetic"));
  EXPECT_EQ(refusal(), "");
}

TEST_F(PlanOfSlices, RefusesAClassThatSkippingLeavesWithoutRowsToTrainOn) {
  sweep_.datasets[0].skip = 0.9;
  for (std::int64_t row = 0; row < 2198; row += 2) faulty_.insert(row);  // of class ring: all but the last
  open();
  scan_all();
  EXPECT_EQ(refusal(),
            "synthetic: normal class \"ring\" has 1 training row(s) left, because others cannot be read and are "
            "skipped; it needs 2: mend those images (logs/run.log lists them), or leave the class out of \"classes\"");
  std::erase_if(jobs_, [](const Job& job) { return job.normal_class == "ring"; });
  EXPECT_EQ(refusal(), "");
}

}  // namespace
}  // namespace runner
