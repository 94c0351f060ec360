// Disks that are full or may not be written to, and a journal that a crash or a disk has damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>

#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/tiny_sweep.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A shell in a mount namespace of its own: what the script mounts, nobody else sees, and it is gone with it. "$@" is
/// the command.
std::vector<std::string> in_own_mounts(const std::string& script, std::vector<std::string> command) {
  std::vector<std::string> shell = {"unshare", "--mount", "bash", "-c", script, "bash"};
  shell.insert(shell.end(), command.begin(), command.end());
  return shell;
}

/// Why this process may not mount; "" where it may. That a tool is missing is another matter, and fails the test.
std::string why_no_mounts() {
  const TemporaryFolder folder;
  const auto tried = Running(in_own_mounts("mount -t tmpfs -o size=64k tmpfs .", {}), folder.path()).wait();
  EXPECT_NE(tried.status, 127) << tried.errors;
  return tried.status == 0 ? "" : tried.errors;
}

class Disk : public testing::Test {
 protected:
  void SetUp() override {
    static const std::string why_not = why_no_mounts();
    if (!why_not.empty()) GTEST_SKIP() << "no file system may be mounted here: " << why_not;
  }
};

int results_in(const std::string& journal) {
  int count = 0;
  for (auto at = journal.find("\"type\":\"done\""); at != std::string::npos;
       at = journal.find("\"type\":\"done\"", at + 1)) {
    ++count;
  }
  return count;
}

constexpr const char* kNoRoom = "No space left on device; make room there, then the same command goes on";

TEST_F(Disk, FullUnderTheJournalEndsTheRunInOneLineAndLosesNothingCommitted) {
  // A record of 60 epochs is some 20 kB: the journal's disk is full after the second or third.
  const TinySweep sweep({.seeds = 4, .epochs = 60});
  // Kept aside for the test: what was committed when the disk was full, and how the two runs ended.
  const auto script = R"(mkdir out kept && mount -t tmpfs -o size=80k tmpfs out || exit 99
    "$@" 2> full.txt; echo $? > full.status
    cp out/journal.jsonl kept/full.jsonl
    mount -o remount,size=10m out
    "$@" 2> room.txt; echo $? > room.status
    cp -r out/. kept)";

  const auto ended = Running(in_own_mounts(script, sweep.command()), sweep.folder()).wait();

  ASSERT_EQ(ended.status, 0) << ended.errors;
  const auto full = read_text(sweep.folder() / "full.txt");
  EXPECT_EQ(read_text(sweep.folder() / "full.status"), "1\n") << full;
  EXPECT_THAT(last_line_of({1, "", full}), AllOf(HasSubstr("out/journal.jsonl: cannot append: "), HasSubstr(kNoRoom)));
  const auto kept = read_text(sweep.folder() / "kept/full.jsonl");
  const auto committed = results_in(kept);
  EXPECT_GE(committed, 1);
  EXPECT_LT(committed, 8);
  const auto room = read_text(sweep.folder() / "room.txt");
  EXPECT_EQ(read_text(sweep.folder() / "room.status"), "0\n") << room;
  EXPECT_THAT(room, HasSubstr("8 jobs, " + std::to_string(committed) + " done"));
  EXPECT_TRUE(read_text(sweep.folder() / "kept/journal.jsonl").starts_with(kept));
}

TEST_F(Disk, FullUnderTheFeaturesIsChargedToNoJobAndTheSameCommandGoesOn) {
  const TinySweep sweep;
  // 48 rows of 1,280 numbers are 246 kB; the scan fits.
  const auto script = R"(mkdir cache && mount -t tmpfs -o size=120k tmpfs cache || exit 99
    "$@" 2> full.txt; echo $? > full.status
    find cache -name '*.tmp.*' > debris.txt
    cp out/logs/run.log full.log; cp out/journal.jsonl full.jsonl
    mount -o remount,size=10m cache
    "$@")";

  const auto ended = Running(in_own_mounts(script, sweep.command({"--cache", "cache"})), sweep.folder()).wait();

  const auto full = read_text(sweep.folder() / "full.txt");
  EXPECT_EQ(read_text(sweep.folder() / "full.status"), "1\n") << full;
  EXPECT_THAT(last_line_of({1, "", full}),
              AllOf(HasSubstr("cache/"), HasSubstr(".h5: cannot write: "), HasSubstr(kNoRoom)));
  EXPECT_THAT(read_text(sweep.folder() / "full.log"), HasSubstr("failed at attempt 1: disk-full: "));
  EXPECT_EQ(read_text(sweep.folder() / "full.jsonl"), "") << "no job is to blame";
  EXPECT_EQ(read_text(sweep.folder() / "debris.txt"), "");
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(sweep.committed(), 4U);
  EXPECT_EQ(sweep.table(), undisturbed_table());
}

TEST_F(Disk, FullUnderTheScanEndsTheRunWithItsFirstSlice) {
  const TinySweep sweep;
  // No file more: the folder of slices cannot be made.
  const auto script = R"(mkdir cache && mount -t tmpfs -o nr_inodes=2 tmpfs cache && exec "$@")";
  const auto ended = Running(in_own_mounts(script, sweep.command({"--cache", "cache"})), sweep.folder()).wait();
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(last_line_of(ended), AllOf(HasSubstr("cache/scan/"), HasSubstr(".parts: "), HasSubstr(kNoRoom)));
}

TEST_F(Disk, FullUnderACheckpointIsSaidOnceAndTheTrainingGoesOn) {
  const TinySweep sweep;
  // A checkpoint has 720 kB: the journal and the log fit, it does not.
  const auto script = R"(mkdir -p out/attempts && mount -t tmpfs -o size=400k tmpfs out/attempts || exit 99
    "$@"; status=$?; find out/attempts -name 'checkpoint*' > debris.txt; exit $status)";
  const auto ended =
      Running(in_own_mounts(script, sweep.command({"--checkpoint-every", "1e-9", "--only", "class=ring,seed=0"})),
              sweep.folder())
          .wait();
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("no checkpoint can be written, the training goes on without: "));
  EXPECT_THAT(ended.errors, HasSubstr("No space left on device; make room there"));
  EXPECT_EQ(ended.errors.find("no checkpoint can be"), ended.errors.rfind("no checkpoint can be"));
  EXPECT_EQ(read_text(sweep.folder() / "debris.txt"), "");
}

/// Where the mount is read-only: as root, permission bits bind nobody.
struct Unwritable {
  const char* name;
  const char* script;  ///< before the run
  const char* folder;  ///< that the line names
  const char* way_out;
};

class ReadOnly : public Disk, public testing::WithParamInterface<Unwritable> {};

TEST_P(ReadOnly, IsRefusedBeforeAnythingRunsAndNamed) {
  const TinySweep sweep;
  const auto script = std::string(GetParam().script) + " || exit 99; exec \"$@\"";
  const auto ended = Running(in_own_mounts(script, sweep.command({"--cache", "cache"})), sweep.folder()).wait();
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(last_line_of(ended),
              AllOf(HasSubstr(GetParam().folder), HasSubstr("Read-only file system"), HasSubstr(GetParam().way_out)));
  EXPECT_THAT(ended.errors, Not(HasSubstr("features:")));
}

INSTANTIATE_TEST_SUITE_P(Folder, ReadOnly,
                         testing::Values(Unwritable{"Out", "mkdir out && mount -t tmpfs -o ro tmpfs out",
                                                    "--out out: ", "give one that you may write to"},
                                         Unwritable{"Logs", "mkdir -p out/logs && mount -t tmpfs -o ro tmpfs out/logs",
                                                    "out/logs", "give one that you may write to"},
                                         Unwritable{"Cache", "mkdir cache && mount -t tmpfs -o ro tmpfs cache",
                                                    "cache: ", "--cache"}),
                         [](const auto& each) { return each.param.name; });

TEST_F(Disk, ReadOnlyUnderACacheThatHoldsAllIsEnough) {
  const TinySweep sweep;
  const auto script =
      R"(mkdir cache && "$@" && rm -r out && mount --bind cache cache && mount -o remount,bind,ro cache && "$@")";
  const auto ended = Running(in_own_mounts(script, sweep.command({"--cache", "cache"})), sweep.folder()).wait();
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(sweep.table(), undisturbed_table());
}

TEST(Journal, WhoseLastLineIsTornGoesOnWithThatJob) {
  const TinySweep sweep;
  const auto whole = sweep.run();
  ASSERT_EQ(whole.status, 0) << whole.errors;
  const auto journal = read_text(sweep.out() / "journal.jsonl");
  write_text(sweep.out() / "journal.jsonl", journal.substr(0, journal.size() - 100));
  ASSERT_EQ(sweep.committed(), 3U);

  const auto again = sweep.run();

  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.errors,
              HasSubstr("journal.jsonl: its last line was torn by the end of an earlier run and has been cut"));
  EXPECT_THAT(again.errors, HasSubstr("4 jobs, 3 done, 1 to run"));
  EXPECT_EQ(sweep.committed(), 4U);
  EXPECT_EQ(again.output, whole.output);
  EXPECT_EQ(sweep.table(), undisturbed_table());
}

}  // namespace
}  // namespace tests
