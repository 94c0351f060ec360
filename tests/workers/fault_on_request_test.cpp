// PLUME_FAULT: what is asked for, when it is due, and what a mistake is answered with.
#include "workers/fault_on_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"

namespace workers {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    parse_faults(text);
  } catch (const storage::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("PLUME_FAULT: "));
    EXPECT_THAT(error.what(), HasSubstr("write e.g. PLUME_FAULT=\"segv@attempt=1,epoch=0,class=cat\", or unset it"));
    return error.what();
  }
  return "accepted";
}

sweeps::Job cat() {
  sweeps::Job job;
  job.normal_class = "cat";
  job.seed = 1;
  return job;
}

TEST(FaultOnRequest, IsAKindWithFiltersAndSeveralAreSeparatedBySemicolons) {
  EXPECT_TRUE(parse_faults("").empty());
  EXPECT_EQ(parse_faults("segv@attempt=1,epoch=0,class=cat,seed=2;kill@method=k-means"),
            (std::vector<FaultOnRequest>{{FaultKind::segv, 1, 0, "cat", 2, {}},
                                         {FaultKind::kill, {}, {}, {}, {}, sweeps::Method::k_means}}));
}

TEST(FaultOnRequest, ReadsEveryKindByItsName) {
  for (const auto kind : {FaultKind::exception, FaultKind::bad_alloc, FaultKind::device_oom, FaultKind::segv,
                          FaultKind::kill, FaultKind::exit, FaultKind::hang}) {
    EXPECT_EQ(parse_faults(name_of(kind)).at(0).kind, kind) << name_of(kind);
  }
}

TEST(FaultOnRequest, WithoutFiltersIsDueBeforeTheFirstStepOfEveryTraining) {
  const FaultOnRequest fault = parse_faults("throw").at(0);
  EXPECT_TRUE(fault.is_due(cat(), 1, std::nullopt));
  EXPECT_TRUE(fault.is_due(sweeps::Job{}, 7, std::nullopt));
  EXPECT_FALSE(fault.is_due(cat(), 1, 0));
}

TEST(FaultOnRequest, IsDueWhereEveryFilterMatches) {
  const auto is_due = [](const std::string& text, int attempt, std::optional<int> epoch) {
    return parse_faults(text).at(0).is_due(cat(), attempt, epoch);
  };
  EXPECT_TRUE(is_due("throw@attempt=2,epoch=3,class=cat,seed=1,method=plume", 2, 3));
  EXPECT_FALSE(is_due("throw@attempt=2,epoch=3", 1, 3));
  EXPECT_FALSE(is_due("throw@attempt=2,epoch=3", 2, 2));
  EXPECT_FALSE(is_due("throw@epoch=0", 1, std::nullopt));
  EXPECT_FALSE(is_due("throw@class=dog", 1, std::nullopt));
  EXPECT_FALSE(is_due("throw@seed=0", 1, std::nullopt));
  EXPECT_FALSE(is_due("throw@method=plad", 1, std::nullopt));
}

TEST(FaultOnRequest, OfASeedIsNeverDueForAMethodWithoutSeeds) {
  sweeps::Job knn;
  knn.method = sweeps::Method::knn;
  EXPECT_FALSE(parse_faults("throw@seed=0").at(0).is_due(knn, 1, std::nullopt));
}

TEST(FaultOnRequest, ThatIsMistypedIsAnsweredWithTheRightWord) {
  EXPECT_THAT(refusal_of("sigv"), AllOf(HasSubstr("\"sigv\""), HasSubstr("\"segv\"")));
  EXPECT_THAT(refusal_of("throw@clas=cat"), AllOf(HasSubstr("\"clas\""), HasSubstr("\"class\"")));
  EXPECT_THAT(refusal_of("throw@method=plum"), AllOf(HasSubstr("\"plum\""), HasSubstr("\"plume\"")));
  EXPECT_THAT(refusal_of("throw@attempt=0"), HasSubstr("attempt: expected a whole number from 1, found \"0\""));
  EXPECT_THAT(refusal_of("throw@epoch=-1"), HasSubstr("epoch: expected a whole number from 0, found \"-1\""));
  EXPECT_THAT(refusal_of("throw@seed=1x"), HasSubstr("found \"1x\""));
  for (const char* text : {"throw@", "throw@class", "throw@class=", "throw@,", "throw@seed=1,"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("expected FILTER=VALUE after \"@\"")) << text;
  }
  for (const char* text : {";", "throw;", " throw", "@class=cat"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("no such fault")) << text;
  }
  EXPECT_THAT(refusal_of("\x1b[2J"), testing::Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace workers
