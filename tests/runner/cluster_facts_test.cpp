// What sinfo and scontrol print, and what a plan makes of it. The texts are Slurm 22.05.8's, with nodes added.
#include "runner/cluster_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kSinfo =
    "main*|up|infinite|1|gpu:2\n"
    "gpu|up|1-00:00:00|8|gpu:a100:4(S:0-1),mps:400\n"
    "gpu|up|1-00:00:00|2|gpu:a100:2,gpu:v100:1\n"
    "debug|down|30:00|3|(null)\n";
constexpr const char* kConfig =
    "Configuration data as of 2026-11-28T22:24:55\n"
    "AccountingStorageBackupHost = (null)\n"
    "MaxArraySize            = 1001\n"
    "MaxDBDMsgs              = 20008\n";

ClusterFacts facts() {
  return {partitions_of(kSinfo), max_array_size_of(kConfig), ""};
}

/// 820 jobs of a minute on one GPU.
ClusterWish wish() {
  ClusterWish w;
  w.jobs = 820;
  w.longest_seconds = 60;
  return w;
}

TEST(ClusterFacts, AreReadFromSinfoAndScontrol) {
  EXPECT_THAT(partitions_of(kSinfo),
              ElementsAre(Partition{"main", true, true, std::nullopt, 2}, Partition{"gpu", false, true, 86400, 4},
                          Partition{"debug", false, false, 1800, 0}));
  EXPECT_EQ(max_array_size_of(kConfig), 1001);
}

TEST(ClusterFacts, ArePassedOverWhereTheyAreNone) {
  EXPECT_THAT(partitions_of("slurm_load_partitions: Unable to contact slurm controller\n||||\n|\n\x01"), IsEmpty());
  EXPECT_EQ(partitions_of("x|up|n/a|1|gpu:99999999999999999999\n").front(), (Partition{"x", false, true, {}, 0}));
  EXPECT_EQ(max_array_size_of("MaxArraySize = many\nMaxArraySizes = 4\n"), std::nullopt);
}

TEST(ClusterFacts, AreNotAskedForWhereThereIsNoSlurm) {
  int asked = 0;
  const Ask none = [&](const auto&, const auto&) {
    ++asked;
    return Answer{false, "", "sinfo cannot be started"};
  };
  EXPECT_FALSE(ask_cluster(none));
  EXPECT_EQ(asked, 1);
}

TEST(ClusterFacts, OfASlurmThatHangsAreOneLine) {
  int asked = 0;
  const Ask hangs = [&](const auto& command, const auto&) {
    ++asked;
    return Answer{true, "", command.front() + " did not answer within 2 s"};
  };
  EXPECT_THAT(cluster_lines(ask_cluster(hangs).value(), wish()),
              ElementsAre("  Slurm: sinfo did not answer within 2 s; the plan is held against no cluster"));
  EXPECT_EQ(asked, 1) << "scontrol would hang as well";
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

}  // namespace
}  // namespace runner
