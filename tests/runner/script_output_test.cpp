// What the last lines of a batch script's output say of its end.
#include "runner/script_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/script_queue.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kStart = "2026-11-29T07:00:00Z allocation 12 on node1, start 1\n";

TEST(ScriptOutput, OfAScriptThatEndedBeforeItsRunSaysWithWhatAndWhy) {
  const auto tail = read_tail(std::string(kStart) +
                              "plume-bench: module load openmpi failed on node1; nothing was run\n"
                              "2026-11-29T07:00:01Z script of allocation 12 ends before its run, exit status 2\n");
  EXPECT_TRUE(tail.ended);
  EXPECT_TRUE(tail.before_its_run);
  EXPECT_EQ(tail.exit_status, 2);
  EXPECT_EQ(tail.restart, 1);
  EXPECT_EQ(tail.cluster, "") << "as earlier versions wrote it";
  EXPECT_EQ(tail.telling, "plume-bench: module load openmpi failed on node1; nothing was run");
}

TEST(ScriptOutput, PrefersALineThatSoundsLikeAFailureToTheLastOne) {
  EXPECT_EQ(read_tail("---\nThere are not enough slots available\n\n---\n").telling,
            "There are not enough slots available");
  EXPECT_EQ(read_tail("one\ntwo\n").telling, "two");
}

TEST(ScriptOutput, NamesTheClusterOfItsLastStart) {
  const auto tail = read_tail("2026-11-29T07:00:00Z allocation 12 on node1, start 3, cluster deep-1\nworks\n");
  EXPECT_EQ(tail.cluster, "deep-1");
  EXPECT_EQ(tail.restart, 3);
}

TEST(ScriptOutput, IsOfTheLastStartAlone) {
  const auto tail = read_tail(
      "2026-11-29T06:00:00Z allocation 12 on node1, start 0\nerror: an old one\n"
      "2026-11-29T06:30:00Z script of allocation 12 ends, exit status 4\n" +
      std::string(kStart));
  EXPECT_FALSE(tail.ended) << "it was started again";
  EXPECT_EQ(tail.telling, "");
}

TEST(ScriptOutput, IsShownAndNotObeyed) {
  EXPECT_EQ(read_tail("plume-bench: \x1b[2Jgone\n").telling, "plume-bench: ?[2Jgone");
}

TEST(ScriptOutput, OfAScriptOfAnEarlierVersionIsKnownByItsLastLine) {
  const auto tail = read_tail("plume-bench: there is no mpirun on node1: name the module; nothing was run\n");
  EXPECT_TRUE(tail.ended && tail.before_its_run);
  EXPECT_EQ(tail.exit_status, std::nullopt);
}

TEST(ScriptOutput, OfAJobOrATaskIsFoundByItsNumber) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "plume-s-12.out", "");
  tests::write_text(folder / "plume-s-share-13_2.out", "");
  EXPECT_EQ(output_of(folder.path(), "12"), folder / "plume-s-12.out");
  EXPECT_EQ(output_of(folder.path(), "13_2"), folder / "plume-s-share-13_2.out");
  EXPECT_EQ(output_of(folder.path(), "2"), "");
  EXPECT_EQ(output_of(folder / "none", "12"), "");
}

TEST(ScriptOutput, IsTheNewestOfTheFolder) {
  const tests::TemporaryFolder folder;
  EXPECT_EQ(newest_output(folder.path()), std::nullopt);
  fs::create_directories(folder / "slurm");
  tests::write_text(folder / "slurm/plume-a-b-9.out", kStart);
  tests::write_text(folder / "slurm/plume-a-b-12.out", std::string(1 << 20, 'x') + "\nlast\n");
  fs::last_write_time(folder / "slurm/plume-a-b-9.out", fs::file_time_type::clock::now() - std::chrono::seconds(90));
  const auto output = newest_output(folder.path());
  ASSERT_TRUE(output);
  EXPECT_EQ(output->job, "12");
  EXPECT_EQ(output->tail.telling, "last");
  EXPECT_TRUE(output->after_status) << "there is no status";
  tests::write_text(folder / "status.json", "{}");
  fs::last_write_time(folder / "slurm/plume-a-b-12.out", fs::file_time_type::clock::now() - std::chrono::seconds(60));
  EXPECT_FALSE(newest_output(folder.path())->after_status);
  EXPECT_NEAR(newest_output(folder.path())->quiet_seconds, 60, 10);
}

TEST(ScriptQueue, KnowsTheScriptWhateverWasTypedAfterItAndFromWherever) {
  const auto jobs = jobs_of_script(
      "1|N/A|RUNNING|None|/x|y\x1f/r/my run/slurm/run.sbatch --retry-failed\n"
      "2|N/A|PENDING|Priority|/r/my run\x1fslurm/run.sbatch\n"
      "3|N/A|PENDING|None|/x|y\x1f/r/my run/slurm/run.sbatch.old\n"
      "4|N/A|COMPLETING|None|/x|y\x1f/other/run.sbatch\n",
      "/r/my run/slurm/run.sbatch", "4");
  EXPECT_THAT(jobs, ElementsAre(QueuedJob{"1", true}, QueuedJob{"2", false, "Priority"}, QueuedJob{"4", true}));
}

TEST(ScriptQueue, KnowsATaskOfAnArrayHoweverSlurmWritesIt) {
  const auto jobs = jobs_of_script(
      "8|2-4,7%2|PENDING|JobArrayTaskLimit|/x|y\x1f/r/share.sbatch\n"
      "9|3|RUNNING|None|/x|y\x1f/r/share.sbatch\n"
      "10|1|RUNNING|None|/x|y\x1f/r/share.sbatch\n",
      "/r/share.sbatch", "", 3);
  EXPECT_THAT(jobs, ElementsAre(QueuedJob{"8", false, "JobArrayTaskLimit"}, QueuedJob{"9", true}));
  EXPECT_THAT(tasks_of("1,3-9:3,20%5", 8), ElementsAre(1, 3, 6));
  EXPECT_THAT(tasks_of("N/A", 8), IsEmpty());
}

class AskedQueue : public testing::Test {
 protected:
  std::optional<std::vector<QueuedJob>> ask(ScriptQueue& queue, const std::string& moment,
                                            const std::string& cluster = "") {
    return queue.jobs({"/r/run.sbatch", "sbatch /r/run.sbatch", true}, output, moment, cluster);
  }
  Ask answering() {
    return [this](const auto& command, const auto&) {
      if (command.front() == "scontrol") {
        ++asked_for_its_name;
        return configuration;
      }
      ++asked;
      return answer;
    };
  }
  Answer answer, configuration{true, "AuthType = auth/munge\nClusterName             = here\n", ""};
  std::optional<ScriptOutput> output;
  int asked = 0, asked_for_its_name = 0;
};

TEST_F(AskedQueue, IsAskedSeldomAndAgainOnceSomethingHasChanged) {
  answer.output = "1|N/A|PENDING|None|/x|y\x1f/r/run.sbatch\n";
  ScriptQueue queue(answering(), true);
  for (int look = 0; look < 5; ++look) EXPECT_EQ(ask(queue, "a")->size(), 1U);
  EXPECT_EQ(asked, 1);
  ask(queue, "b");
  EXPECT_EQ(asked, 2);
}

TEST_F(AskedQueue, ThatHasNoJobIsBelievedAtOnceWhereOneLooksOnce) {
  ScriptQueue once(answering(), false);
  EXPECT_THAT(ask(once, "a").value(), IsEmpty());
  ScriptQueue watch(answering(), true);
  EXPECT_EQ(ask(watch, "a"), std::nullopt) << "it may be about to be requeued";
}

TEST_F(AskedQueue, OfAnotherClusterIsBelievedOnTheScriptsJobsAlone) {
  output = ScriptOutput{"/r/plume-s-7.out", "7", {}};
  answer.output = "7|N/A|RUNNING|None|/x|y\x1f/somebody/else.sbatch\n";
  ScriptQueue queue(answering(), false);
  EXPECT_EQ(ask(queue, "a", "there"), std::nullopt) << "job 7 of here is not job 7 of there";
  EXPECT_EQ(ask(queue, "b", "here")->size(), 1U);
  EXPECT_EQ(ask(queue, "c", "")->size(), 1U) << "as long as nobody knows";
  answer.output = "9|N/A|PENDING|None|/x|y\x1f/r/run.sbatch\n";
  EXPECT_EQ(ask(queue, "d", "there")->size(), 1U);
  EXPECT_EQ(asked_for_its_name, 1);
}

TEST_F(AskedQueue, WhoseClusterCannotBeToldIsNotAsked) {
  configuration.why = "scontrol did not answer within 2 s";
  ScriptQueue queue(answering(), false);
  EXPECT_EQ(ask(queue, "a", "here"), std::nullopt);
  EXPECT_EQ(asked, 0) << "it would not answer either";
  configuration = {false, "", "scontrol cannot be started"};
  EXPECT_TRUE(ask(queue, "b", "here")) << "there is none: it is believed";
}

TEST_F(AskedQueue, ThatIsNotThereIsNotAskedAgain) {
  answer.found = false;
  ScriptQueue queue(answering(), true);
  EXPECT_EQ(ask(queue, "a"), std::nullopt);
  EXPECT_EQ(ask(queue, "b"), std::nullopt);
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace runner
