// A whole sweep at a smaller scale: fewer rows, epochs and seeds, narrower networks, the same tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ClassNames kClasses = {{"cifar10", {{"cat", "ship"}, {}}}};

std::string text_of(const std::string& in_block, const std::string& at_top = "") {
  return R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "backbone": "resnet50")" + in_block +
         (in_block.find("classes") == std::string::npos ? R"(, "classes": ["cat"])" : "") + "}]" + at_top + "}";
}
Plan quick(const std::string& in_block, const std::string& at_top = "") {
  return expand(parse_sweep(text_of(in_block, at_top), "s.json", {}, "quick"), kClasses);
}

TEST(Scale, LowersWhatAJobHas) {
  const Plan plan = quick(R"(, "method": ["plume", "knn"], "seeds": 5)");
  ASSERT_EQ(plan.jobs.size(), 3U) << "two seeds, and one kNN";
  EXPECT_EQ(plan.jobs[1].seed, 1U);
  EXPECT_EQ(plan.jobs[0].training.dimension, 384);
  EXPECT_EQ(plan.jobs[0].training.epochs, 2);
  for (const Job& job : plan.jobs) {
    EXPECT_EQ(job.train_rows, 20);
    EXPECT_EQ(job.test_rows, 10);
  }
  EXPECT_EQ(plan.tables.at(0).scale, "quick");
  EXPECT_TRUE(plan.tables[0].rows.at(0).reduced);
}

TEST(Scale, RaisesNothing) {
  const Plan plan =
      quick(R"(, "dimension": 96, "epochs": 1, "train_rows": 10, "test_rows": 5, "seeds": [7], "lambda": 5)");
  ASSERT_EQ(plan.jobs.size(), 1U);
  const Job& job = plan.jobs[0];
  EXPECT_EQ(job.training.dimension, 96);
  EXPECT_EQ(job.training.epochs, 1);
  EXPECT_EQ(job.train_rows, 10);
  EXPECT_EQ(job.test_rows, 5);
  EXPECT_EQ(job.seed, 7U);
}

TEST(Scale, GivesPladARateInPlaceOfARangeTest) {
  const Plan found = quick(R"(, "method": ["plume", "plad"])");
  ASSERT_EQ(found.jobs.size(), 2U);
  EXPECT_FALSE(found.jobs[0].training.learning_rate);
  EXPECT_EQ(found.jobs[1].training.learning_rate, 1e-4);
  EXPECT_EQ(quick(R"(, "method": ["plume", "plad"], "lr": 0.01)").jobs.at(1).training.learning_rate, 0.01);
}

TEST(Scale, KeepsTheFirstSeedsOfAList) {
  std::vector<std::uint64_t> seeds;
  for (const Job& job : quick(R"(, "seeds": [9, 4, 1])").jobs) seeds.push_back(job.seed);
  EXPECT_THAT(seeds, ElementsAre(9, 4));
}

TEST(Scale, MakesOneOfJobsThatBecomeAlike) {
  const Plan plan = quick(R"(, "epochs": [1, 50, 100], "dimension": [3072, 6144])");
  EXPECT_EQ(plan.jobs.size(), 2U) << "1 and 2 epochs";
  EXPECT_EQ(plan.tables.at(0).rows.size(), 2U);
}

TEST(Scale, LeavesBaselinesAsManyRowsAsTheyPick) {
  EXPECT_EQ(quick(R"(, "method": "knn", "k": 100)").jobs.at(0).train_rows, 100);
  EXPECT_EQ(quick(R"(, "method": "k-means", "clusters": 100, "train_rows": 400)").jobs.at(0).train_rows, 100);
}

TEST(Scale, LetsRowsColumnsAndRulesFindTheirJobs) {
  const Plan plan =
      quick(R"(, "dimension": [48, 3072], "epochs": [1, 100], "exclude": [{"epochs": 1, "dimension": 48}])",
            R"(, "tables": [{"id": "t", "rows": [{"name": "wide", "where": {"dimension": 3072, "train_rows": "all"}},
        {"name": "narrow", "where": {"dimension": 48}}],
        "columns": [{"name": "short", "where": {"epochs": 1}}, {"name": "long", "where": {"epochs": [100]}}]}])");
  const auto& rows = plan.tables.at(0).rows;
  EXPECT_EQ(plan.jobs.size(), 3U);
  EXPECT_EQ(plan.jobs.at(rows.at(0).cells.at(1).jobs.at(0)).training.dimension, 384);
  EXPECT_THAT(rows.at(1).cells.at(0).jobs, IsEmpty());
  EXPECT_EQ(rows.at(1).cells.at(1).jobs.size(), 1U);
}

TEST(Scale, AppliesAfterRulesThatNameClasses) {
  const Plan plan =
      quick(R"(, "classes": ["cat", "ship"], "epochs": [50, 100], "exclude": [{"class": "cat", "epochs": 50},
      {"class": "ship"}])");
  ASSERT_EQ(plan.jobs.size(), 1U) << "cat at 100 epochs stays, though at 50 it goes and both become 2";
  EXPECT_EQ(plan.jobs[0].normal_class, "cat");
}

TEST(Scale, StandsInTheTextThatIsFrozen) {
  const Sweep sweep = parse_sweep(text_of(R"(, "seeds": 5)"), "s.json", {{"resnet50", "vgg16"}}, "quick");
  EXPECT_THAT(sweep.text, HasSubstr(R"("scale":"quick")"));
  const Sweep again = parse_sweep(sweep.text, "run.json");
  EXPECT_EQ(again.scale, "quick");
  EXPECT_EQ(again.text, sweep.text);
  EXPECT_EQ(expand(again, kClasses).jobs, expand(sweep, kClasses).jobs);
  EXPECT_EQ(parse_sweep(text_of(""), "s.json").text.find("scale"), std::string::npos);
}

TEST(Scale, IsRefusedWithTheNearestName) {
  try {
    parse_sweep(text_of(""), "s.json", {}, "quik");
    FAIL() << "expected a refusal";
  } catch (const storage::UsageError& error) {
    EXPECT_STREQ(error.what(), "s.json: scale: unknown scale \"quik\" (did you mean \"quick\"?)");
  }
}

TEST(Scale, LeavesEveryRowOfThePaperItsJobs) {
  ClassNames classes = {{"cifar10", {{"bird", "truck"}, {}}},
                        {"cifar100", {{"fish", "people"}, {}}},
                        {"spark2021", {{"Aura"}, {{"satellites", {"Aura"}, false}}}}};
  const Plan plan = expand(read_sweep(PLUME_SOURCE_DIR "/sweeps/paper/all.json", {}, "quick"), classes);
  EXPECT_EQ(plan.jobs.size(), 2U * (2U * 12U + 2U * 2U + 4U)) << "seeds x (classes x configurations)";
  for (const PlannedTable& table : plan.tables) {
    for (const PlannedRow& row : table.rows) {
      if (row.only_printed) continue;
      for (const PlannedCell& cell : row.cells) EXPECT_FALSE(cell.jobs.empty()) << table.id << " " << row.name;
    }
  }
}

}  // namespace
}  // namespace sweeps
