// `report` of hand-made directories: what is merged, what is refused, and that bytes depend on the journals alone.
#include "runner/report_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "tests/runner/run_directories.hpp"

namespace {

namespace fs = std::filesystem;
using results::Entry;
using samples::bytes_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Report : public samples::RunDirectories {
 protected:
  std::string report(const std::vector<std::string>& directories, const std::string& out, bool allow_mixed = false) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    std::string refusal;
    try {
      runner::print_report({directories, (folder / out).string(), allow_mixed});
    } catch (const storage::Error& error) {
      refusal = error.what();
    }
    printed = testing::internal::GetCapturedStdout();
    complained = testing::internal::GetCapturedStderr();
    return refusal;
  }
  /// Every file of a report, one after the other.
  std::string files(const std::string& out) const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(folder / out)) {
      if (entry.is_regular_file() && !tests::is_about_times(entry.path())) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::string bytes;
    for (const auto& path : paths) bytes += fs::relative(path, folder / out).string() + "\n" + bytes_of(path);
    return bytes;
  }

  std::string printed, complained;
};

TEST_F(Report, OfTwoHalvesIsThatOfTheWhole) {
  const auto whole = directory("whole", all), first = directory("first", {all[0], all[1], all[2]});
  const auto second = directory("second", {all[3], all[2]});  // one of them in both

  ASSERT_EQ(report({whole}, "of_whole"), "");
  ASSERT_EQ(report({first, second}, "merged"), "");
  ASSERT_EQ(report({second, first}, "turned"), "");

  EXPECT_THAT(files("of_whole"), HasSubstr("4 of 4 runs"));
  EXPECT_EQ(files("merged"), files("of_whole"));
  EXPECT_EQ(files("turned"), files("of_whole"));
  EXPECT_THAT(printed, AllOf(HasSubstr("PLUME"), HasSubstr((folder / "turned/index.html").string())));
  EXPECT_FALSE(fs::exists(fs::path(first) / "report")) << "directories are only read";
}

TEST_F(Report, DependsOnNoOrderOfTheLines) {
  ASSERT_EQ(report({directory("a", all), directory("b", {all[1]})}, "forward"), "");
  ASSERT_EQ(report({directory("c", {all[3], all[2], all[1], all[0]}), directory("d", {all[1]})}, "backward"), "");
  EXPECT_EQ(files("backward"), files("forward"));
}

TEST_F(Report, ReadsARunThatIsInTheMiddleOfALine) {
  const auto whole = directory("whole", {all[0]});
  const std::string line = results::encode(all[1]);
  samples::write_bytes(fs::path(whole) / "journal.jsonl", results::encode(all[0]) + "\n" + line.substr(0, 100));
  EXPECT_EQ(report({whole}, "out"), "");
  EXPECT_THAT(files("out"), HasSubstr("1 of 4 runs"));
}

TEST_F(Report, KeepsTheTablesOfSweepsThatDiffer) {
  std::string other = samples::kSweepOfFour;
  other.replace(other.find("\"seeds\":2"), 9, "\"seeds\":1");
  ASSERT_EQ(report({directory("a", all), directory("b", {}, other)}, "out"), "");
  EXPECT_THAT(bytes_of(folder / "out/index.md"),
              AllOf(HasSubstr("small: "), HasSubstr("4 of 4 runs"), HasSubstr("small-2: "), HasSubstr("2 of 2 runs")));
}

TEST_F(Report, RemovesWhatAKilledReportLeft) {
  const pid_t killed = fork();
  if (killed == 0) _exit(0);
  waitpid(killed, nullptr, 0);
  const fs::path left = folder / ("out/figures" + storage::temporary_mark() + "." + std::to_string(killed) + ".0");
  fs::create_directories(left);
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::seconds(61));

  ASSERT_EQ(report({directory("a", all)}, "out"), "");

  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(folder / "out/index.html"));
}

TEST_F(Report, RefusesRunsThatDoNotBelongTogetherOrMarksThem) {
  const auto cpu = directory("cpu", {all[0], all[1]});
  const auto cuda = directory("cuda", {run("cat", 1, "cuda"), run("dog", 1, "cuda")});
  EXPECT_THAT(report({cpu, cuda}, "out"),
              AllOf(HasSubstr("device cpu (cat seed 0) and cuda (cat seed 1)"), HasSubstr("--allow-mixed")));
  EXPECT_FALSE(fs::exists(folder / "out"));
  EXPECT_EQ(report({cpu, cuda}, "out", true), "");
  EXPECT_THAT(files("out"), HasSubstr("devices cpu, cuda"));
}

TEST_F(Report, RefusesTwoResultsOfAJobOrTakesTheFirstAndSaysSo) {
  const auto cpu = directory("cpu", all), cuda = directory("cuda", {run("cat", 0, "cuda")});
  EXPECT_THAT(report({cpu, cuda}, "out"),
              AllOf(HasSubstr("cifar10/cat"), HasSubstr("seed 0: its results in " + cpu + " and in " + cuda),
                    HasSubstr("device cpu and cuda")));
  ASSERT_EQ(report({cpu, cuda}, "out", true), "");
  EXPECT_THAT(files("out"), HasSubstr("1 job has results that differ, of which the first directory's counts"));
  EXPECT_THAT(files("out"), Not(HasSubstr(cpu))) << "the same journals elsewhere give the same bytes";
  EXPECT_THAT(printed, HasSubstr("in " + cpu + " and in " + cuda + " differ"));
}

TEST_F(Report, ReadsADirectoryOfEngineVersion3) {
  std::vector<Entry> old;
  for (Entry entry : all) {
    std::get<results::Done>(entry).engine_version = 3;
    old.push_back(entry);
  }
  ASSERT_EQ(report({directory("old", old)}, "of_old"), "");
  ASSERT_EQ(report({directory("new", all)}, "of_new"), "");
  for (const char* file : {"of_old/tables/small.csv", "of_old/epochs.csv"}) {
    std::string same = file;
    EXPECT_EQ(bytes_of(folder / file), bytes_of(folder / same.replace(3, 3, "new")));
  }
  EXPECT_THAT(files("of_old"), HasSubstr("engine version 3 (this build's is 6)"));
  EXPECT_THAT(report({folder / "old", folder / "new"}, "both"), HasSubstr("engine version 3 and 6"));
}

TEST_F(Report, LeavesOutSharesThatHaveNoJobsYetAndSaysSo) {
  const auto a = directory("share-1-of-3", {all[0], all[1]});
  const auto empty = (folder / "share-2-of-3").string(), scans = (folder / "share-3-of-3").string();
  fs::create_directories(empty);
  fs::create_directories(fs::path(scans) / "logs");
  samples::write_bytes(fs::path(scans) / "status.json", "{}");

  ASSERT_EQ(report({empty, a, scans}, "out"), "");
  EXPECT_EQ(complained, "plume-bench: " + empty + ": no run has begun there; its jobs count as missing\n" +
                            "plume-bench: " + scans +
                            ": its run has not come to its jobs; its jobs count as missing\n");
  EXPECT_THAT(files("out"), HasSubstr("2 of 4 runs"));
}

TEST_F(Report, RefusesWhereNoneHasJobsAndWhatIsNoShare) {
  const auto a = directory("a", all), empty = (folder / "empty").string(), results = (folder / "results").string();
  fs::create_directories(empty);
  fs::create_directories(results);
  EXPECT_THAT(report({empty}, "out"), HasSubstr(empty + ": not the directory of a run (it has no run.json)"));
  EXPECT_THAT(report({empty, empty + "/."}, "out"), HasSubstr(empty + ": not the directory of a run"));
  EXPECT_THAT(report({a, (folder / "none").string()}, "out"), HasSubstr("none: not the directory of a run"));
  EXPECT_THAT(report({a, empty}, "empty"), HasSubstr("one of the directories that are read"));
  samples::write_bytes(fs::path(results) / "journal.jsonl", "results whose run.json is gone\n");
  EXPECT_THAT(report({a, results}, "out"), HasSubstr(results + ": not the directory of a run"));
  EXPECT_EQ(complained, "");
}

TEST_F(Report, SaysWhatIsWrongWithItsDirectories) {
  const auto a = directory("a", all), b = directory("b", all);
  EXPECT_THAT(report({a, b, a}, "out"), HasSubstr(a + ": given twice"));
  EXPECT_THAT(report({a, a + "/../a"}, "out"), HasSubstr(a + "/../a: the same directory as " + a));
  EXPECT_THAT(report({a, folder.path().string()}, "out"), HasSubstr("not the directory of a run"));
  EXPECT_THAT(report({"runs/x/share-*-of-8"}, "out"),
              HasSubstr("runs/x/share-*-of-8: no directory has such a name; where these are shares, none of them has"));
  EXPECT_THAT(report({a, b}, "b"), HasSubstr("the directory of a run; give the report a folder of its own"));
  EXPECT_THROW(runner::print_report({{a, b}, std::nullopt, false}), storage::UsageError) << "where to?";
  EXPECT_THROW(runner::print_report({{a}, "", false}), storage::UsageError);
}

}  // namespace
