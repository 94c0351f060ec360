// How long workers were at work: lines of a file, run by run, and their words.
#include "runner/worker_use.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

constexpr const char* kColumns =
    "started,worker,host,gpu,threads,seconds,training_seconds,features_seconds,idle_share\n";

class WorkerUses : public testing::Test {
 protected:
  void append(const std::string& started, const std::vector<WorkerUse>& uses) const {
    append_worker_uses(folder_.path(), started, uses);
  }
  std::string text() const { return tests::read_text(worker_uses_file(folder_.path())); }
  tests::TemporaryFolder folder_;
};

TEST_F(WorkerUses, AreALineAWorkerAndRun) {
  append("2026-11-29T10:00:00Z", {{1, "node1", "GPU-1", 4, 100, 80, 15}, {2, "node,2", "", 4, 50, 0, 0}});
  append("2026-11-29T12:00:00Z", {{1, "node3", "", 2, 8, 8, 0}});
  EXPECT_EQ(text(), std::string(kColumns) +
                        "2026-11-29T10:00:00Z,1,node1,GPU-1,4,100.000,80.000,15.000,0.0500\n"
                        "2026-11-29T10:00:00Z,2,\"node,2\",,4,50.000,0.000,0.000,1.0000\n"
                        "2026-11-29T12:00:00Z,1,node3,,2,8.000,8.000,0.000,0.0000\n");
}

TEST_F(WorkerUses, OfARunWithoutWorkersAreNoFile) {
  append("2026-11-29T10:00:00Z", {});
  EXPECT_FALSE(std::filesystem::exists(worker_uses_file(folder_.path())));
  EXPECT_EQ(collected_worker_uses({folder_.path()}), "");
}

TEST_F(WorkerUses, OfSeveralDirectoriesAreOneTableWithoutTornLines) {
  tests::write_text(folder_ / "a,b/workers.csv", std::string(kColumns) + "2026,1,n,,1,1,1,0,0\n2026,2,n,,1,1");
  tests::write_text(folder_ / "c/workers.csv", std::string(kColumns) + "2027,1,n,,1,1,1,0,0\n");
  EXPECT_EQ(collected_worker_uses({folder_ / "a,b", folder_ / "none", folder_ / "c"}),
            "directory," + std::string(kColumns) + "\"" + (folder_ / "a,b").string() + "\",2026,1,n,,1,1,1,0,0\n" +
                (folder_ / "c").string() + ",2027,1,n,,1,1,1,0,0\n");
}

TEST_F(WorkerUses, ThatCannotBeReadKeepNobodyFromTheOthers) {
  std::filesystem::create_directories(folder_ / "a/workers.csv");
  tests::write_text(folder_ / "b/workers.csv", std::string(5000, '1'));
  tests::write_text(folder_ / "c/workers.csv", std::string(kColumns) + "2027,1,n,,1,1,1,0,0\n");
  EXPECT_EQ(collected_worker_uses({folder_ / "a", folder_ / "b", folder_ / "c"}),
            "directory," + std::string(kColumns) + (folder_ / "c").string() + ",2027,1,n,,1,1,1,0,0\n");
}

TEST(WorkerUse, IsIdleForWhatIsLeftOfItsTime) {
  EXPECT_EQ((WorkerUse{1, "", "", 1, 100, 60, 15}).idle_share(), 0.25);
  EXPECT_EQ((WorkerUse{1, "", "", 1, 0, 0, 0}).idle_share(), 0) << "it was not there";
  EXPECT_EQ((WorkerUse{1, "", "", 1, 1, 1.0001, 0}).idle_share(), 0) << "rounding";
}

TEST(WorkerUse, InWordsNamesTheOneThatWasIdleLongest) {
  EXPECT_EQ(in_words({}), "");
  EXPECT_EQ(in_words({{1, "n", "", 1, 100, 90, 0}}), "the worker was idle 10 % of 2 min");
  EXPECT_EQ(in_words({{1, "n", "", 1, 100, 90, 0}, {2, "m", "", 1, 100, 20, 10}}),
            "workers were idle 40 % of 3 min worker-time (worker 2 on m most: 70 %)");
}

}  // namespace
}  // namespace runner
