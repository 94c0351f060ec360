// `--only axis=value`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// 0..3: airplane and cat, seeds 0 and 1 of linear-map; 4 and 5 of gaussian, seed 0; 6 and 7: knn.
Plan eight_jobs() {
  return expand(parse_sweep(R"({"version": 1, "name": "s", "blocks": [
      {"dataset": "cifar10", "backbone": "efficientnet-lite0", "lr": 1e-3, "lambda": 10, "seeds": 2},
      {"dataset": "cifar10", "backbone": "efficientnet-lite0", "lr": 1e-3, "perturbation": "gaussian", "train_rows": 50},
      {"dataset": "cifar10", "backbone": "efficientnet-lite0", "method": "knn"}]})",
                            "s.json"),
                {{"cifar10", {{"airplane", "cat"}, {}}}});
}

std::string refusal(const std::string& only) {
  try {
    select_jobs(eight_jobs(), only);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(SelectJobs, KeepsJobsThatMatchEveryAxis) {
  EXPECT_THAT(select_jobs(eight_jobs(), "class=cat,seed=0"), ElementsAre(1, 5));
  EXPECT_THAT(select_jobs(eight_jobs(), "method=knn"), ElementsAre(6, 7));
  EXPECT_THAT(select_jobs(eight_jobs(), "perturbation=linear-map,seed=1,class=airplane"), ElementsAre(2));
  EXPECT_THAT(select_jobs(eight_jobs(), "lr=0.001,train_rows=50"), ElementsAre(4, 5));
  EXPECT_THAT(select_jobs(eight_jobs(), "lr=1e-3,train_rows=all,class=cat"), ElementsAre(1, 3));
}

TEST(SelectJobs, TakesEitherValueOfAnAxisNamedTwice) {
  EXPECT_THAT(select_jobs(eight_jobs(), "seed=0,seed=1,class=cat"), ElementsAre(1, 3, 5));
}

TEST(SelectJobs, LeavesOutJobsWithoutTheAxis) {
  EXPECT_THAT(select_jobs(eight_jobs(), "lambda=10"), ElementsAre(0, 1, 2, 3));
}

TEST(SelectJobs, TellsAFoundLearningRateFromAGivenOne) {
  const Plan plan = expand(parse_sweep(R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10",
      "classes": ["cat"], "backbone": "efficientnet-lite0", "lr": ["find", 1e-3], "method": ["plume", "plad"]}]})",
                                       "s.json"),
                           {{"cifar10", {{"airplane", "cat"}, {}}}});
  EXPECT_THAT(select_jobs(plan, "lr=find"), ElementsAre(0, 2));
  EXPECT_THAT(select_jobs(plan, "lr=1e-3,method=plad"), ElementsAre(3));
}

TEST(SelectJobs, RefusesUnknownAxesAndValues) {
  EXPECT_EQ(refusal("clas=cat"), "--only: unknown axis \"clas\" (did you mean \"class\"?)");
  EXPECT_EQ(refusal("class=car"), "--only: class: no job has \"car\" (did you mean \"cat\"?)");
  EXPECT_EQ(refusal("seed=7"), "--only: seed: no job has 7; expected 0 or 1");
  EXPECT_THAT(refusal("perturbation=lineer-map"), HasSubstr("did you mean \"linear-map\"?"));
  EXPECT_EQ(refusal("lr=find"), "--only: lr: no job has \"find\"; expected 0.001");
  EXPECT_THAT(refusal("lr=fnid"), HasSubstr("--only: lr: expected a number such as 1e-3, or \"find\""));
  EXPECT_THAT(refusal("clusters=10"), HasSubstr("no job has a clusters"));
  EXPECT_THAT(refusal("epochs=x"), HasSubstr("--only: epochs: expected a whole number"));
  EXPECT_THAT(refusal("class"), HasSubstr("expected axis=value"));
  EXPECT_THAT(refusal(""), HasSubstr("expected axis=value"));
  EXPECT_THAT(refusal("class=cat,"), HasSubstr("expected axis=value"));
  EXPECT_THAT(refusal("method=knn,seed=1"), HasSubstr("none with all"));
}

}  // namespace
}  // namespace sweeps
