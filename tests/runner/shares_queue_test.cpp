// What squeue adds to a directory of shares: which task waits, and why, which starts, and which nobody starts any more.
#include "runner/shares_queue.hpp"

#include <gmock/gmock.h>

#include "runner/shares_words.hpp"
#include "tests/runner/shares_seen_by_slurm.hpp"

namespace runner {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SharesQueueAsked : public testing::Test {
 protected:
  using Parts = std::map<int, SharesQueue::Files>;
  void look(std::chrono::milliseconds later, const Parts& parts = {{1, {"a"}}, {2, {"b"}}}) {
    queue.look("/r", "1000", parts, SharesQueue::Clock::time_point{} + later);
  }
  PretendedQueue slurm;
  SharesQueue queue{slurm.asking(), true};
};

TEST_F(SharesQueueAsked, IsAskedForAllPartsAtOnceAndEveryTenSecondsAtMost) {
  slurm.answer.output =
      "7|N/A|PENDING|Priority|/r\x1f/r/extract.sbatch\n"
      "8|1-3|PENDING|Dependency|/r\x1f/r/share.sbatch --retry-failed\n"
      "9|N/A|PENDING|None|/r\x1f/r/report.sbatch\n";
  const Parts parts{{0, {""}}, {1, {""}}, {3, {""}}};
  look(0ms, parts);
  EXPECT_THAT(queue.jobs(0, "").value(), ElementsAre(QueuedJob{"7", false, "Priority"}));
  EXPECT_THAT(queue.jobs(3, "").value(), ElementsAre(QueuedJob{"8", false, "Dependency"}));
  EXPECT_FALSE(queue.jobs(2, "")) << "its files tell";
  look(9'900ms, parts);
  EXPECT_EQ(slurm.asked, 1);
  look(10s, parts);
  EXPECT_EQ(slurm.asked, 2);
}

TEST_F(SharesQueueAsked, IsNotAskedWhereTheFilesOfAllPartsTell) {
  look(0ms, {});
  EXPECT_EQ(slurm.asked, 0);
}

TEST_F(SharesQueueAsked, IsNotBelievedOnAPartWhoseFilesHaveChangedSince) {
  slurm.answer.output = "8|1|PENDING|None|/r\x1f/r/share.sbatch\n";
  look(0ms);
  EXPECT_TRUE(queue.jobs(1, "a"));
  EXPECT_FALSE(queue.jobs(1, "it has run meanwhile"));
}

TEST_F(SharesQueueAsked, ThatHasNoTaskOfAPartIsAskedAgainSoonAndBelievedThen) {
  slurm.answer.output = "8|1|PENDING|None|/r\x1f/r/share.sbatch\n";
  look(0ms);
  EXPECT_FALSE(queue.jobs(2, "b")) << "it may be about to be requeued";
  EXPECT_TRUE(queue.jobs(1, "a"));
  look(1'500ms);
  EXPECT_EQ(slurm.asked, 2);
  EXPECT_THAT(queue.jobs(2, "b").value(), IsEmpty());
  slurm.answer.output = "";
  look(11'500ms);
  EXPECT_EQ(slurm.asked, 3);
  EXPECT_FALSE(queue.jobs(1, "a"));
  EXPECT_TRUE(queue.jobs(2, "b"));
}

TEST_F(SharesQueueAsked, ThatKeepsLosingTasksIsNotAskedFasterForIt) {
  slurm.answer.output = "8|1-2|PENDING|None|/r\x1f/r/share.sbatch\n";
  look(0ms);
  slurm.answer.output = "8|1|PENDING|None|/r\x1f/r/share.sbatch\n";
  look(10s);
  slurm.answer.output = "";
  look(11'500ms);
  look(13s);
  EXPECT_EQ(slurm.asked, 3) << "one question more for each of the regular ones";
}

TEST_F(SharesQueueAsked, ThatDoesNotAnswerSaysNothing) {
  slurm.answer.why = "squeue did not answer within 2 s";
  look(0ms);
  EXPECT_FALSE(queue.jobs(1, "a"));
  slurm.answer.found = false;
  look(10s);
  look(20s);
  EXPECT_EQ(slurm.asked, 2) << "it is not there";
}

TEST_F(SharesQueueAsked, OfAnotherClusterIsBelievedOnWhatItHasAlone) {
  slurm.answer.output = "8|1|PENDING|None|/r\x1f/r/share.sbatch\n";
  for (const auto later : {0ms, 10'000ms}) {
    look(later, {{1, {"a", "there"}}, {2, {"b", "there"}}, {3, {"c", "here"}}});
    EXPECT_TRUE(queue.jobs(1, "a"));
    EXPECT_FALSE(queue.jobs(2, "b")) << "it may be in the queue of its own cluster";
  }
  EXPECT_TRUE(queue.jobs(3, "c"));
}

class SharesUnderSlurm : public SharesSeenBySlurm {};

TEST_F(SharesUnderSlurm, ThatWaitSayForWhatAndNeedNothingTyped) {
  scripts_are_there();
  slurm_.answer.output =
      line("7", "N/A", "PENDING", "Resources", "extract.sbatch") + line("8", "1-3", "PENDING", "Dependency");
  const auto text = screen();
  EXPECT_THAT(text,
              AllOf(HasSubstr(": features in the queue; 3 shares: 3 in the queue\n"),
                    ContainsRegex("features +queued: Resources"), ContainsRegex("share 2 of 3 +queued: Dependency"),
                    Not(HasSubstr(submit())), Not(HasSubstr("squeue --me"))));
}

TEST_F(SharesUnderSlurm, ThatWereNotSubmittedNameTheLineThatStartsThem) {
  scripts_are_there();
  EXPECT_THAT(screen(), AllOf(HasSubstr("nothing has run yet: `" + submit() + "` starts it: Slurm's queue has no job"),
                              HasSubstr("3 shares: 3 not begun\n")));
}

TEST_F(SharesUnderSlurm, ThatStartAreNotTakenForRunning) {
  scripts_are_there();
  features_ended(0);
  slurm_.answer.output = line("9", "1", "RUNNING", "None") + line("8", "2-3%1", "PENDING", "JobArrayTaskLimit");
  EXPECT_THAT(screen(), AllOf(HasSubstr("3 shares: 1 starting, 2 in the queue\n"),
                              ContainsRegex("share 1 of 3 +starting: no run yet"),
                              ContainsRegex("share 3 of 3 +queued: JobArrayTaskLimit"), Not(HasSubstr(submit()))));
}

TEST_F(SharesUnderSlurm, ThatWereCancelledSayThatSubmitGoesOn) {
  scripts_are_there();
  features_ended(0);
  interrupted(1, true, std::nullopt);
  interrupted(2, false, true);
  EXPECT_THAT(
      screen(),
      AllOf(ContainsRegex("share 1 of 3 +not queued; killed"), ContainsRegex("share 2 of 3 +not queued; drained"),
            ContainsRegex("share 3 of 3 +not begun, not queued"), Not(HasSubstr("squeue --me")),
            HasSubstr("share-1-of-3 and 2 more are not in Slurm's queue (cancelled?); this goes on with all "
                      "that is left: " +
                      submit() + "\n")));
}

TEST_F(SharesUnderSlurm, WhoseFeaturesWereCancelledSayThatSubmitGoesOn) {
  scripts_are_there();
  features_ended(0);
  auto status = read_status(folder_ / "features").value();
  status.phase = RunPhase::extracting;
  status.exit_status.reset();
  status.host = "elsewhere";
  samples::write_bytes(folder_ / "features/status.json", encode(status));
  std::filesystem::remove(folder_ / "features/chain.json");
  EXPECT_THAT(screen(), AllOf(ContainsRegex("features +not queued; killed"),
                              HasSubstr("the features are not in Slurm's queue (cancelled?), and no share starts "
                                        "without them; this goes on with all that is left: " +
                                        submit() + "\n")));
  slurm_.answer.output = line("7", "N/A", "PENDING", "BeginTime", "extract.sbatch");
  EXPECT_THAT(screen(), AllOf(ContainsRegex("features +queued: BeginTime"), Not(HasSubstr(submit()))));
}

TEST_F(SharesUnderSlurm, WhoseFeaturesWereMadeInAnotherWayDoNotWaitForThem) {
  scripts_are_there();
  ended(1, 2, 0, 0);
  slurm_.answer.output = line("8", "3", "PENDING", "Priority");
  EXPECT_THAT(screen(),
              AllOf(HasSubstr("share-2-of-3 is not in Slurm's queue (cancelled?); this goes on with all that is "
                              "left: " +
                              submit()),
                    Not(HasSubstr("without them"))));
}

TEST_F(SharesUnderSlurm, ThatWereCancelledBeforeTheirRunSaySo) {
  scripts_are_there();
  features_ended(0);
  ended(1, 2, 0, 0);
  const auto printed = [&](const std::string& part, int exit_status, const std::string& why) {
    samples::write_bytes(folder_ / ("slurm/plume-small-" + part + ".out"),
                         "2026-11-29T07:00:00Z allocation 9 on node1, start 0\n"
                         "slurmstepd: error: *** JOB 9 ON node1 CANCELLED AT 2026-11-29T07:00:05" +
                             why +
                             " ***\n2026-11-29T07:00:05Z script of allocation 9 ends before its run, exit status " +
                             std::to_string(exit_status) + "\n");
  };
  printed("share-8_2", 143, "");
  printed("share-8_3", 143, "");
  EXPECT_THAT(screen(), AllOf(HasSubstr("3 shares: 2 killed, 1 complete\n"),
                              ContainsRegex("share 2 of 3 +cancelled before its run"), Not(HasSubstr("trouble")),
                              HasSubstr("share-2-of-3 and 1 more were cancelled before their runs began, and are not "
                                        "in Slurm's queue; this goes on with all that is left: " +
                                        submit() + "\n"),
                              Not(HasSubstr("slurmstepd"))));
  EXPECT_THAT(SharesOfSix::screen({250, 0}),
              HasSubstr("share-2-of-3: cancelled before its run began: goes on by itself if `squeue --me` shows it; if "
                        "not: " +
                        submit()));
  printed("share-8_3", 143, " DUE TO TIME LIMIT");
  EXPECT_THAT(screen(), AllOf(ContainsRegex("share 3 of 3 +could not start"), HasSubstr("DUE TO TIME LIMIT")));
  printed("share-8_3", 2, "");
  EXPECT_THAT(screen(), ContainsRegex("share 3 of 3 +could not start"));
  std::filesystem::remove(folder_ / "slurm/plume-small-share-8_3.out");
  printed("features-7", 143, "");
  std::filesystem::remove_all(folder_ / "features");
  EXPECT_THAT(screen(), AllOf(ContainsRegex("features +cancelled before its run"), Not(HasSubstr("features failed")),
                              HasSubstr("the features were cancelled before their run began, and are not in Slurm's "
                                        "queue; no share starts without them; this goes on with all that is left: " +
                                        submit() + "\n")));
}

TEST_F(SharesUnderSlurm, KeepTheWordsThatMatterOnANarrowScreen) {
  scripts_are_there();
  features_ended(0);
  ended(1, 2, 0, 0);
  ended(2, 0, 0, 1);
  auto status = read_status(of(2)).value();
  status.why = "the sweep stopped: the first 3 trainings ended with the same error";
  samples::write_bytes(of(2) / "status.json", encode(status));
  slurm_.answer.output = line("8", "3", "PENDING", "(launch failed requeued held)");
  for (const std::size_t columns : {80U, 100U, 110U}) {
    EXPECT_THAT(
        screen(columns),
        AllOf(ContainsRegex("share 2 of 3 +broke .* ago .*\n    the sweep stopped: the first 3 trainings ended"),
              ContainsRegex("share 3 of 3 +queued  .*\n    queued: \\(launch failed requeued held\\)\n")))
        << columns;
  }
  EXPECT_THAT(screen(), ContainsRegex("share 3 of 3 +queued: \\(launch failed requeued held\\) "));
  slurm_.answer.output = line("8", "3", "PENDING", "DependencyNeverSatisfied");
  EXPECT_THAT(screen(80), ContainsRegex("share 3 of 3 +never starts: features failed "));
  const auto lines = screen_of(seen(), {80, 14});
  EXPECT_LE(lines.size(), 14U);
  EXPECT_THAT(text_of(lines, false), Not(HasSubstr(": the sweep stopped"))) << "no room for it";
}

TEST_F(SharesUnderSlurm, OfAnotherClusterAreNotTakenForCancelled) {
  scripts_are_there();
  features_ended(0);
  auto status = read_status(folder_ / "features").value();
  status.slurm_cluster = "there";
  samples::write_bytes(folder_ / "features/status.json", encode(status));
  EXPECT_THAT(screen(), AllOf(ContainsRegex("share 3 of 3 +not begun  "), HasSubstr("if `squeue --me` shows them")));
  samples::write_bytes(folder_ / "slurm/plume-small-share-8_3.out",
                       "2026-11-29T07:00:00Z allocation 9 (task 3) on node1, start 0, cluster here\n");
  EXPECT_THAT(screen(), ContainsRegex("share 3 of 3 +not begun, not queued"));
}

TEST_F(SharesUnderSlurm, ThatSlurmStartsAgainAfterAFailedNodeAreNotTakenForKilled) {
  scripts_are_there();
  features_ended(0);
  ended(1, 2, 0, 0);
  interrupted(2, true, std::nullopt);
  interrupted(3, false, true);
  slurm_.answer.output = line("8", "2", "PENDING", "BeginTime") + line("9", "3", "PENDING", "Priority");
  EXPECT_THAT(screen(), AllOf(HasSubstr("3 shares: 1 waiting to go on, 1 in the queue, 1 complete\n"),
                              ContainsRegex("share 2 of 3 +queued: BeginTime"),
                              ContainsRegex("share 3 of 3 +queued: Priority"), Not(HasSubstr(submit()))));
}

TEST_F(SharesUnderSlurm, ThatWaitForFeaturesThatFailedAreToBeCancelledFirst) {
  scripts_are_there();
  features_ended(1, "dog.png cannot be read");
  EXPECT_THAT(screen(), AllOf(HasSubstr("features failed; 3 shares"), Not(HasSubstr("scancel"))));
  slurm_.answer.output = line("8", "1-3", "PENDING", "DependencyNeverSatisfied");
  EXPECT_THAT(screen(), AllOf(HasSubstr("3 shares: 3 waiting for ever\n"), HasSubstr("scancel the shares that")));
  features_ended(0);
  EXPECT_THAT(screen(), HasSubstr("shares wait in Slurm's queue for features that failed (DependencyNeverSatisfied)"));
}

TEST_F(SharesUnderSlurm, ThatWereSubmittedAgainAfterTheyCouldNotStartAreWaitedFor) {
  scripts_are_there();
  features_ended(0);
  samples::write_bytes(folder_ / "slurm/plume-small-share-8_2.out", "plume-bench: no cuda; nothing was run\n");
  EXPECT_THAT(screen(), ContainsRegex("share 2 of 3 +could not start"));
  slurm_.answer.output = line("11", "1-3", "PENDING", "Priority");
  EXPECT_THAT(screen(), AllOf(ContainsRegex("share 2 of 3 +queued: Priority"), Not(HasSubstr("no cuda"))));
}

TEST_F(SharesUnderSlurm, ThatAreAllCompleteAskNobody) {
  scripts_are_there();
  features_ended(0);
  for (const int share : {1, 2, 3}) ended(share, 2, 0, 0);
  EXPECT_THAT(screen(), HasSubstr("3 shares: 3 complete\n"));
  EXPECT_EQ(slurm_.asked, 0);
}

TEST_F(SharesUnderSlurm, AreASharesOwnTaskWhereOneOfThemIsLookedAt) {
  scripts_are_there();
  interrupted(2, true, std::nullopt);
  slurm_.answer.output = line("8", "3", "PENDING", "Priority");
  const auto headline = [&] {
    RunDirectory share(of(2));
    share.ask_slurm(slurm_.asking(), false);
    share.look();
    return view_of(share.picture()).headline;
  };
  EXPECT_THAT(headline(), HasSubstr("given up"));
  slurm_.answer.output = line("8", "2-3", "PENDING", "Priority");
  EXPECT_THAT(headline(), testing::StartsWith("its batch script waits in Slurm's queue (Priority); before: killed"));
}

}  // namespace
}  // namespace runner
