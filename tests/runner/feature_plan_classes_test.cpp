// Several classes that are the normal class together: resolved, refused, and the satellites of SPARK.
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

sweeps::Sweep sweep_with_sets(const std::string& sets, const std::string& in_block = "") {
  return sweeps::parse_sweep(R"({"version": 1, "name": "s",
    "datasets": {"synthetic": {"kind": "synthetic", "classes": 4, "train_per_class": 2, "test_per_class": 1,
                               "normal_sets": )" +
                                 sets + R"(}}, "blocks": [{"dataset": "synthetic", "method": "plad")" + in_block +
                                 "}]}",
                             "s.json");
}

std::string refusal_of_sets(const std::string& sets) {
  const tests::TemporaryFolder folder;
  Site site;
  site.cache = folder / "cache";
  try {
    FeaturePlan(sweep_with_sets(sets), site).class_names();
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(NormalSets, AreResolvedInTheOrderOfTheDataSet) {
  const tests::TemporaryFolder folder;
  Site site;
  site.cache = folder / "cache";
  const FeaturePlan plan(sweep_with_sets(R"({"b": ["cross", "ring"], "a": {"all_but": ["bar", "triangle"]}})"), site);
  const auto normal = plan.class_names().at("synthetic");
  ASSERT_EQ(normal.sets.size(), 2U);
  for (const auto& set : normal.sets) EXPECT_THAT(set.classes, testing::ElementsAre("ring", "cross")) << set.name;
  EXPECT_EQ(normal.classes.size(), 4U);
}

TEST(NormalSets, AreRefusedWhereTheyCannotBeTrainedOnOrTested) {
  EXPECT_EQ(refusal_of_sets(R"({"a": ["rings"]})"),
            "data set synthetic: normal set \"a\": \"rings\" is no class (did you mean \"ring\"?)");
  EXPECT_THAT(refusal_of_sets(R"({"bar": ["ring", "cross"]})"), HasSubstr("a class of the data set has that name"));
  EXPECT_THAT(refusal_of_sets(R"({"a": ["ring", "cross", "bar", "triangle"]})"),
              HasSubstr("holds every class, and nothing would be an anomaly"));
  EXPECT_THAT(refusal_of_sets(R"({"a": {"all_but": ["ring", "cross", "bar", "triangle"]}})"),
              HasSubstr("no class is left in it"));
}

/// SPARK 2022 with three training images and one test image; nobody decodes them here.
class PlanOfSpark : public testing::Test {
 protected:
  PlanOfSpark() {
    const std::string header = "filename,class,bbox\n";
    const auto row = [&](const std::string& split, const std::string& name, const std::string& of_class) {
      tests::write_text(folder_ / split / name, "not decoded");
      return name + "," + of_class + ",\"[0, 0, 2, 2]\"\n";
    };
    tests::write_text(folder_ / "train.csv", header + row("train", "a.jpg", "cheops") + row("train", "b.jpg", "soho") +
                                                 row("train", "c.jpg", "debris"));
    tests::write_text(folder_ / "val.csv", header + row("val", "d.jpg", "debris"));
    site_.cache = folder_ / "cache";
    site_.data["spark2022"] = folder_.path();
    open(R"({"dataset": "spark2022", "method": "plad", "epochs": 1})");
  }
  void open(const std::string& block) {
    sweep_ = sweeps::parse_sweep(R"({"version": 1, "name": "s", "blocks": [)" + block + "]}", "s.json");
    plan_ = std::make_unique<FeaturePlan>(sweep_, site_);
  }

  tests::TemporaryFolder folder_;
  Site site_;
  sweeps::Sweep sweep_;
  std::unique_ptr<FeaturePlan> plan_;
};

TEST_F(PlanOfSpark, TrainsOnTheSatellitesTogetherAndNeverOnDebris) {
  const auto normal = plan_->class_names().at("spark2022");
  ASSERT_EQ(normal.sets.size(), 1U);
  EXPECT_EQ(normal.sets[0].name, "satellites");
  EXPECT_EQ(normal.sets[0].classes.size(), 10U);
  EXPECT_THAT(normal.sets[0].classes, testing::Not(testing::Contains("debris")));
  EXPECT_THAT(normal.classes, testing::IsEmpty()) << "one image each";
  const auto plan = sweeps::expand(sweep_, plan_->class_names());
  ASSERT_EQ(plan.jobs.size(), 1U);
  EXPECT_EQ(plan.jobs[0].normal_class, "satellites");
  open(R"({"dataset": "spark2022", "method": "plad", "classes": ["debris"]})");
  EXPECT_THROW(plan_->check_classes(sweep_), storage::UsageError);
}

TEST_F(PlanOfSpark, SaysBeforeAnythingRunsThatAnAurocWillBeUndefined) {
  const auto jobs = sweeps::expand(sweep_, plan_->class_names()).jobs;
  EXPECT_THAT(plan_->untestable_classes(jobs),
              testing::ElementsAre("spark2022: the test split has no normal rows where satellites is the normal class: "
                                   "its AUROC is undefined"));
}

TEST_F(PlanOfSpark, NormalisesThePicturesOfPladAndRotationWithTheDataSetsStatisticsDebrisIncluded) {
  const auto jobs = sweeps::expand(sweep_, plan_->class_names()).jobs;
  for (const auto& task : plan_->scan_tasks(jobs, [](const std::string&) {})) {
    const auto& scan = std::get<workers::ScanTask>(task.what);
    ASSERT_EQ(scan.square, 512);
    const double pixels = 512.0 * 512.0;
    workers::Scanned scanned;
    for (std::int64_t i = 0; i < scan.count; ++i) {
      // Image i is one flat value, (i + 1) / 4: means 1/4, 1/2 and, of debris, 3/4.
      const double value = static_cast<double>(i + 1) / 4;
      workers::ScannedImage image;
      image.width = image.height = 2;
      image.sums = image.squares = {0, 0, 0};
      image.square_sums = std::vector<double>(3, value * pixels);
      image.square_squares = std::vector<double>(3, value * value * pixels);
      scanned.images.push_back(image);
    }
    plan_->take_scan(task.id, scanned);
  }
  const auto tasks = plan_->tasks_for(jobs, [](const std::string&) {});
  const auto& training = std::get<workers::TrainTask>(tasks.back().what);
  EXPECT_THAT(training.mean, testing::ElementsAre(0.5, 0.5, 0.5));
  EXPECT_THAT(training.std_dev, testing::ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace runner
