// The sweeps that come with the product parse and expand to what they promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "sweeps/sweep.hpp"
#include "tests/temporary_folder.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;

Sweep shipped(const std::string& name) {
  return read_sweep(std::string(PLUME_SOURCE_DIR "/sweeps/") + name + ".json");
}

void expect_three_variants(const Plan& plan, std::size_t seeds, std::size_t baselines) {
  EXPECT_EQ(plan.jobs.size(), 3U * 3U * seeds + baselines * 3U) << "3 variants, 3 classes, seeds; baselines, 3 classes";
  ASSERT_EQ(plan.tables.size(), 1U);
  ASSERT_EQ(plan.tables[0].rows.size(), 3 + baselines);
  EXPECT_EQ(plan.tables[0].columns.size(), 3U);
  EXPECT_THAT(plan.tables[0].modes, ElementsAre(Mode::best, Mode::last));
  for (const PlannedRow& row : plan.tables[0].rows) {
    for (const PlannedCell& cell : row.cells) EXPECT_EQ(cell.jobs.size(), row.in_paper ? seeds : 1U) << row.name;
  }
}

TEST(SweepFiles, QuickstartNeedsNoDataAndIsReduced) {
  const Sweep sweep = shipped("quickstart");
  ASSERT_EQ(sweep.datasets.size(), 1U);
  EXPECT_EQ(sweep.datasets[0].kind, "synthetic");
  const Plan plan = expand(sweep, {{"synthetic", {{"ring", "cross", "bar", "triangle", "square", "ell"}, {}}}});
  expect_three_variants(plan, 3, 3);
  EXPECT_TRUE(plan.tables[0].rows[0].reduced);
}

TEST(SweepFiles, FirstLightHasTheSizeOfThePaper) {
  const Sweep sweep = shipped("first-light");
  ASSERT_EQ(sweep.datasets.size(), 1U);
  EXPECT_EQ(sweep.datasets[0].kind, "image-folder");
  const Plan plan = expand(
      sweep, {{"cifar10-jpeg",
               {{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}, {}}}});
  expect_three_variants(plan, 2, 2);
  EXPECT_FALSE(plan.tables[0].rows[0].reduced);
}

TEST(SweepFiles, VariantsHasEveryVariantPladAndEveryBaseline) {
  const Plan plan = expand(shipped("variants"), {{"cifar10-jpeg", {{"airplane", "automobile"}, {}}}});
  EXPECT_EQ(plan.jobs.size(), (15U + 1U + 1U) * 2U + 6U + 2U * 2U)
      << "15 variants, full size, plad: 2 seeds; 3 baselines on raw and l2; k-means with 2 seeds";
  ASSERT_EQ(plan.tables.size(), 1U);
  EXPECT_EQ(plan.tables[0].rows.size(), 25U);
  for (const Job& job : plan.jobs) EXPECT_FALSE(is_trained(job.method) && job.training.learning_rate) << describe(job);
}

TEST(SweepFiles, GeometricBiasHasATableOverFourDataSetsAndOneOfEach) {
  const std::vector<std::string> shapes = {"ring", "cross", "bar", "ell"};
  const Plan plan =
      expand(shipped("geometric-bias"),
             {{"synthetic-turned", {shapes, {}}},
              {"synthetic-upright", {shapes, {}}},
              {"cifar10-jpeg", {{"airplane", "automobile", "bird", "cat"}, {}}},
              {"plankton10", {{"acantharia_protist", "appendicularian_s_shape", "chaetognath_non_sagitta"}, {}}}});
  EXPECT_EQ(plan.jobs.size(), 4U * 3U * (3U + 1U + 3U)) << "3 classes each; plume and rotation: 3 seeds; knn";
  ASSERT_EQ(plan.tables.size(), 5U);
  EXPECT_EQ(plan.tables[0].datasets.size(), 4U);
  for (const PlannedRow& row : plan.tables[0].rows) {
    for (const PlannedCell& cell : row.cells) EXPECT_FALSE(cell.jobs.empty()) << row.name;
  }
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(plan.tables[i].datasets.size(), 1U);
}

/// Every indented block of the README that is a whole sweep.
std::vector<std::string> examples_of_the_readme() {
  std::istringstream readme(tests::read_text(PLUME_SOURCE_DIR "/sweeps/README.md"));
  std::vector<std::string> examples;
  std::string line, example;
  while (std::getline(readme, line)) {
    if (line.starts_with("    ")) {
      example += line + "\n";
      continue;
    }
    if (example.find("\"version\"") != std::string::npos) examples.push_back(example);
    example.clear();
  }
  return examples;
}

TEST(SweepFiles, TheExamplesOfTheReadmeComeToTheJobsItSays) {
  const ClassNames classes = {
      {"birds", {{"owl", "tit", "wren"}, {}}},
      {"cifar10", {{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}, {}}}};
  std::vector<std::size_t> jobs, rows;
  for (const std::string& example : examples_of_the_readme()) {
    const Plan plan = expand(parse_sweep(example, "README.md"), classes);
    jobs.push_back(plan.jobs.size());
    rows.push_back(plan.tables.at(0).rows.size());
  }
  EXPECT_THAT(jobs, ElementsAre(42, 330, 10 * (4 * 5 + 1), 10 * 3 * 5 * 2));
  EXPECT_THAT(rows, ElementsAre(4, 7, 5, 4));
}

}  // namespace
}  // namespace sweeps
