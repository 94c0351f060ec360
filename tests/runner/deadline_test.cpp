// When a run must have ended: flags, the environment, and what squeue of Slurm 22.05.8 printed.
#include "runner/deadline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "storage/error.hpp"

namespace runner {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kNow = 1795905131;  // 2026-11-28T22:32:11Z

class DeadlineOf : public testing::Test {
 protected:
  FoundDeadline find(const std::string& flag = "") {
    DeadlineSources sources;
    sources.unix_seconds = [] { return kNow; };
    sources.variable = [this](const char* name) -> const char* {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    };
    sources.ask = [this](const auto& command, const auto& environment) {
      asked_ = command;
      environment_ = environment;
      return answer_;
    };
    sources.clock = [this] { return workers::Seconds(clock_); };
    return find_deadline(flag, sources);
  }
  double left(const std::string& flag = "") {
    const auto found = find(flag);
    return found.deadline ? found.deadline->seconds_left() : -1;
  }
  std::string complaint(const std::string& flag) {
    try {
      find(flag);
    } catch (const storage::UsageError& error) {
      return error.what();
    }
    return "(none)";
  }

  std::map<std::string, std::string> variables_;
  Answer answer_;
  std::vector<std::string> asked_, environment_;
  double clock_ = 1000;
};

TEST_F(DeadlineOf, AFlagIsSecondsFromNowOrATime) {
  EXPECT_EQ(left("3600"), 3600);
  EXPECT_EQ(left("45s"), 45);
  EXPECT_EQ(left("90m"), 5400);
  EXPECT_EQ(left("2h"), 7200);
  EXPECT_EQ(left("1d"), 86400);
  EXPECT_EQ(left("2026-11-28T22:33:11Z"), 60);
  EXPECT_EQ(find("2h").deadline->who(), "--deadline 2h");
}

TEST_F(DeadlineOf, AFlagThatIsNoTimeIsRefused) {
  for (const char* text : {"soon", "1.5h", "-3", "2026-11-28T22:33:11", "2026-11-28 22:33:11", "h", "10 m", "1w"}) {
    EXPECT_THAT(complaint(text), HasSubstr("--deadline: expected seconds from now, 90m, 2h, 1d, or a time as "
                                           "2026-11-28T12:00:00Z (UTC), found \"" +
                                           std::string(text)))
        << text;
  }
  EXPECT_THAT(complaint("0"), HasSubstr("that is no time to come"));
  EXPECT_THAT(complaint("2026-11-28T22:32:00Z"), HasSubstr("that is no time to come"));
  EXPECT_THAT(complaint("2036-11-28T22:32:00Z"), HasSubstr("too far away"));
  EXPECT_THAT(complaint("99999999999999999999"), HasSubstr("expected seconds from now"));
}

TEST_F(DeadlineOf, TheFlagGoesBeforeTheAllocation) {
  variables_ = {{"SLURM_JOB_ID", "17"}, {"SLURM_JOB_END_TIME", std::to_string(kNow + 10)}};
  EXPECT_EQ(left("1h"), 3600);
}

TEST_F(DeadlineOf, NothingOutsideAnAllocation) {
  EXPECT_EQ(left(), -1);
  EXPECT_TRUE(asked_.empty()) << "no squeue is started where there is no job";
  variables_["SLURM_JOB_ID"] = "--help";
  EXPECT_EQ(left(), -1);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(DeadlineOf, AnAllocationIsItsEndTimeWhereSlurmSaysIt) {
  variables_ = {{"SLURM_JOB_ID", "17"}, {"SLURM_JOB_END_TIME", std::to_string(kNow + 500)}};
  EXPECT_EQ(left(), 500);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(DeadlineOf, AnAllocationIsAskedForOnceInSecondsThatKnowNoTimeZone) {
  variables_ = {{"SLURM_JOB_ID", "3"}};
  answer_.output = "1795905431 5:00\n";
  EXPECT_EQ(left(), 300);
  EXPECT_THAT(asked_, testing::ElementsAre("squeue", "--noheader", "--jobs", "3", "--format", "%e %L"));
  EXPECT_THAT(environment_, testing::ElementsAre("SLURM_TIME_FORMAT=%s", "TZ=UTC"));
  EXPECT_EQ(find().deadline->who(), "the allocation");
}

TEST_F(DeadlineOf, AnAllocationThatCannotBeAskedForIsOneLine) {
  variables_ = {{"SLURM_JOB_ID", "3"}};
  answer_.why = "squeue did not answer within 2 s";
  const auto found = find();
  EXPECT_FALSE(found.deadline);
  EXPECT_EQ(found.trouble, "nobody says when Slurm job 3 ends: squeue did not answer within 2 s; --deadline does");
}

TEST_F(DeadlineOf, ItIsCountedByAClockThatNobodySets) {
  const auto found = find("1h");
  clock_ += 600;
  EXPECT_EQ(found.deadline->seconds_left(), 3000);
  EXPECT_EQ(found.deadline->seconds_at_start(), 3600);
  EXPECT_EQ(found.deadline->utc(kNow), "23:32 UTC");
  EXPECT_EQ(find("2h").deadline->utc(kNow), "2026-11-29 00:32 UTC");
}

TEST_F(DeadlineOf, TheUsualMarginIsAMinuteAndLessOfShortRuns) {
  EXPECT_EQ(find("1h").deadline->usual_margin(), 60);
  EXPECT_EQ(find("50").deadline->usual_margin(), 5);
}

TEST(SecondsLeftBySqueue, AreTheSoonerOfEndAndTimeLeft) {
  EXPECT_EQ(seconds_left_by_squeue("1795905431 5:00\n", kNow), 300);
  EXPECT_EQ(seconds_left_by_squeue("1795905431 4:58\n", kNow), 298);
  EXPECT_EQ(seconds_left_by_squeue("1795991531 1-00:00:00\n", kNow), 86400);
  EXPECT_EQ(seconds_left_by_squeue("1795905191 1:00\n1795905141 10:00\n", kNow), 10) << "a heterogeneous job";
  EXPECT_EQ(seconds_left_by_squeue("1795905100 INVALID\n", kNow), 0) << "over, and Slurm has not ended it yet";
}

TEST(SecondsLeftBySqueue, AreNotKnownFromWordsAndForeignTimes) {
  EXPECT_FALSE(seconds_left_by_squeue("NONE UNLIMITED\n", kNow));
  EXPECT_FALSE(seconds_left_by_squeue("N/A NOT_SET\n", kNow));
  EXPECT_FALSE(seconds_left_by_squeue("", kNow));
  EXPECT_FALSE(seconds_left_by_squeue("\x01\x02 garbage", kNow));
  EXPECT_FALSE(seconds_left_by_squeue("5 INVALID", kNow)) << "the year 1970";
  EXPECT_FALSE(seconds_left_by_squeue("99999999999999999999999 9999999999:00:00", kNow));
  EXPECT_FALSE(seconds_left_by_squeue("NONE 10", kNow)) << "minutes for sbatch, and nothing that squeue prints";
  EXPECT_FALSE(seconds_left_by_squeue("2026-11-28T17:37:11 INVALID", kNow)) << "in whose time zone?";
  EXPECT_EQ(seconds_left_by_squeue("2026-11-28T17:37:11 5:00", kNow), 300) << "a squeue that knows no time format";
}

}  // namespace
}  // namespace runner
