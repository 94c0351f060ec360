// How a directory goes on: what `status` says of it after each end that a run of a batch script may find.
#include "runner/going_on.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/status_view.hpp"
#include "tests/runner/run_pictures.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kScript = "sbatch runs/a/slurm/run.sbatch";
constexpr int kDrained = 4, kKilled = 137;

std::string next_of(const MadeUpRun& run) {
  std::string all;
  for (const auto& next : view_of(run.picture()).next) all += next + "\n";
  return all;
}

std::string headline_of(const MadeUpRun& run) {
  return view_of(run.picture()).headline;
}

/// A run of a batch script that ended with `exit_status`, or died without one.
MadeUpRun of_slurm(std::optional<int> exit_status = kDrained) {
  MadeUpRun run;
  run.ended(exit_status.value_or(0));
  run.run_by_slurm();
  run.status->counter = 40;
  run.status->written = storage::unix_now();
  if (!exit_status) {
    run.status->phase = RunPhase::training;
    run.status->exit_status.reset();
    run.life = {Life::died, 5, false};
  }
  return run;
}

TEST(GoingOn, WithoutBatchScriptsIsTheLastRunsCommand) {
  MadeUpRun run;
  run.ended(kDrained);
  run.status->slurm_job = "12";  // by a script of the user's own
  EXPECT_EQ(following_of(run.picture()), Following::nothing);
  EXPECT_EQ(line_to_go_on(run.picture(), "--retry-failed"),
            "plume-bench run 'my sweep.json' --out runs/a --retry-failed");
}

TEST(GoingOn, AfterARunByHandIsItsCommandThoughThereAreScripts) {
  auto run = of_slurm();
  run.status->slurm_job = "";
  EXPECT_EQ(line_to_go_on(run.picture()), "plume-bench run 'my sweep.json' --out runs/a");
  EXPECT_EQ(following_of(run.picture()), Following::nothing);
}

TEST(GoingOn, TakesTheCommandOfTheLastStatusBeforeThatOfRunJson) {
  MadeUpRun run;
  run.ended(1);
  run.status->command = {"plume-bench", "run", "other.json", "--retry-failed"};
  EXPECT_EQ(command_again(run.picture(), "--retry-failed"), "plume-bench run other.json --retry-failed");
}

TEST(GoingOn, WhereNothingHasRunYetSaysThatTheScriptsAreThere) {
  MadeUpRun run;
  run.run_by_slurm();
  run.life.life = Life::not_started;
  EXPECT_EQ(headline_of(run), "its batch scripts are written, and nothing has run yet");
  EXPECT_EQ(next_of(run),
            "`sbatch runs/a/slurm/run.sbatch` starts it, unless `squeue --me` shows that it waits in the "
            "queue already\n");
  EXPECT_TRUE(goes_on_by_itself(following_of(run.picture())));
}

TEST(GoingOn, OfADrainedRunIsForTheNextAllocationWhereTheChainSaysSo) {
  auto run = of_slurm();
  run.chain_said(true, kDrained);
  run.chain->word->at -= 180;
  EXPECT_EQ(headline_of(run), "drained 3 min ago; the next allocation goes on once Slurm starts it (`squeue --me`)");
  EXPECT_EQ(next_of(run),
            "nothing is to be typed; only where `squeue --me` shows no job of it (scancel): "
            "sbatch runs/a/slurm/run.sbatch\n");
  EXPECT_TRUE(goes_on_by_itself(following_of(run.picture())));
}

TEST(GoingOn, OfAKilledRunToo) {
  auto run = of_slurm(std::nullopt);
  run.chain_said(true, kKilled);
  EXPECT_EQ(headline_of(run), "killed just now; the next allocation goes on once Slurm starts it (`squeue --me`)");
  EXPECT_THAT(next_of(run), Not(HasSubstr("plume-bench run")));
}

TEST(GoingOn, AfterTheEndOfAChainSaysWhyAndWhatToType) {
  auto run = of_slurm();
  run.chain_said(false, kDrained, "drained: 2 allocations in a row got nothing done, and the chain ends");
  EXPECT_THAT(headline_of(run), AllOf(StartsWith("drained"), HasSubstr("4 job(s) left")));
  EXPECT_THAT(view_of(run.picture()).next,
              ElementsAre("because: drained: 2 allocations in a row got nothing done, and the chain ends",
                          "its batch script, submitted again, goes on with what is left: " + std::string(kScript)));
  EXPECT_FALSE(goes_on_by_itself(following_of(run.picture())));
}

TEST(GoingOn, AfterFailedJobsIsTheScriptWithRetryFailed) {
  auto run = of_slurm(3);
  run.fail(0, "hung", "no step");
  for (const std::size_t job : {1U, 2U, 3U}) run.finish(job);
  run.chain_said(false, 3, "all is done but jobs that failed");
  EXPECT_THAT(next_of(run), AllOf(HasSubstr(std::string(kScript) + " --retry-failed"), Not(HasSubstr("because"))));
}

TEST(GoingOn, OfAChainThatGoesOnLeavesFailedJobsForItsEnd) {
  auto run = of_slurm();
  run.fail(0, "hung", "no step");
  run.chain_said(true, kDrained);
  EXPECT_THAT(next_of(run), HasSubstr("failed jobs run again with --retry-failed, once the chain has ended: "));
}

TEST(GoingOn, OfAnAllocationWhoseRunCouldNotStartIsSaidThoughTheStatusIsOfTheRunBefore) {
  auto run = of_slurm();
  run.chain_said(false, 127, "the run could not be started (exit status 127): the chain ends");
  EXPECT_EQ(headline_of(run), "could not be started just now");
  EXPECT_THAT(next_of(run), AllOf(HasSubstr("because: the run could not be started"), HasSubstr(kScript)));
}

TEST(GoingOn, OfAFirstRunThatCouldNotStartIsSaidToo) {
  MadeUpRun run;
  run.run_by_slurm();
  run.life.life = Life::not_started;
  run.chain_said(false, 127, "the run could not be started (exit status 127): the chain ends");
  EXPECT_EQ(headline_of(run), "could not be started just now");
  EXPECT_THAT(next_of(run), AllOf(HasSubstr("because: the run could not be started"), HasSubstr(kScript)));
}

TEST(GoingOn, AwaitsTheWordOfTheScriptForAMinuteAndThenTakesItForDead) {
  for (const auto exit_status : {std::optional<int>(kDrained), std::optional<int>()}) {
    auto run = of_slurm(exit_status);
    run.quiet_seconds = kWordSeconds - 1;
    EXPECT_TRUE(goes_on_by_itself(following_of(run.picture())));
    EXPECT_THAT(headline_of(run), HasSubstr("has yet to say whether another allocation follows"));
    EXPECT_THAT(next_of(run), StartsWith("look again in some seconds"));
    run.quiet_seconds = 180;
    EXPECT_FALSE(goes_on_by_itself(following_of(run.picture())));
    EXPECT_THAT(headline_of(run),
                AllOf(HasSubstr(exit_status ? "drained 3 min ago" : "killed 3 min ago"), HasSubstr("given up")));
    EXPECT_THAT(next_of(run), AllOf(HasSubstr(kScript), HasSubstr("squeue --me")));
  }
}

TEST(GoingOn, AwaitsNoWordOfAScriptThatAsksNobodyAndOfARunThatNeedsNone) {
  auto stops = of_slurm();
  stops.scripts->asks_chain = false;
  EXPECT_EQ(following_of(stops.picture()), Following::nothing);
  EXPECT_THAT(next_of(stops), HasSubstr(kScript));
  for (const int exit_status : {0, 1, 2, 3}) {
    EXPECT_EQ(following_of(of_slurm(exit_status).picture()), Following::nothing) << exit_status;
  }
}

TEST(GoingOn, DoesNotTakeTheWordOnAnEarlierRunForOneOnTheLast) {
  auto run = of_slurm();
  run.chain_said(true, kDrained);
  run.status->counter += 1;
  EXPECT_EQ(following_of(run.picture()), Following::a_word);
  run.status->slurm_job = "";
  EXPECT_EQ(following_of(run.picture()), Following::nothing);
}

TEST(GoingOn, OfAChainFileThatKeptNoWordIsNotKnownAndNotGuessed) {
  auto run = of_slurm();
  run.chain_said(true, kDrained);
  run.chain->word.reset();
  EXPECT_EQ(following_of(run.picture()), Following::nothing);
  EXPECT_THAT(next_of(run), HasSubstr(kScript));
}

TEST(GoingOn, OfARunAtWorkIsNothingToSay) {
  MadeUpRun run;
  run.at_work();
  run.run_by_slurm();
  run.chain_said(true, kDrained);
  EXPECT_EQ(following_of(run.picture()), Following::nothing);
  EXPECT_EQ(headline_of(run), "training");
}

TEST(GoingOn, OfARunOfAnotherHostThatIsSilentIsTheScriptIfSlurmKnowsOfNoJob) {
  auto run = of_slurm(std::nullopt);
  run.life = {Life::silent, 600, true};
  EXPECT_THAT(next_of(run), AllOf(HasSubstr("squeue --me"), HasSubstr(kScript)));
}

constexpr const char* kWhy = "plume-bench: module load openmpi failed on node1; nothing was run";

TEST(GoingOn, OfAScriptThatEndedBeforeItsRunSaysSoWithWhatAndWhere) {
  MadeUpRun first;
  first.run_by_slurm();
  first.life.life = Life::not_started;
  auto later = of_slurm();
  later.chain_said(true, kDrained);
  later.chain->word->job = "12";
  for (auto* run : {&first, &later}) {
    run->script_printed("13", {true, true, 2, 0, kWhy});
    EXPECT_EQ(headline_of(*run),
              "its batch script (Slurm job 13) ended 5 s ago before its run began, with exit status 2");
    EXPECT_THAT(view_of(run->picture()).next,
                ElementsAre("its last words: " + std::string(kWhy), "what it printed: runs/a/slurm/plume-s-13.out",
                            HasSubstr("goes on, once that is mended: " + std::string(kScript))));
    EXPECT_FALSE(goes_on_by_itself(following_of(run->picture())));
  }
}

TEST(GoingOn, OfAScriptThatWasCancelledBeforeItsRunHasNothingToBeMended) {
  MadeUpRun run;
  run.run_by_slurm();
  run.life.life = Life::not_started;
  run.script_printed("13", {true, true, 143, 0, "slurmstepd: error: *** JOB 13 ON node1 CANCELLED AT x ***"});
  EXPECT_THAT(view_of(run.picture()).next,
              ElementsAre("it was told to end (scancel, preemption)", HasSubstr("CANCELLED"),
                          HasSubstr("plume-s-13.out"), HasSubstr("goes on: ")));
  run.script_printed("13", {true, true, 143, 0, "slurmstepd: error: *** JOB 13 CANCELLED AT x DUE TO TIME LIMIT ***"});
  EXPECT_THAT(view_of(run.picture()).next, testing::Contains(HasSubstr("goes on, once that is mended: ")));
}

TEST(GoingOn, OfAScriptThatCouldPrintNothingNamesTheDisk) {
  MadeUpRun run;
  run.run_by_slurm();
  run.life.life = Life::not_started;
  run.script_printed("13", {});
  run.queue.emplace();
  EXPECT_THAT(headline_of(run), HasSubstr("(Slurm job 13) ended 5 s ago before its run began, without a word: it was "
                                          "killed, or its disk was full"));
  EXPECT_THAT(next_of(run), HasSubstr("it printed nothing into runs/a/slurm/plume-s-13.out"));
  run.output->disk_is_full = true;
  EXPECT_THAT(next_of(run), HasSubstr("the disk of runs/a is full"));
}

TEST(GoingOn, OfAScriptThatHasJustStartedIsAwaitedAndThenTakenForLost) {
  MadeUpRun run;
  run.run_by_slurm();
  run.life.life = Life::not_started;
  run.script_printed("13", {false, false, {}, 0, ""});
  EXPECT_EQ(following_of(run.picture()), Following::starting);
  run.output->quiet_seconds = kWordSeconds + 1;
  EXPECT_EQ(following_of(run.picture()), Following::script_lost);
  EXPECT_THAT(headline_of(run), HasSubstr("and has said nothing since"));
  run.queue = {{"13", true}};
  EXPECT_EQ(following_of(run.picture()), Following::starting) << "Slurm knows better";
}

TEST(GoingOn, OfARunWhoseScriptHasSaidItsLastLineIsDecidedAtOnce) {
  auto run = of_slurm(std::nullopt);
  run.script_printed("12", {true, false, 143, 0, ""});
  EXPECT_EQ(following_of(run.picture()), Following::nobody);
  run.script_printed("12", {false, false, {}, 0, ""});
  EXPECT_EQ(following_of(run.picture()), Following::a_word);
  run.queue.emplace();
  EXPECT_EQ(following_of(run.picture()), Following::nobody) << "Slurm knows of no job";
  run.queue = {{"12", true}};
  EXPECT_EQ(following_of(run.picture()), Following::a_word);
  run.queue = {{"12", false}};
  EXPECT_EQ(following_of(run.picture()), Following::queued) << "Slurm starts it again";
}

TEST(GoingOn, OfAChainThatEndedIsTheScriptThatWaitsInTheQueue) {
  auto run = of_slurm();
  run.chain_said(false, kDrained);
  run.chain->word->job = "12";
  run.queue = {{"12", true}};
  EXPECT_EQ(following_of(run.picture()), Following::chain_end) << "its own script is about to end";
  run.queue = {{"12", true}, {"13", false}};
  EXPECT_EQ(following_of(run.picture()), Following::queued);
  EXPECT_THAT(headline_of(run), StartsWith("its batch script waits in Slurm's queue; before: drained"));
  run.queue->back().reason = "Priority";
  EXPECT_THAT(headline_of(run), StartsWith("its batch script waits in Slurm's queue (Priority); before: drained"));
  EXPECT_THAT(next_of(run), Not(HasSubstr("because: "))) << "that chain is over";
  run.queue = {{"13", true}};
  EXPECT_EQ(following_of(run.picture()), Following::starting);
}

TEST(GoingOn, OfAnAllocationThatWasAskedForAndCancelledIsSaid) {
  auto run = of_slurm();
  run.chain_said(true, kDrained);
  run.queue.emplace();
  EXPECT_THAT(headline_of(run), HasSubstr("the next allocation is not in Slurm's queue"));
}

TEST(GoingOn, OfASweepThatStoppedForOneErrorIsOneRemedy) {
  auto run = of_slurm(1);
  run.fail(0, "exception", "no such layer");
  run.status->why = "the sweep stopped: all failed with the same error: exception: no such layer";
  run.status->why += kMendAndRetry;
  run.chain_said(false, 1, "the run itself broke");
  EXPECT_THAT(view_of(run.picture()).next,
              ElementsAre("because: the sweep stopped: all failed with the same error: exception: no such layer",
                          "once that is mended, its batch script, submitted again, goes on with what is left: " +
                              std::string(kScript) + " --retry-failed"));
}

TEST(GoingOn, IsOfTheClusterOfTheNewestSign) {
  auto run = of_slurm();
  EXPECT_EQ(cluster_of(run.picture()), "");
  run.status->slurm_cluster = "old";
  EXPECT_EQ(cluster_of(run.picture()), "old");
  run.chain_said(false, kDrained);
  EXPECT_EQ(cluster_of(run.picture()), "old") << "a word of an earlier version";
  run.chain->word->cluster = "newer";
  EXPECT_EQ(cluster_of(run.picture()), "newer");
  run.script_printed("13", {false, false, {}, 0, "", "newest"});
  EXPECT_EQ(cluster_of(run.picture()), "newest");
}

TEST(GoingOn, OfFeaturesThatAreAllMadeNeedsNothing) {
  auto run = of_slurm(0);
  run.status->selection = kFeaturesOnly;
  EXPECT_THAT(next_of(run), IsEmpty());
}

TEST(GoingOn, SuggestsNoScriptOfAnotherDirectoryWhateverItsEnd) {
  for (const std::optional<int> end :
       {std::optional(kDrained), std::optional(1), std::optional(3), std::optional<int>()}) {
    auto run = of_slurm(end);
    run.chain_said(true, kDrained);
    run.fail(0, "exception", "it broke");
    run.scripts->runs_instead = "runs/old";
    run.scripts->to_write_again = "plume-bench slurm s.json --out runs/a --force";
    run.scripts->submit = "";
    EXPECT_EQ(following_of(run.picture()), Following::nothing);
    EXPECT_THAT(next_of(run), AllOf(HasSubstr("runs/a/slurm/run.sbatch would run runs/old, not this directory"),
                                    HasSubstr("plume-bench slurm s.json --out runs/a --force"),
                                    Not(HasSubstr("sbatch r")), Not(HasSubstr("plume-bench run"))));
  }
}

}  // namespace
}  // namespace runner
