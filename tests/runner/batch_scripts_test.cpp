// The text of batch scripts: what Slurm is asked for, and that bash reads paths of any kind as they are. What a real
// Slurm makes of them is slurm_end_to_end's.
#include "runner/batch_scripts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

BatchRun run_of(const ClusterSettings& cluster, const std::filesystem::path& folder = "/data") {
  BatchRun run;
  run.cluster = cluster;
  run.cluster.drain_seconds = 300;
  run.sweep_name = "all of it";
  run.program = folder / "plume-bench";
  run.sweep = folder / "sweep.json";
  run.out = folder / "out";
  run.scripts = run.out / "slurm";
  run.folder = folder;
  return run;
}

TEST(BatchScripts, AskForOneTaskMoreThanGpusOnEveryNode) {
  ClusterSettings cluster;
  cluster.nodes = 3;
  cluster.gpus_per_node = 4;
  cluster.partition = "gpu";
  const auto scripts = batch_scripts(run_of(cluster));
  ASSERT_THAT(scripts, SizeIs(1));
  EXPECT_EQ(scripts[0].name, "run.sbatch");
  for (const char* line : {"#SBATCH --nodes=3\n", "#SBATCH --ntasks-per-node=5\n", "#SBATCH --gpus-per-node=4\n",
                           "#SBATCH --gpu-bind=none\n", "#SBATCH --partition=gpu\n", "#SBATCH --signal=B:USR1@300\n",
                           "#SBATCH --requeue\n", "#SBATCH --job-name=plume-all_of_it\n",
                           "#SBATCH --output=/data/out/slurm/%x-%j.out\n"}) {
    EXPECT_THAT(scripts[0].text, HasSubstr(line));
  }
  EXPECT_THAT(scripts[0].text, Not(HasSubstr("--account"))) << "nothing is said of what was not given";
  EXPECT_THAT(scripts[0].text,
              HasSubstr("mpirun --enable-recovery --bind-to none \"${plume[@]}\" run /data/sweep.json"));
}

TEST(BatchScripts, AskForNoGpuOnAClusterWithout) {
  ClusterSettings cluster;
  cluster.gpus_per_node = 0;
  cluster.workers_per_node = 8;
  const auto text = batch_scripts(run_of(cluster)).at(0).text;
  EXPECT_THAT(text, AllOf(HasSubstr("--ntasks-per-node=9\n"), Not(HasSubstr("SBATCH --gpu"))));
}

TEST(BatchScripts, OfAnArrayWaitForTheFeaturesAndEndWithAReport) {
  ClusterSettings cluster;
  cluster.form = Form::array;
  cluster.shares = 16;
  cluster.at_once = 4;
  const auto scripts = batch_scripts(run_of(cluster));
  ASSERT_THAT(scripts, SizeIs(4));
  EXPECT_THAT(scripts[0].text, HasSubstr(" extract /data/sweep.json"));
  EXPECT_THAT(scripts[1].text,
              AllOf(HasSubstr("#SBATCH --array=1-16%4\n"), HasSubstr("--share \"$SLURM_ARRAY_TASK_ID/16\"")));
  EXPECT_THAT(scripts[2].text, HasSubstr("report /data/out/share-*-of-16 --out /data/out/report"));
  EXPECT_THAT(scripts[3].text, AllOf(HasSubstr("afterok"), HasSubstr("afterany"), HasSubstr("share.sbatch \"$@\"")));
  EXPECT_TRUE(scripts[3].executable);
}

TEST(BatchScripts, HandWhatIsTypedAfterThemToTheNextAllocation) {
  ClusterSettings cluster;
  EXPECT_THAT(batch_scripts(run_of(cluster)).at(0).text,
              HasSubstr("sbatch --dependency=afterany:\"$SLURM_JOB_ID\" /data/out/slurm/run.sbatch \"$@\"\n"));
  cluster.next = Next::stop;
  EXPECT_THAT(batch_scripts(run_of(cluster)).at(0).text,
              HasSubstr("echo \"work is left:\" sbatch /data/out/slurm/run.sbatch \"$@\"\n"));
}

TEST(BatchScripts, AreReadByBashAndPleaseShellcheck) {
  const tests::TemporaryFolder folder;
  ASSERT_EQ(std::system("shellcheck --version > /dev/null"), 0) << "tools/setup --tests installs it";
  for (const auto form : {Form::mpirun, Form::srun, Form::array}) {
    for (const auto next : {Next::resubmit, Next::requeue, Next::stop}) {
      ClusterSettings cluster;
      cluster.form = form;
      cluster.next = next;
      cluster.modules = {"openmpi"};
      cluster.setup = {"export A='b c'"};
      cluster.container = "/images/it's.sif";
      auto run = run_of(cluster, "/it's a 'folder' $HOME `x`");
      run.flags = {"--data", "mine=$HOME"};
      for (const auto& script : batch_scripts(run)) {
        const auto file = (folder / script.name).string();
        tests::write_text(file, script.text);
        EXPECT_EQ(std::system(("bash -n " + file + " && shellcheck --severity=warning " + file).c_str()), 0)
            << script.text;
        EXPECT_THAT(script.text, Not(testing::ContainsRegex("@[A-Z_]+@"))) << "a blank is left";
      }
    }
  }
}

/// Scripts as a job runs them, without Slurm: a program in the place of plume-bench notes its arguments, one a line.
class WrittenScript : public testing::Test {
 protected:
  WrittenScript() {
    std::filesystem::create_directories(folder_);
    tests::write_text(folder_ / "plume-bench",
                      "#!/bin/bash\n[ \"$1\" != --version ] || exit 0\n"
                      "printf '%s\\n' \"$@\" >> \"$(dirname \"$0\")/arguments\"\nexit 5\n");
    std::filesystem::permissions(folder_ / "plume-bench", std::filesystem::perms::all);
    cluster_.form = Form::array;
    cluster_.shares = 2;
    run_ = run_of(cluster_, folder_);
    run_.scripts = outside_ / "slurm";
  }
  struct Outcome {
    int status = -1;
    std::string output;
  };
  /// Of the array's scripts the one with this name, as task 2; `before` are lines of bash.
  Outcome outcome(const std::string& name, const std::string& typed = "", const std::string& before = "") {
    run_.cluster = cluster_;
    run_.cluster.drain_seconds = 300;
    for (const auto& script : batch_scripts(run_)) tests::write_text(outside_ / script.name, script.text);
    tests::write_text(outside_ / "job", before + "\nexec bash " + (outside_ / name).string() + " " + typed + "\n");
    const auto line = "cd " + outside_.path().string() +
                      " && SLURM_JOB_ID=1 SLURM_JOB_NODELIST=n SLURM_ARRAY_TASK_ID=2 bash job > output 2>&1";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), tests::read_text(outside_ / "output")};
  }
  bool has_run() const { return std::filesystem::exists(folder_ / "arguments"); }

  const tests::TemporaryFolder outside_;
  const std::filesystem::path folder_ = outside_ / "it's a \"folder\" with $HOME; `x` & more*";
  ClusterSettings cluster_;
  BatchRun run_;
};

TEST_F(WrittenScript, HandsPathsAndFlagsOfAnyKindOverAsTheyAre) {
  run_.flags = {"--data", "mine=/a b/c'd"};
  run_.run_flags = {"--hang-deadline", "300"};
  outcome("share.sbatch", "--retry-failed --deadline '2 h'");
  const auto out = (folder_ / "out/share-2-of-2").string();
  EXPECT_EQ(tests::read_text(folder_ / "arguments"),
            "run\n" + run_.sweep.string() + "\n--out\n" + out +
                "\n--share\n2/2\n--threads\n4\n--data\nmine=/a b/c'd\n--hang-deadline\n300\n--workers\n1\n"
                "--drain-within\n150\n--end-within\n8\n--retry-failed\n--deadline\n2 h\n" +
                "chain\n" + out + "\n--status\n5\n");
}

TEST_F(WrittenScript, EndsBeforeTheRunWhereALineOfItsSetupFails) {
  cluster_.setup = {"false || true", "cd /nowhere/at/all", "touch after"};
  const auto ended = outcome("share.sbatch");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("plume-bench: on "), HasSubstr(" this failed: cd /nowhere/at/all; nothing was run\n")));
  EXPECT_FALSE(has_run());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "after"));
}

TEST_F(WrittenScript, EndsBeforeTheRunWhereAModuleCannotBeLoaded) {
  cluster_.modules = {"openmpi/5"};
  auto ended = outcome("share.sbatch", "", "unset -f module; unset BASH_ENV");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.output, HasSubstr("plume-bench: there is no module on "));
  ended = outcome("share.sbatch", "", "module() { echo no such module; return 1; }; export -f module");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("no such module\nplume-bench: module load openmpi/5 failed on "),
                                  HasSubstr("`module avail` lists the names")));
  EXPECT_FALSE(has_run());
  ended = outcome("share.sbatch", "", "module() { [ \"$unset\" = '' ]; }; export -f module");
  EXPECT_EQ(ended.status, 5) << ended.output;
  EXPECT_TRUE(has_run());
}

TEST_F(WrittenScript, EndsWithTheReasonWhereTheProgramDoesNotStart) {
  run_.program = folder_ / "moved-away";
  auto ended = outcome("share.sbatch");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("moved-away: does not start on "), HasSubstr("; nothing was run")));
  cluster_.container = (folder_ / "no.sif").string();
  ended = outcome("share.sbatch", "", "apptainer() { return 0; }; export -f apptainer");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.output, HasSubstr("no.sif: the container image is not there"));
  EXPECT_FALSE(has_run());
}

TEST_F(WrittenScript, OfTheReportSaysThatNoShareHasBegun) {
  auto ended = outcome("report.sbatch");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.output, HasSubstr("plume-bench: no share has begun: there is no directory "));
  EXPECT_FALSE(has_run());
  std::filesystem::create_directories(folder_ / "out/share-1-of-2");
  outcome("report.sbatch");
  EXPECT_EQ(tests::read_text(folder_ / "arguments"), "report\n" + (folder_ / "out/share-1-of-2").string() +
                                                         "\n--out\n" + (folder_ / "out/report").string() + "\n");
}

TEST(BatchScripts, BelowAFolderWhoseNameSbatchReadsAsAPatternAreRefused) {
  for (const char* folder : {"/50%", "/a\"b", "/a\\b"}) {
    EXPECT_THROW(batch_scripts(run_of({}, folder)), storage::UsageError) << folder;
  }
  EXPECT_THROW(batch_scripts(run_of({}, "/a\nb")), storage::UsageError);
}

}  // namespace
}  // namespace runner
