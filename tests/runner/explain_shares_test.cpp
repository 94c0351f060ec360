// Why a job or a cell of a directory of shares is not done, where its batch scripts or Slurm have a say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runner/shares_seen_by_slurm.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ExplainShares : public SharesSeenBySlurm {
 protected:
  /// Jobs of the plan that have this seed, or have it not.
  std::vector<std::size_t> with_seed(std::uint64_t seed, bool have = true) const {
    std::vector<std::size_t> jobs;
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
      if ((plan_.jobs[i].seed == seed) == have) jobs.push_back(i);
    }
    return jobs;
  }
  std::string key_of(std::size_t job) const { return plan_.keys.at(job).hex; }
  std::string to_write_for_all() const {
    return "this writes scripts without --only, with the --module, --setup, --container and --sbatch of before, if "
           "any: plume-bench slurm /s/sweep.json --out " +
           folder_.path().string() + " --force --form array --shares 3; then " + submit();
  }
};

TEST_F(ExplainShares, WhoseScriptsLeaveAJobOutSayWhatWritesOthersWhateverTheLastRunsWereTold) {
  scripts_run_only("seed=0");
  for (const int share : {1, 2, 3}) ended(share, 0, 0, 4);
  const auto left_out = with_seed(0, false), in = with_seed(0);
  was_told(1, "seed=0", {in[0]});
  was_told(2, "", {left_out[0], left_out[1]});
  was_told(3, "seed=0", {in[1]});
  EXPECT_THAT(explained(key_of(left_out[0])),
              AllOf(testing::StartsWith("share-2-of-3:\n"), testing::EndsWith(to_write_for_all() + "\n")))
      << "its last run had it";
  EXPECT_THAT(explained(key_of(left_out[2])), testing::EndsWith(to_write_for_all() + "\n")) << "no share has it";
  EXPECT_THAT(explained(key_of(in[0])), AllOf(HasSubstr(submit() + "\n"), Not(HasSubstr("leave it out"))));
  EXPECT_THAT(explained("small/PLUME/mean"), AllOf(HasSubstr("; the batch scripts leave it out (--only seed=0)\n"),
                                                   HasSubstr(to_write_for_all()), HasSubstr(": " + submit() + "\n")));
}

TEST_F(ExplainShares, OfWhichOneHasNotBegunSayThatTheScriptsLeaveAJobOut) {
  scripts_run_only("seed=0");
  ended(1, 0, 0, 4);
  was_told(1, "seed=0", {with_seed(0)[0]});
  EXPECT_THAT(
      explained(key_of(with_seed(0, false)[0])),
      AllOf(HasSubstr("left out: the batch scripts leave it out (--only seed=0)\n"), HasSubstr(to_write_for_all())));
}

TEST_F(ExplainShares, WhoseScriptsWereWrittenForAllJobsSinceNeedOnlyBeSubmitted) {
  scripts_are_there();
  for (const int share : {1, 2, 3}) {
    ended(share, 0, 0, 4);
    was_told(share, "seed=0", {with_seed(0)[0]});
  }
  EXPECT_THAT(explained(key_of(with_seed(0, false)[0])),
              testing::EndsWith("by --only none of them has it\nthe batch scripts run it: " + submit() + "\n"));
}

TEST_F(ExplainShares, ThatRanWithAnotherOnlyEachAreAskedWhereTheJobStandsBest) {
  ended(1, 0, 0, 4);
  ended(2, 2, 0, 0);
  was_told(1, "", {jobs_of(2)[0]});
  EXPECT_THAT(explained(key(2, 0).hex), AllOf(testing::StartsWith("share-2-of-3:\n"), HasSubstr("done: AUROC")));
}

TEST_F(ExplainShares, EachByItselfTellsItsOnlyFromItsShare) {
  scripts_run_only("seed=0");
  ended(1, 0, 0, 4);
  was_told(1, "seed=0", {with_seed(0)[0]});
  const auto of_share = [&](std::size_t job) {
    RunDirectory share(of(1));
    share.look();
    std::string text;
    for (const auto& line : explain(address_of(key_of(job), share.picture()), share.picture())) text += line + "\n";
    return text;
  };
  EXPECT_THAT(of_share(with_seed(0)[1]), HasSubstr("another share runs it"));
  EXPECT_THAT(of_share(with_seed(0, false)[0]), AllOf(HasSubstr(to_write_for_all()), Not(HasSubstr("another share"))));
}

TEST_F(ExplainShares, ThatWereRequeuedAreTheQueuesToGoOnWith) {
  scripts_are_there();
  interrupted(2, true, std::nullopt);
  const auto job = key(2, 1).hex;
  slurm_.answer.output = line("8", "2", "PENDING", "BeginTime");
  EXPECT_THAT(
      explained_with_slurm(job),
      AllOf(HasSubstr("not begun: no run has come to it (its batch script waits in Slurm's queue (BeginTime); "),
            testing::EndsWith("\nnothing is to be typed: its batch script waits in Slurm's queue, and goes on "
                              "with it\n")));
  slurm_.answer.output = line("9", "2", "RUNNING", "None");
  EXPECT_THAT(explained_with_slurm(job),
              testing::EndsWith("\nnothing is to be typed: its batch script has started, and goes on with it\n"));
  slurm_.answer.output = "";
  EXPECT_THAT(explained_with_slurm(job), testing::EndsWith("\ngo on with it: " + submit() + "\n"));
}

TEST_F(ExplainShares, ThatHaveNotBegunAreWaitedForWhereSlurmHasThem) {
  scripts_are_there();
  ended(1, 2, 0, 0);
  slurm_.answer.output = line("8", "3", "PENDING", "Priority");
  EXPECT_THAT(explained_with_slurm(key(3, 0).hex),
              AllOf(HasSubstr("not begun: its share is queued: Priority\n"), Not(HasSubstr(submit()))));
  EXPECT_THAT(explained_with_slurm(key(2, 0).hex),
              HasSubstr("not begun: its share is not in Slurm's queue\ngo on with it: " + submit() + "\n"));
  slurm_.answer.output = line("8", "3", "PENDING", "DependencyNeverSatisfied");
  EXPECT_THAT(explained_with_slurm(key(3, 0).hex), HasSubstr("scancel what waits for features that failed"));
}

}  // namespace
}  // namespace runner
