// Another backbone or data set than the sweep names: the jobs, the rows of tables and the text that is frozen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::string kSweep = R"({"version": 1, "name": "s",
  "datasets": {"spark2021": {"kind": "spark2021", "size": 32}},
  "blocks": [{"dataset": "spark2021", "backbone": ["resnet50", "vgg16"]},
             {"dataset": "cifar10", "backbone": "vgg16", "method": "knn"}],
  "tables": [{"id": "spark", "rows": [{"name": "ResNet", "where": {"dataset": "spark2021", "backbone": "resnet50"}},
                                      {"name": "VGG", "where": {"dataset": "spark2021", "backbone": "vgg16"}}]},
             {"id": "cifar", "rows": [{"name": "kNN", "where": {"dataset": "cifar10"}}]}]})";

const NormalClasses kCifar = {{"cat", "ship"}, {}};
const NormalClasses kSpark = {{"A", "B"}, {{"satellites", {"A", "B"}, false}}};
const ClassNames kClasses = {{"cifar10", kCifar}, {"spark2021", kSpark}, {"spark2022", kSpark}};

Sweep parse(const Substitutes& substitutes) {
  return parse_sweep(kSweep, "s.json", substitutes);
}

std::string refusal(const Substitutes& substitutes) {
  try {
    parse(substitutes);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::vector<std::string> jobs_of(const Plan& plan) {
  std::vector<std::string> jobs;
  for (const Job& job : plan.jobs) jobs.push_back(job.dataset + " " + job.normal_class + " " + job.backbone);
  return jobs;
}

TEST(Substitutes, ChangeTheJobsAndTheRowsThatSelectThem) {
  const Plan plan = expand(parse({{"resnet50", "efficientnet-lite0"}, {"spark2021", "spark2022"}}), kClasses);
  EXPECT_THAT(jobs_of(plan), ElementsAre("spark2022 satellites efficientnet-lite0", "spark2022 satellites vgg16",
                                         "cifar10 cat vgg16", "cifar10 ship vgg16"));
  EXPECT_EQ(plan.tables.at(0).datasets, std::vector<std::string>{"spark2022"});
  EXPECT_THAT(plan.tables[0].rows.at(0).cells.at(0).jobs, ElementsAre(0U));
  EXPECT_NE(plan.keys[0].hex, expand(parse({}), kClasses).keys[0].hex) << "another job has another key";
}

TEST(Substitutes, OfADataSetHaveThoseOfTheNamedClassesThatTheyHave) {
  const auto plan_of = [](const Substitutes& substitutes) {
    return expand(parse_sweep(R"({"version": 1, "name": "s", "datasets": {"own": {"kind": "image-folder"}},
                                  "blocks": [{"dataset": "cifar10", "backbone": "vgg16"},
                                             {"dataset": "cifar10", "classes": ["ship", "cat"], "backbone": "vgg16", "seeds": 2}]})",
                              "s.json", substitutes),
                  {{"cifar10", kCifar}, {"own", {{"bee", "cat"}, {}}}});
  };
  EXPECT_THAT(jobs_of(plan_of({{"cifar10", "own"}})), ElementsAre("own bee vgg16", "own cat vgg16", "own cat vgg16"));
  EXPECT_EQ(plan_of({}).jobs.size(), 4U);
}

TEST(Substitutes, AreKnownToTheTablesTheyConcern) {
  const Plan plan = expand(parse({{"spark2021", "spark2022"}}), kClasses);
  EXPECT_THAT(plan.tables.at(0).substitutes, ElementsAre(Pair("spark2021", "spark2022")));
  EXPECT_THAT(plan.tables.at(1).substitutes, IsEmpty());
}

TEST(Substitutes, MakeTwoValuesOfAListOne) {
  const Plan plan = expand(parse({{"resnet50", "efficientnet-lite0"}, {"vgg16", "efficientnet-lite0"}}), kClasses);
  EXPECT_THAT(jobs_of(plan), ElementsAre("spark2021 satellites efficientnet-lite0", "cifar10 cat efficientnet-lite0",
                                         "cifar10 ship efficientnet-lite0"));
  EXPECT_THAT(plan.tables.at(0).rows.at(0).cells.at(0).jobs, plan.tables[0].rows.at(1).cells.at(0).jobs);
  EXPECT_THAT(jobs_of(expand(parse({{"resnet50", "vgg16"}}), kClasses)),
              ElementsAre("spark2021 satellites vgg16", "cifar10 cat vgg16", "cifar10 ship vgg16"));
}

TEST(Substitutes, SwapTwoBackbones) {
  const Sweep sweep = parse({{"resnet50", "vgg16"}, {"vgg16", "resnet50"}});
  EXPECT_THAT(jobs_of(expand(sweep, kClasses)),
              ElementsAre("spark2021 satellites vgg16", "spark2021 satellites resnet50", "cifar10 cat resnet50",
                          "cifar10 ship resnet50"));
}

TEST(Substitutes, TakeTheSettingsOfSparkWithThem) {
  const Sweep sweep = parse({{"spark2021", "spark2022"}});
  ASSERT_EQ(sweep.datasets.at(0).id, "spark2022");
  EXPECT_EQ(sweep.datasets[0].kind, "spark2022");
  EXPECT_EQ(sweep.datasets[0].size, 32);
}

TEST(Substitutes, StandInTheTextThatIsFrozen) {
  const Sweep sweep = parse({{"resnet50", "efficientnet-lite0"}});
  EXPECT_THAT(sweep.text, HasSubstr(R"("substitute":{"resnet50":"efficientnet-lite0"})"));
  const Sweep again = parse_sweep(sweep.text, "run.json");
  EXPECT_EQ(jobs_of(expand(again, kClasses)), jobs_of(expand(sweep, kClasses)));
  EXPECT_EQ(again.text, sweep.text);
  EXPECT_EQ(parse({}).text.find("substitute"), std::string::npos);
}

TEST(Substitutes, OfTheCommandComeBeforeThoseOfTheFile) {
  const Sweep first = parse({{"resnet50", "efficientnet-lite0"}, {"cifar10", "cifar100"}});
  const Sweep sweep = parse_sweep(first.text, "s.json", {{"resnet50", "convnext-base"}});
  EXPECT_THAT(sweep.substitutes, ElementsAre(Pair("cifar10", "cifar100"), Pair("resnet50", "convnext-base")));
}

TEST(Substitutes, AreRefusedWhereNothingIsReplacedOrNothingIsKnownToStandIn) {
  EXPECT_EQ(refusal({{"resnet5", "vgg16"}}),
            "s.json: substitute.resnet5: no block names a backbone or data set \"resnet5\" (did you mean "
            "\"resnet50\"?)");
  EXPECT_THAT(refusal({{"convnext-base", "vgg16"}}), HasSubstr("no block names"));
  EXPECT_THAT(refusal({{"resnet50", "vgg19"}}), HasSubstr("unknown backbone \"vgg19\" (did you mean \"vgg16\"?)"));
  EXPECT_THAT(refusal({{"resnet50", "cifar10"}}), HasSubstr("unknown backbone \"cifar10\""));
  EXPECT_THAT(refusal({{"spark2021", "my-images"}}), HasSubstr("others get an entry in \"datasets\""));
  EXPECT_THAT(refusal({{"spark2021", "resnet50"}}), HasSubstr("unknown data set \"resnet50\""));
  EXPECT_THAT(refusal({{"vgg16", "vgg16"}}), HasSubstr("nothing stands in for itself"));
}

}  // namespace
}  // namespace sweeps
