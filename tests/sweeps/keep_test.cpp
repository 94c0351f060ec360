// What blocks want trainings to leave behind: read, joined, and without effect on jobs.
#include "sweeps/keep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ClassNames kClasses = {{"cifar10", {{"cat", "ship"}, {}}}};
const std::string kBlock = R"({"dataset": "cifar10", "classes": ["cat"], "backbone": "resnet50")";

Plan plan_of(const std::string& blocks) {
  return expand(parse_sweep(R"({"version": 1, "name": "s", "blocks": [)" + blocks + "]}", "s.json"), kClasses);
}

std::string refusal(const std::string& in_block) {
  try {
    plan_of(kBlock + in_block + "}");
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Keep, IsNothingWhereABlockSaysNothing) {
  EXPECT_THAT(plan_of(kBlock + "}").keep, ElementsAre(Keep{}));
}

TEST(Keep, IsOfEveryTrainingOfItsBlockAndOfNoBaseline) {
  const Plan plan = plan_of(kBlock + R"(, "method": ["knn", "plume"], "seeds": 2, "save": "all", "dump": 7})");
  ASSERT_EQ(plan.jobs.size(), 3U);
  EXPECT_EQ(plan.jobs[0].method, Method::knn);
  EXPECT_THAT(plan.keep, ElementsAre(Keep{}, Keep{Save::all, 7}, Keep{Save::all, 7}));
}

TEST(Keep, ChangesNoKey) {
  EXPECT_EQ(plan_of(kBlock + R"(, "save": "classifier", "dump": 100})").keys, plan_of(kBlock + "}").keys);
}

TEST(Keep, OfBlocksThatShareATrainingIsTheMoreOfEach) {
  const Plan plan =
      plan_of(kBlock + R"(, "save": "all"}, )" + kBlock + R"(, "seeds": 2, "save": "classifier", "dump": 5})");
  ASSERT_EQ(plan.jobs.size(), 2U);
  EXPECT_THAT(plan.keep, ElementsAre(Keep{Save::all, 5}, Keep{Save::classifier, 5}));
}

TEST(Keep, OfABlockIsThatOfWhatItIncludesToo) {
  const Plan plan =
      plan_of(kBlock + R"(, "dump": 5, "include": [{"lambda": 40}, {"lambda": 50, "dump": 0}, {"method": "knn"}]})");
  ASSERT_EQ(plan.jobs.size(), 4U);
  EXPECT_THAT(plan.keep, ElementsAre(Keep{Save::none, 5}, Keep{Save::none, 5}, Keep{}, Keep{}));
}

TEST(Keep, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refusal(R"(, "save": "weights")"),
            R"(s.json: blocks[0].save: unknown value "weights"; expected none, classifier or all)");
  EXPECT_THAT(refusal(R"(, "save": ["all"])"), HasSubstr("blocks[0].save: expected"));
  EXPECT_THAT(refusal(R"(, "dump": 5001)"), HasSubstr("blocks[0].dump: expected"));
  EXPECT_THAT(refusal(R"(, "dump": -1)"), HasSubstr("blocks[0].dump: expected"));
  EXPECT_THAT(refusal(R"(, "dump": true)"), HasSubstr("blocks[0].dump: expected"));
  EXPECT_THAT(refusal(R"(, "dumps": 3)"), HasSubstr(R"(blocks[0].dumps: unknown key (did you mean "dump"?))"));
}

TEST(Keep, MeansNothingForBaselinesAlone) {
  EXPECT_EQ(
      refusal(R"(, "method": ["knn", "mahalanobis"], "save": "all")"),
      R"(s.json: blocks[0].save: has no meaning for method "knn" or "mahalanobis", which is not trained; remove it)");
}

}  // namespace
}  // namespace sweeps
