// What a block leaves out and what it adds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ClassNames kClasses = {{"cifar10", {{"cat", "ship"}, {}}}, {"synthetic", {{"ring", "bar"}, {}}}};

Sweep sweep_of(const std::string& in_block, const Substitutes& substitutes = {}) {
  return parse_sweep(R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", )" + in_block + "}]}", "s.json",
                     substitutes);
}

/// "cat linear-map+full lambda 5": what tells the jobs of these sweeps apart.
std::vector<std::string> jobs_of(const Sweep& sweep, const std::string& only = "") {
  const Plan plan = expand(sweep, kClasses);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const auto selected = only.empty() ? std::vector<std::size_t>{i} : select_jobs(plan, only);
    if (std::find(selected.begin(), selected.end(), i) == selected.end()) continue;
    std::string text = describe(plan.jobs[i]);
    text = text.substr(text.find('/') + 1);
    texts.push_back(text.substr(0, text.find(" seed")));
  }
  return texts;
}
std::vector<std::string> jobs_of(const std::string& in_block) {
  return jobs_of(sweep_of(in_block));
}

std::string refusal(const std::string& in_block, const Substitutes& substitutes = {}) {
  try {
    jobs_of(sweep_of(in_block, substitutes));
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

const std::string kGrid = R"("backbone": "resnet50", "perturbation": ["linear-map", "gaussian"], "lambda": [5, 10])";

TEST(Exclude, DropsCombinationsThatMatchAllAxesOfARule) {
  EXPECT_THAT(jobs_of(kGrid + R"(, "exclude": [{"perturbation": "linear-map", "lambda": 10}])"),
              ElementsAre("cat linear-map+full lambda 5", "ship linear-map+full lambda 5", "cat gaussian+full",
                          "ship gaussian+full"));
  EXPECT_THAT(jobs_of(kGrid + R"(, "exclude": [{"lambda": [10]}, {"perturbation": ["gaussian"]}])"),
              ElementsAre("cat linear-map+full lambda 5", "ship linear-map+full lambda 5"));
}

TEST(Exclude, MayNameAClass) {
  EXPECT_THAT(jobs_of(kGrid + R"(, "exclude": [{"class": "cat", "perturbation": "gaussian"}, {"lambda": 10}])"),
              ElementsAre("cat linear-map+full lambda 5", "ship linear-map+full lambda 5", "ship gaussian+full"));
}

TEST(Exclude, DropsWhatWouldNotGoTogether) {
  const std::string grid = R"("backbone": "resnet50", "perturbation": ["add-mult", "add"], "guidance": "none",
      "classifier_passes": ["two", "one"])";
  EXPECT_THAT(refusal(grid), HasSubstr("\"one\" exists only for"));
  EXPECT_EQ(jobs_of(grid + R"(, "exclude": [{"perturbation": "add", "classifier_passes": "one"}])").size(), 6U);
}

TEST(Exclude, SaysWhyARuleMatchesNothing) {
  EXPECT_EQ(refusal(kGrid + R"(, "exclude": [{"lambda": 5}, {"lambda": 7}])"),
            "s.json: blocks[0].exclude[1]: matches no job: lambda is 7, but the jobs that match the rest have 5 or 10");
  EXPECT_EQ(refusal(kGrid + R"(, "exclude": [{"class": "dog", "lambda": 5}])"),
            "s.json: blocks[0].exclude[0]: matches no job: class is \"dog\", but the jobs that match the rest have "
            "\"cat\" or \"ship\"");
  EXPECT_THAT(refusal(kGrid + R"(, "exclude": [{"class": "cat", "k": 2}])"),
              HasSubstr("exclude[0]: matches no job: k is 2, but"));
}

TEST(Exclude, IsRefusedWhereNothingIsLeft) {
  EXPECT_EQ(refusal(kGrid + R"(, "exclude": [{"lambda": [5, 10]}])"),
            "s.json: blocks[0].exclude: leaves nothing of the block");
  EXPECT_EQ(refusal(kGrid + R"(, "exclude": [{"class": ["cat", "ship"]}])"),
            "s.json: blocks[0].exclude: leaves nothing of the block");
}

TEST(Exclude, IsReadStrictly) {
  EXPECT_EQ(refusal(kGrid + R"(, "exclude": [{"lamda": 5}])"),
            "s.json: blocks[0].exclude[0].lamda: unknown key (did you mean \"lambda\"?)");
  EXPECT_THAT(refusal(kGrid + R"(, "exclude": [{"perturbation": "gauss"}])"), HasSubstr("unknown value \"gauss\""));
  EXPECT_THAT(refusal(kGrid + R"(, "exclude": [])"), HasSubstr("exclude: expected at least one rule"));
  EXPECT_THAT(refusal(kGrid + R"(, "exclude": [{}])"), HasSubstr("exclude[0]: expected an axis and its values"));
  EXPECT_THAT(refusal(kGrid + R"(, "exclude": {"lambda": 5})"), HasSubstr("exclude: expected a list"));
}

TEST(Include, AddsTheBlockAgainWithOtherKeys) {
  EXPECT_THAT(
      jobs_of(R"("backbone": "resnet50", "lambda": 5, "exclude": [{"class": "ship"}],
                         "include": [{"classes": ["ship"], "lambda": [10, 20]}])"),
      ElementsAre("cat linear-map+full lambda 5", "ship linear-map+full lambda 10", "ship linear-map+full lambda 20"))
      << "and no rule of the block holds for it";
  EXPECT_THAT(jobs_of(R"("backbone": "resnet50", "classes": ["cat"], "lambda": [5, 10],
                         "include": [{"guidance": "none", "lambda": 5}])")
                  .size(),
              3U);
}

TEST(Include, KeepsWhatHasAMeaningForItsMethod) {
  EXPECT_THAT(jobs_of(R"("backbone": "resnet50", "classes": ["cat"], "guidance": "none", "lambda": 7,
                         "include": [{"method": "plad"}, {"method": "knn", "k": 3}])"),
              ElementsAre("cat linear-map+none lambda 7", "cat plad lambda 7", "cat knn raw k 3"));
}

TEST(Include, LeadsToItsPlaceInMessages) {
  EXPECT_EQ(refusal(kGrid + R"(, "include": [{"lambda": 20}, {"lamda": 5}])"),
            "s.json: blocks[0].include[1].lamda: unknown key (did you mean \"lambda\"?)");
  EXPECT_EQ(refusal(kGrid + R"(, "include": [{"classes": ["dog"]}])"),
            "s.json: blocks[0].include[0].classes: \"dog\" is no class of data set cifar10; expected cat or ship");
  EXPECT_THAT(refusal(kGrid + R"(, "include": [{"exclude": [{"lambda": 5}]}])"),
              HasSubstr("include[0].exclude: has no meaning in \"include\""));
  EXPECT_THAT(refusal(kGrid + R"(, "include": [{}])"), HasSubstr("include[0]: expected keys of a block"));
  EXPECT_THAT(refusal(kGrid + R"(, "include": [])"), HasSubstr("include: expected at least one object"));
}

const std::string kBackbones = R"("backbone": ["resnet50", "vgg16"], "classes": ["cat"], "lambda": [5, 10],
    "exclude": [{"backbone": "vgg16", "lambda": 10}], "include": [{"backbone": "convnext-base", "lambda": 20}])";

TEST(Exclude, SpeaksOfWhatTheFileNamesWhateverStandsInForIt) {
  EXPECT_EQ(jobs_of(sweep_of(kBackbones)).size(), 4U);
  const Sweep one = sweep_of(
      kBackbones,
      {{"resnet50", "efficientnet-lite0"}, {"vgg16", "efficientnet-lite0"}, {"convnext-base", "efficientnet-lite0"}});
  EXPECT_THAT(jobs_of(one), ElementsAre("cat linear-map+full lambda 5", "cat linear-map+full lambda 10",
                                        "cat linear-map+full lambda 20"))
      << "lambda 10 of resnet50 stays, though that of vgg16 goes";
  EXPECT_THAT(jobs_of(sweep_of(kBackbones, {{"vgg16", "efficientnet-lite0"}})).size(), 4U);
}

TEST(Exclude, OfAClassIsNoMistakeWhereAnotherDataSetStandsIn) {
  const std::string block = R"("backbone": "resnet50", "exclude": [{"class": "cat"}])";
  EXPECT_THAT(jobs_of(sweep_of(block, {{"cifar10", "synthetic"}})),
              ElementsAre("ring linear-map+full lambda 5", "bar linear-map+full lambda 5"));
}

TEST(Exclude, HoldsInTheFrozenTextAndUnderOnly) {
  const Sweep sweep = sweep_of(kBackbones, {{"vgg16", "efficientnet-lite0"}});
  const Sweep again = parse_sweep(sweep.text, "run.json");
  EXPECT_EQ(jobs_of(again), jobs_of(sweep));
  EXPECT_EQ(again.text, sweep.text);
  EXPECT_THAT(jobs_of(sweep, "backbone=efficientnet-lite0"), ElementsAre("cat linear-map+full lambda 5"));
}

TEST(Exclude, LeavesGeneratedRowsWithoutWhatIsDropped) {
  const Plan plan =
      expand(sweep_of(kGrid + R"(, "exclude": [{"perturbation": "linear-map", "lambda": 10}])"), kClasses);
  std::vector<std::string> names;
  for (const PlannedRow& row : plan.tables.at(0).rows) names.push_back(row.name);
  EXPECT_THAT(names, ElementsAre("linear-map + full", "gaussian + full"));
}

}  // namespace
}  // namespace sweeps
