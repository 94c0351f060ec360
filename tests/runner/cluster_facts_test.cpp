// What sinfo and scontrol print. The texts are Slurm 22.05.8's, with nodes added.
#include "runner/cluster_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kSinfo =
    "main*|up|infinite|1|gpu:2|16|64000|mixed|(null)\n"
    "gpu|up|1-00:00:00|8|gpu:a100:4(S:0-1),mps:400|64|515000|idle~|a100,rack2\n"
    "gpu|up|1-00:00:00|2|gpu:a100:2,gpu:v100:1|32|1031000|drained*|a100,v100\n"
    "debug|down|30:00|3|(null)|4|7900|down*|(null)\n"
    "old|drain|30:00|1|(null)|4|7900|idle|(null)\n"
    "gone|inact|30:00|1|(null)|4|7900|idle|(null)\n";
constexpr const char* kConfig =
    "Configuration data as of 2026-11-28T22:24:55\n"
    "AccountingStorageBackupHost = (null)\n"
    "MaxArraySize            = 1001\n"
    "MaxDBDMsgs              = 20008\n";

TEST(ClusterFacts, AreReadFromSinfoAndScontrol) {
  EXPECT_THAT(
      partitions_of(kSinfo),
      ElementsAre(Partition{"main", true, PartitionState::up, std::nullopt, 2, 16, 64000, 1},
                  Partition{"gpu", false, PartitionState::up, 86400, 4, 64, 1031000, 10, 2, {"a100", "rack2", "v100"}},
                  Partition{"debug", false, PartitionState::down, 1800, 0, 4, 7900, 3, 3},
                  Partition{"old", false, PartitionState::takes_none, 1800, 0, 4, 7900, 1},
                  Partition{"gone", false, PartitionState::takes_none, 1800, 0, 4, 7900, 1}));
  EXPECT_EQ(max_array_size_of(kConfig), 1001);
}

TEST(ClusterFacts, ArePassedOverWhereTheyAreNone) {
  EXPECT_THAT(partitions_of("slurm_load_partitions: Unable to contact slurm controller\n||||\n|\n\x01"), IsEmpty());
  EXPECT_EQ(partitions_of("x|up|n/a|1|gpu:99999999999999999999|8+|-5|idle|(null)\n").front(),
            (Partition{"x", false, PartitionState::up, {}, 0, 0, 0, 1}));
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

TEST(ClusterFacts, OfASlurmThatHangsAreItsTrouble) {
  int asked = 0;
  const Ask hangs = [&](const auto& command, const auto&) {
    ++asked;
    return Answer{true, "", command.front() + " did not answer within 2 s"};
  };
  EXPECT_EQ(ask_cluster(hangs).value().trouble, "sinfo did not answer within 2 s");
  EXPECT_EQ(asked, 1) << "scontrol would hang as well";
}

}  // namespace
}  // namespace runner
