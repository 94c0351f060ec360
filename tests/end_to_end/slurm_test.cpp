// Batch scripts on a real Slurm: every form, and what befalls an allocation. Nothing is lost, and the tables are those
// of a run that nothing disturbed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/end_to_end/processes.hpp"
#include "tests/end_to_end/slurm_jobs.hpp"

namespace tests {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Strings = std::vector<std::string>;

constexpr int kSeeds = 4;
constexpr int kEpochs = 60;

Strings two_gpus(const Strings& more = {}) {
  Strings flags{"--gpus-per-node", "2", "--cpus-per-task", "1", "--time", "10"};
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

class Slurm : public testing::Test {
 protected:
  void SetUp() override { undisturbed_ = undisturbed_report(kSeeds, kEpochs); }

  void expect_the_undisturbed_result(const SlurmRun& slurm) const {
    ASSERT_EQ(sweep_.exit_status(), 0) << slurm.printed();
    EXPECT_TRUE(sweep_.is_complete());
    EXPECT_TRUE(sweep_.report() == undisturbed_) << sweep_.report().at("report/tables/small.md");
    EXPECT_TRUE(slurm.has_printed("every job has a result: the chain is complete")) << slurm.printed();
  }

  /// The whole screen, on one line.
  std::string status() const {
    auto text = run_program({"status", sweep_.out().string()}, sweep_.folder()).output;
    for (auto at = text.find("\n  "); at != std::string::npos; at = text.find("\n  ")) text.replace(at, 3, " ");
    return text;
  }

  /// A job is running, and a training is in the middle.
  void wait_for_the_middle(const SlurmRun& slurm) const {
    ASSERT_TRUE(eventually([&] { return slurm.is_in_the_middle(); }, seconds(60))) << slurm.printed();
  }

  const SmallRun sweep_{kSeeds, kEpochs};
  std::map<std::string, std::string> undisturbed_;
};

TEST_F(Slurm, RunsASweepUnderMpirunOnEveryGpuOfTheNode) {
  const SlurmRun slurm(sweep_, two_gpus());
  const auto job = slurm.submit();
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(120))) << slurm.printed();
  expect_the_undisturbed_result(slurm);
  EXPECT_EQ(slurm.fact_of(job, "JobState"), "COMPLETED");
  EXPECT_TRUE(slurm.has_printed("worker 1: node1, GPU-"));
  EXPECT_TRUE(slurm.has_printed("worker 2: node1, GPU-"));
  EXPECT_EQ(slurm.allocations(), 1U);
}

TEST_F(Slurm, RunsASweepUnderSrunOnEveryGpuOfTheNode) {
  const SlurmRun slurm(sweep_, two_gpus({"--form", "srun"}));
  slurm.submit();
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(120))) << slurm.printed();
  expect_the_undisturbed_result(slurm);
  EXPECT_TRUE(slurm.has_printed("worker 1: node1, GPU-"));
  EXPECT_TRUE(slurm.has_printed("worker 2: node1, GPU-"));
}

TEST_F(Slurm, RunsSharesAsTasksOfAnArrayAndReportsThemTogether) {
  const SlurmRun slurm(sweep_, {"--form", "array", "--shares", "3", "--gpus-per-node", "1", "--cpus-per-task", "1",
                                "--time", "10", "--setup", "[ ! -e broken ]", "--", "--job-retries", "0"});
  const auto submit = (sweep_.out() / "slurm/submit").string();
  const auto seen = [&] {
    return std::regex_replace(slurm.type({program().string(), "status", sweep_.out().string()}), std::regex("\n  "),
                              " ");  // unfolded
  };
  EXPECT_THAT(seen(), HasSubstr("`bash " + submit + "` starts it"));

  write_text(sweep_.folder() / "broken", "");
  EXPECT_THAT(slurm.type({"bash", submit}), HasSubstr("submitted: features "));
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60))) << "shares wait for features that failed" << slurm.printed();
  EXPECT_THAT(seen(), AllOf(HasSubstr("features failed: plume-bench: on node1 this failed: [ ! -e broken ]"),
                            HasSubstr("once that is mended, type bash " + submit)));
  std::filesystem::remove(sweep_.folder() / "broken");

  typed({"bash", submit}, sweep_.folder(), {"PLUME_FAULT=throw@seed=0"});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(120))) << slurm.printed();
  EXPECT_TRUE(slurm.has_printed("every feature is in the cache: the chain is complete")) << slurm.printed();
  EXPECT_FALSE(slurm.has_printed("DUE TO JOB REQUEUE")) << slurm.printed();
  EXPECT_THAT(seen(), AllOf(HasSubstr(", 2 failed, 0 left"),
                            HasSubstr("failed jobs run again with: bash " + submit + " --retry-failed")));
  slurm.type({"bash", submit, "--retry-failed"});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(120))) << slurm.printed();
  EXPECT_EQ(sweep_.report().at("report/tables/small.csv"), undisturbed_.at("report/tables/small.csv"))
      << slurm.printed();
  std::size_t lines = 0;
  for (const int share : {1, 2, 3}) {
    const auto journal = read_text(sweep_.out() / ("share-" + std::to_string(share) + "-of-3") / "journal.jsonl");
    for (auto at = journal.find(R"("type":"done")"); at != std::string::npos;
         at = journal.find(R"("type":"done")", at + 1))
      ++lines;
  }
  EXPECT_EQ(lines, sweep_.jobs()) << "each job in one share";
}

TEST_F(Slurm, SaysOfSharesWhichWaitForWhatAndWhichWereCancelled) {
  const SlurmRun slurm(
      sweep_, {"--form", "array", "--shares", "2", "--only", "seed=0", "--gpus-per-node", "1", "--cpus-per-task", "1",
               "--time", "10", "--setup", "until [ -e go ]; do sleep 0.1; done"});
  const auto submit = (sweep_.out() / "slurm/submit").string();
  const auto shows = [&](const std::string& pattern) {
    return eventually([&] { return std::regex_search(status(), std::regex(pattern)); }, seconds(60));
  };
  const auto submitted = slurm.type({"bash", submit});
  const std::string shares = std::regex_replace(submitted, std::regex(".*shares ([0-9]+).*"), "$1");
  EXPECT_TRUE(shows("features starting; 2 shares: 2 in the queue")) << status();
  EXPECT_THAT(status(), AllOf(HasSubstr("queued: Dependency"), Not(HasSubstr(submit)))) << "nothing is to be typed";
  EXPECT_THAT(slurm.type({program().string(), "status", (sweep_.out() / "share-1-of-2").string()}),
              HasSubstr("its batch script waits in Slurm's queue (Dependency)"))
      << "it has no directory yet";

  slurm.type({"scontrol", "hold", shares});
  write_text(sweep_.folder() / "go", "");
  EXPECT_TRUE(shows("share 1 of 2 +queued: JobHeld")) << status();
  slurm.type({"scontrol", "release", shares + "_1"});
  ASSERT_TRUE(shows("2 shares: 1 in the queue, 1 complete")) << status();
  Running watch({program().string(), "status", sweep_.out().string(), "--watch", "--every", "0.3"}, sweep_.folder());
  slurm.type({"scancel", shares});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60)));
  EXPECT_EQ(watch.wait(seconds(30)).status, 0) << "it ends where Slurm has nothing to start";
  EXPECT_THAT(status(), AllOf(HasSubstr("not begun, not queued"),
                              HasSubstr("share-2-of-2 is not in Slurm's queue (cancelled?); this goes on "
                                        "with all that is left: bash " +
                                        submit)));
  slurm.type({"bash", submit});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(120))) << slurm.printed();
  EXPECT_THAT(status(), HasSubstr("2 shares: 2 complete"));
}

TEST_F(Slurm, SaysOfAnArrayThatWasCancelledBeforeItsRunsWhatToType) {
  const SlurmRun slurm(
      sweep_, {"--form", "array", "--shares", "2", "--only", "seed=0", "--gpus-per-node", "1", "--cpus-per-task", "1",
               "--time", "10", "--setup", "until [ -e go ]; do sleep 0.1; done"});
  const auto submit = (sweep_.out() / "slurm/submit").string();
  const auto shows = [&](const std::string& pattern) {
    return eventually([&] { return std::regex_search(status(), std::regex(pattern)); }, seconds(60));
  };
  const auto submitted = slurm.type({"bash", submit});
  EXPECT_TRUE(shows("features starting; 2 shares: 2 in the queue")) << status();
  // A script that Slurm has started and the node has not yet would leave no word.
  ASSERT_TRUE(eventually([&] { return slurm.has_printed("Z allocation "); }, seconds(60)));
  slurm.type({"scancel", std::regex_replace(submitted, std::regex(".*features ([0-9]+).*"), "$1")});
  EXPECT_TRUE(shows("features +cancelled before its run")) << status();
  EXPECT_TRUE(
      shows("the features were cancelled before their run began, and are not in Slurm's queue; no share starts "
            "without them; this goes on with all that is left: bash " +
            submit))
      << status();
  write_text(sweep_.folder() / "go", "");
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60))) << slurm.printed();
  slurm.type({"bash", submit});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(120))) << slurm.printed();
  EXPECT_THAT(status(), AllOf(HasSubstr("2 shares: 2 complete"), Not(HasSubstr("plume-bench report")),
                              HasSubstr("tables: " + (sweep_.out() / "report/index.md").string())))
      << "its report job has made them";
}

TEST_F(Slurm, StartsAShareAgainThatWasRequeuedWithoutItsOwnRunInTheWay) {
  const SlurmRun slurm(sweep_, {"--form", "array", "--shares", "1", "--gpus-per-node", "1", "--cpus-per-task", "1"});
  const auto submitted = slurm.type({"bash", (sweep_.out() / "slurm/submit").string()});
  const auto share = std::regex_replace(submitted, std::regex(".*shares ([0-9]+),.*"), "$1_1");
  const auto journal = sweep_.out() / "share-1-of-1/journal.jsonl";
  const auto trains = [&] {
    return std::filesystem::exists(journal) && read_text(journal).find(R"("type":"start")") != std::string::npos;
  };
  ASSERT_TRUE(eventually(trains, seconds(60))) << slurm.printed();
  slurm.type({"scontrol", "requeuehold", share});
  const auto text = read_text(journal);
  const std::string before = "\"key\":\"";
  const auto key = text.substr(text.find(before) + before.size(), 8);
  const auto is_waited_for = [&] {
    return slurm.type({program().string(), "explain", sweep_.out().string(), key})
               .find("nothing is to be typed: its batch script waits in Slurm's queue") != std::string::npos;
  };
  EXPECT_TRUE(eventually(is_waited_for, seconds(60))) << key << "\n" << status();
  slurm.type({"scontrol", "release", share});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(120))) << slurm.printed();
  EXPECT_TRUE(slurm.has_printed(", start 1")) << slurm.printed();
  EXPECT_FALSE(slurm.has_printed("another run works on this directory")) << slurm.printed();
  EXPECT_EQ(sweep_.report().at("report/tables/small.csv"), undisturbed_.at("report/tables/small.csv"))
      << slurm.printed();
}

TEST_F(Slurm, StartsTheSameJobAgainUntilThePlanIsCompleteWhereItRequeues) {
  const SlurmRun slurm(sweep_, two_gpus({"--next", "requeue", "--drain", "290"}));
  const auto job = slurm.submit();
  wait_for_the_middle(slurm);
  slurm.type({"scancel", "--batch", "--signal=USR1", job});  // what Slurm does when the end of the time is near
  ASSERT_TRUE(eventually([&] { return slurm.has_printed("the chain is complete"); }, seconds(120))) << slurm.printed();
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60))) << slurm.printed();
  EXPECT_TRUE(slurm.has_printed("another allocation goes on"));
  EXPECT_EQ(slurm.fact_of(job, "Restarts"), "1");
  EXPECT_EQ(slurm.allocations(), 2U);
  EXPECT_TRUE(sweep_.ended_attempts().empty()) << "running jobs were let end";
  expect_the_undisturbed_result(slurm);
}

TEST_F(Slurm, LosesNothingToScancelAndGoesOnWhenTheScriptIsSubmittedAgain) {
  const SlurmRun slurm(sweep_, two_gpus());
  const auto job = slurm.submit();
  wait_for_the_middle(slurm);
  EXPECT_THAT(status(), HasSubstr("its allocation ends at "));
  const auto before = sweep_.commits();
  slurm.type({"scancel", job});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60)));
  EXPECT_THAT(status(), HasSubstr("given up: its batch script ended with it")) << "at once";
  EXPECT_THAT(read_text(sweep_.out() / "status.json"), HasSubstr(R"("slurm_cluster":"test")"));
  EXPECT_TRUE(slurm.has_printed(", start 0, cluster test")) << "its own name, so that its squeue is believed";
  EXPECT_TRUE(eventually([&] { return processes_in(sweep_.folder()).empty(); }, seconds(10)))
      << text_of(processes_in(sweep_.folder()));
  ASSERT_FALSE(sweep_.is_complete()) << "cancelled in the middle";
  // Two trained, and one of them may have had its last step behind it when it was told.
  auto given_back = sweep_.ended_attempts();
  EXPECT_EQ(sweep_.begun_attempts(), static_cast<int>(sweep_.commits().size()) + given_back["drained"])
      << "a training was neither done nor given back: " << sweep_.log();
  EXPECT_THAT(given_back, testing::ElementsAre(testing::Pair("drained", testing::AnyOf(1, 2)))) << "with checkpoints";
  EXPECT_TRUE(sweep_.logged("this run was told to end, within 8 s")) << slurm.printed();
  for (const auto& [key, times] : before) EXPECT_EQ(sweep_.commits()[key], 1);
  slurm.submit();
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(120))) << slurm.printed();
  EXPECT_EQ(slurm.allocations(), 2U) << "no third: scancel ends a chain";
  expect_the_undisturbed_result(slurm);
}

TEST_F(Slurm, GoesOnByItselfAfterTheNodeFailed) {
  const SlurmRun slurm(sweep_, two_gpus());
  const auto job = slurm.submit();
  wait_for_the_middle(slurm);
  slurm.type({"scontrol", "update", "nodename=node1", "state=down", "reason=test"});
  EXPECT_TRUE(eventually([&] { return processes_in(sweep_.folder()).empty(); }, seconds(30)))
      << text_of(processes_in(sweep_.folder()));
  ASSERT_FALSE(sweep_.is_complete()) << "down in the middle";
  slurm.type({"scontrol", "update", "nodename=node1", "state=resume"});
  ASSERT_TRUE(eventually([&] { return slurm.has_printed("the chain is complete"); }, seconds(120))) << slurm.printed();
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60))) << slurm.printed();
  EXPECT_EQ(slurm.fact_of(job, "Restarts"), "1");
  expect_the_undisturbed_result(slurm);
}

TEST_F(Slurm, EndsAChainOfAllocationsThatGetNothingDone) {
  const SlurmRun slurm(sweep_, two_gpus({"--drain", "10"}));
  slurm.submit({"PLUME_FAULT=hang"}, {"--retry-failed"});
  for (const int allocation : {1, 2}) {
    ASSERT_TRUE(eventually([&] { return trainers_in(sweep_.folder()).size() == 2; }, seconds(60))) << slurm.printed();
    const auto job = slurm.type({"squeue", "--noheader", "--format=%i", "--states=RUNNING"});
    ASSERT_TRUE(eventually([&] { return slurm.state_of(job) == "RUNNING"; }, seconds(10)));
    slurm.type({"scancel", "--batch", "--signal=USR1", job});
    ASSERT_TRUE(
        eventually([&] { return slurm.state_of(job).empty() || slurm.state_of(job) == "COMPLETING"; }, seconds(60)))
        << allocation << slurm.printed();
  }
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60))) << slurm.printed();
  EXPECT_TRUE(slurm.has_printed("2 allocations in a row got nothing done, and the chain ends")) << slurm.printed();
  EXPECT_EQ(slurm.allocations(), 2U);
  EXPECT_TRUE(sweep_.commits().empty());
  EXPECT_THAT(read_text(sweep_.out() / "run.json"), HasSubstr("--retry-failed")) << "the last allocation's command";
}

TEST_F(Slurm, EndsAChainWhoseRunIsRefused) {
  const SlurmRun slurm(sweep_, two_gpus({}));
  slurm.submit({}, {"--no-such-flag"});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60))) << slurm.printed();
  EXPECT_TRUE(
      slurm.has_printed("the run refused its command (exit status 2): the chain ends; its last words: "
                        "plume-bench: The following argument was not expected: --no-such-flag; "))
      << slurm.printed();
  EXPECT_EQ(slurm.allocations(), 1U);
  EXPECT_THAT(status(),
              AllOf(HasSubstr(": refused just now"), HasSubstr("what it printed: "),
                    HasSubstr("once that is mended, its batch script, submitted again, begins anew: sbatch ")));
}

TEST_F(Slurm, SaysOfAScriptThatEndedBeforeItsRunWhichItWasWithWhatAndWhy) {
  const SlurmRun slurm(sweep_, two_gpus({"--setup", "cat /no/such/file"}));
  const auto job = slurm.submit();
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60)));
  EXPECT_THAT(status(), HasSubstr("its batch script (Slurm job " + job + ") ended"));
  EXPECT_THAT(status(), HasSubstr("before its run began, with exit status 2"));
  EXPECT_THAT(status(), HasSubstr("this failed: cat /no/such/file; nothing was run"));
}

TEST_F(Slurm, SaysOfAScriptThatWasKilledBeforeItsRunThatItIsGone) {
  const SlurmRun slurm(sweep_, two_gpus({"--setup", "echo $$ > at-setup; sleep 300"}));
  const auto job = slurm.submit();
  const auto file = sweep_.folder() / "at-setup";
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(file) && !read_text(file).empty(); }, seconds(30)));
  EXPECT_THAT(status(), HasSubstr("has started, and its run has not begun"));
  slurm.type({"bash", "-c", "kill -9 $(cat at-setup)"});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60)));
  EXPECT_THAT(status(), HasSubstr("(Slurm job " + job + ") ended"));
  EXPECT_THAT(status(), HasSubstr("without a word"));
}

TEST_F(Slurm, EndsASecondSubmissionAndLeavesTheRunAtWorkAlone) {
  const SlurmRun slurm(sweep_, {"--gpus-per-node", "0", "--workers-per-node", "1", "--cpus-per-task", "1"});
  // The last seed's trainings take 4 s each: longer than Slurm needs to start the second script.
  std::string slow;
  for (int epoch = 0; epoch < 4; ++epoch) slow += fmt::format("{}slow@seed=3,epoch={}", slow.empty() ? "" : ";", epoch);
  slurm.submit({"PLUME_FAULT=" + slow});
  wait_for_the_middle(slurm);
  slurm.submit();
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(120))) << slurm.printed();
  EXPECT_TRUE(slurm.has_printed("another run works on this directory: this script ends")) << slurm.printed();
  EXPECT_EQ(slurm.allocations(), 2U);
  expect_the_undisturbed_result(slurm);
}

TEST_F(Slurm, TriesFailedJobsAgainWhereThatIsTypedAfterTheScript) {
  const SlurmRun slurm(sweep_, two_gpus({"--only", "seed=0,seed=1", "--", "--job-retries", "0"}));
  slurm.submit({"PLUME_FAULT=throw@seed=0"});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60))) << slurm.printed();
  EXPECT_EQ(sweep_.exit_status(), 3) << slurm.printed();
  EXPECT_EQ(sweep_.commits().size(), 2U) << "seed 1 of both classes";
  slurm.submit({}, {"--retry-failed"});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(60))) << slurm.printed();
  EXPECT_EQ(sweep_.exit_status(), 0) << slurm.printed();
  EXPECT_EQ(sweep_.commits().size(), 4U);
  EXPECT_THAT(slurm.printed(), Not(HasSubstr("epoch 1: "))) << "--only prints epochs, but not into files";
}

}  // namespace
}  // namespace tests
