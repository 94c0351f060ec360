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
  EXPECT_THAT(scripts[3].text, AllOf(HasSubstr("afterok"), HasSubstr("afterany")));
  EXPECT_TRUE(scripts[3].executable);
}

TEST(BatchScripts, AreReadByBash) {
  const tests::TemporaryFolder folder;
  for (const auto form : {Form::mpirun, Form::srun, Form::array}) {
    for (const auto next : {Next::resubmit, Next::requeue, Next::stop}) {
      ClusterSettings cluster;
      cluster.form = form;
      cluster.next = next;
      cluster.modules = {"openmpi"};
      cluster.setup = {"export A='b c'"};
      cluster.container = "/images/it's.sif";
      for (const auto& script : batch_scripts(run_of(cluster, "/it's a 'folder' $HOME `x`"))) {
        tests::write_text(folder / script.name, script.text);
        EXPECT_EQ(std::system(("bash -n " + (folder / script.name).string()).c_str()), 0) << script.text;
        EXPECT_THAT(script.text, Not(testing::ContainsRegex("@[A-Z_]+@"))) << "a blank is left";
      }
    }
  }
}

TEST(BatchScripts, HandPathsAndFlagsOfAnyKindOverAsTheyAre) {
  const tests::TemporaryFolder outside;
  const auto folder = outside / "it's a \"folder\" with $HOME; `x` & more*";
  std::filesystem::create_directories(folder);
  // In the place of the program: notes its arguments, one a line.
  tests::write_text(folder / "plume-bench",
                    "#!/bin/bash\nprintf '%s\\n' \"$@\" >> \"$(dirname \"$0\")/arguments\"\nexit 5\n");
  std::filesystem::permissions(folder / "plume-bench", std::filesystem::perms::all);
  ClusterSettings cluster;
  cluster.form = Form::array;
  cluster.shares = 2;
  auto run = run_of(cluster, folder);
  run.scripts = outside / "slurm";
  run.flags = {"--data", "mine=/a b/c'd"};
  run.run_flags = {"--retry-failed"};
  tests::write_text(outside / "share.sbatch", batch_scripts(run).at(1).text);
  const auto line =
      "SLURM_JOB_ID=1 SLURM_JOB_NODELIST=n SLURM_ARRAY_TASK_ID=2 bash " + (outside / "share.sbatch").string();
  ASSERT_NE(std::system((line + " > /dev/null 2>&1").c_str()), -1);
  const auto out = (folder / "out/share-2-of-2").string();
  EXPECT_EQ(tests::read_text(folder / "arguments"),
            "run\n" + run.sweep.string() + "\n--out\n" + out + "\n--share\n2/2\n--threads\n4\n--data\nmine=/a b/c'd\n" +
                "--retry-failed\n--workers\n1\n" + "chain\n" + out + "\n--status\n5\n");
}

TEST(BatchScripts, BelowAFolderWhoseNameSbatchReadsAsAPatternAreRefused) {
  for (const char* folder : {"/50%", "/a\"b", "/a\\b"}) {
    EXPECT_THROW(batch_scripts(run_of({}, folder)), storage::UsageError) << folder;
  }
  EXPECT_THROW(batch_scripts(run_of({}, "/a\nb")), storage::UsageError);
}

}  // namespace
}  // namespace runner
