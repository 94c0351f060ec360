// What of a plan does not fit a cluster, and what to write instead.
#include "runner/cluster_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Two partitions that are up, one that is down.
ClusterFacts facts() {
  const Partition main{"main", true, PartitionState::up, std::nullopt, 2, 16, 64'000, 1};
  const Partition gpu{"gpu", false, PartitionState::up, 86'400, 4, 64, 1'031'000, 10};
  const Partition debug{"debug", false, PartitionState::down, 1800, 0, 4, 7900, 3};
  return {{main, gpu, debug}, 1001, ""};
}

/// 820 jobs of a minute on one GPU.
ClusterWish wish() {
  ClusterWish w;
  w.jobs = 820;
  w.longest_seconds = 60;
  return w;
}

TEST(ClusterLines, SayNothingOfWhatFitsButHowAnArrayWouldSplit) {
  EXPECT_THAT(cluster_lines(facts(), wish()),
              ElementsAre("  Slurm: as a job array: 8 shares of about 103 jobs each; up to 1000 are allowed (--form "
                          "array --shares N)"));
}

TEST(ClusterLines, NameTheMostSharesOfAnArray) {
  auto w = wish();
  w.settings.form = Form::array;
  w.settings.shares = 2000;
  EXPECT_THAT(cluster_lines(facts(), w),
              ElementsAre("  Slurm: --shares 2000 is too many: this cluster's job arrays end at 1000 (MaxArraySize "
                          "1001); write --shares 1000"));
}

TEST(ClusterLines, HoldTheTimeAndTheLongestJobAgainstThePartition) {
  auto w = wish();
  w.settings.partition = "gpu";
  w.settings.time = "2-00:00:00";
  EXPECT_THAT(cluster_lines(facts(), w), testing::Contains("  Slurm: --time 2-00:00:00 is more than partition gpu "
                                                           "allows: write --time 1-00:00:00"));
  w.settings.time = "1:00:00";
  w.longest_seconds = 3 * 3600;
  EXPECT_THAT(cluster_lines(facts(), w),
              testing::Contains("  Slurm: longest job about 3 h 00 min, an allocation of partition gpu lasts 60 min: "
                                "write --time 04:00:00, or it needs checkpoints (--checkpoint-every)"));
  w.settings.time = "24:00:00";
  w.longest_seconds = 30 * 3600;
  w.longest_is_guessed = true;
  EXPECT_THAT(cluster_lines(facts(), w),
              testing::Contains("  Slurm: longest job about 30 h*, an allocation of partition gpu lasts 24 h: it needs "
                                "checkpoints (--checkpoint-every), or another --partition"));
}

TEST(ClusterLines, CountTheGpusOfANode) {
  auto w = wish();
  w.settings.gpus_per_node = 4;
  EXPECT_THAT(cluster_lines(facts(), w),
              testing::Contains("  Slurm: no node of partition main has 4 GPUs: write --gpus-per-node 2"));
  w.settings.partition = "gpu";
  EXPECT_THAT(cluster_lines(facts(), w), Not(testing::Contains(HasSubstr("GPUs"))));
}

TEST(ClusterLines, NameThePartitionsWhereOneIsMistypedOrDown) {
  auto w = wish();
  w.settings.partition = "gpus";
  EXPECT_THAT(cluster_lines(facts(), w),
              testing::Contains("  Slurm: there is no partition \"gpus\" (did you mean \"gpu\"?): write --partition "
                                "main or gpu or debug"));
  w.settings.partition = "debug";
  EXPECT_THAT(cluster_lines(facts(), w),
              testing::Contains("  Slurm: partition debug is down: jobs wait until it is up"));
}

std::vector<std::string> objections(void (*ask)(ClusterSettings&)) {
  ClusterSettings settings;
  ask(settings);
  return cluster_objections(facts(), settings);
}

TEST(ClusterObjections, AreNoneOfWhatFits) {
  EXPECT_THAT(objections([](auto& s) { s.memory = "64000"; }), IsEmpty());
  EXPECT_THAT(objections([](auto& s) { s.memory = "some"; }), IsEmpty()) << "sbatch knows";
}

TEST(ClusterObjections, CountTheCpusOfAllTasksOfANode) {
  EXPECT_THAT(objections([](auto& s) { s.workers_per_node = 7; }),
              ElementsAre("  Slurm: no node of partition main has 32 CPUs (8 tasks of 4), the largest has 16: write "
                          "--cpus-per-task 2 or --workers-per-node 3"));
  EXPECT_THAT(objections([](auto& s) {
                s.form = Form::array;
                s.workers_per_node = 1;
                s.cpus_per_task = 20;
              }),
              ElementsAre("  Slurm: no node of partition main has 20 CPUs (1 task of 20), the largest has 16: write "
                          "--cpus-per-task 16"));
  EXPECT_THAT(objections([](auto& s) {
                s.workers_per_node = 100;
                s.cpus_per_task = 100;
              }),
              ElementsAre("  Slurm: no node of partition main has 10100 CPUs (101 tasks of 100), the largest has 16: "
                          "write --workers-per-node 1 --cpus-per-task 1, or another --partition"));
}

TEST(ClusterObjections, CountNodesAndMemory) {
  EXPECT_THAT(objections([](auto& s) { s.nodes = 3; }),
              ElementsAre("  Slurm: partition main has 1 node: write --nodes 1"));
  EXPECT_THAT(objections([](auto& s) { s.memory = "64G"; }),
              ElementsAre("  Slurm: no node of partition main has the memory of --memory 64G: write --memory 64000M"));
}

TEST(ClusterObjections, AreThoseOfThePartitionThatFitsBestWhereSeveralAreNamed) {
  EXPECT_THAT(objections([](auto& s) {
                s.partition = "main,gpu";
                s.gpus_per_node = 4;
              }),
              IsEmpty());
  EXPECT_THAT(objections([](auto& s) {
                s.partition = "debug,main,gqu";
                s.gpus_per_node = 4;
                s.cpus_per_task = 1;
              }),
              ElementsAre("  Slurm: there is no partition \"gqu\" (did you mean \"gpu\"?): write --partition main or "
                          "gpu or debug",
                          "  Slurm: no node of partition main has 4 GPUs: write --gpus-per-node 2"));
}

TEST(ClusterObjections, SayWhetherJobsWaitOrAreRefused) {
  auto cluster = facts();
  cluster.partitions[0].nodes_away = 1;
  cluster.partitions[1].nodes_away = 7;
  ClusterSettings settings;
  EXPECT_THAT(
      cluster_objections(cluster, settings),
      ElementsAre("  Slurm: of 1 node of partition main 1 is down or drained: jobs wait until it is back (sinfo "
                  "-R says why)"));
  settings.partition = "gpu";
  settings.nodes = 3;
  EXPECT_THAT(cluster_objections(cluster, settings), IsEmpty()) << "three are there";
  settings.nodes = 4;
  EXPECT_THAT(cluster_objections(cluster, settings),
              ElementsAre("  Slurm: of 10 nodes of partition gpu 7 are down or drained: jobs wait until they are back "
                          "(sinfo -R says why)"));
  cluster.partitions[0] = facts().partitions[0];
  cluster.partitions[0].state = PartitionState::takes_none;
  EXPECT_THAT(cluster_objections(cluster, {}),
              ElementsAre("  Slurm: partition main drains or is inactive, and sbatch refuses jobs: write another "
                          "--partition, or wait"));
}

TEST(ClusterObjections, LookAtWhatUsersAddedForSbatch) {
  EXPECT_THAT(objections([](auto& s) { s.directives = {"--constraint=a100"}; }),
              ElementsAre("  Slurm: no node of partition main has features, and --constraint=a100 names one: leave it "
                          "out"));
  auto cluster = facts();
  cluster.partitions[0].features = {"a100", "v100"};
  const auto with = [&](const std::string& option) {
    ClusterSettings settings;
    settings.directives = {option};
    return cluster_objections(cluster, settings);
  };
  EXPECT_THAT(with("-C \"[a100*2|v100]\""), IsEmpty());
  EXPECT_THAT(with("--constraint 'a100|v10'"),
              ElementsAre("  Slurm: no node of partition main has the feature \"v10\" (did you mean \"v100\"?) of "
                          "--constraint=a100|v10: write a100 or v100"));
  EXPECT_THAT(with("--mem-per-cpu=8000"), IsEmpty()) << "2 tasks of 4 CPUs";
  EXPECT_THAT(with("--mem-per-cpu=8G"),
              ElementsAre("  Slurm: no node of partition main has the memory of 8 CPUs with --mem-per-cpu=8G: write "
                          "--mem-per-cpu=8000M"));
}

TEST(ClusterObjections, AreOneLineWhereSlurmHangs) {
  ClusterFacts hangs;
  hangs.trouble = "sinfo did not answer within 2 s";
  EXPECT_THAT(cluster_lines(hangs, wish()),
              ElementsAre("  Slurm: sinfo did not answer within 2 s; nothing is held against a cluster"));
}

}  // namespace
}  // namespace runner
