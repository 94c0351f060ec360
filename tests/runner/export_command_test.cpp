// `export` of hand-made directories: what is merged, let in and refused. What the files say is tested in tests/results
// and, by another reader, in tests/end_to_end.
#include "runner/export_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "tests/runner/run_directories.hpp"

namespace {

namespace fs = std::filesystem;
using samples::bytes_of;
using testing::AllOf;
using testing::HasSubstr;

class ExportOfDirectories : public samples::RunDirectories {
 protected:
  /// The refusal, or "".
  std::string made(const runner::ReportQuestion& question) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    std::string refusal;
    try {
      runner::write_export(question);
    } catch (const storage::Error& error) {
      refusal = error.what();
    }
    printed = testing::internal::GetCapturedStdout();
    complained = testing::internal::GetCapturedStderr();
    return refusal;
  }
  std::string made(const std::vector<std::string>& directories, const std::string& out, bool allow_mixed = false) {
    return made({directories, (folder / out).string(), allow_mixed});
  }
  std::string files(const std::string& out) const {
    std::string bytes;
    for (const char* name : {"jobs.csv", "epochs.csv", "results.h5"}) bytes += bytes_of(folder / out / name);
    return bytes;
  }
  std::string printed, complained;
};

TEST_F(ExportOfDirectories, OfTwoHalvesIsThatOfTheWhole) {
  const auto whole = directory("whole", all), first = directory("first", {all[0], all[1], all[2]});
  const auto second = directory("second", {all[3], all[2]});
  ASSERT_EQ(made({whole}, "of_whole"), "");
  ASSERT_EQ(made({first, second}, "merged"), "");
  ASSERT_EQ(made({second, first}, "turned"), "");
  EXPECT_EQ(files("merged"), files("of_whole"));
  EXPECT_EQ(files("turned"), files("of_whole"));
  EXPECT_THAT(printed, HasSubstr("4 jobs: 4 finished; 8 epochs\nJobs: " + (folder / "turned/jobs.csv").string()));
}

TEST_F(ExportOfDirectories, GoesWhereTheReportOfOneDirectoryIs) {
  const auto whole = directory("whole", {all[0]});
  ASSERT_EQ(made({{whole}, std::nullopt, false}), "");
  EXPECT_TRUE(fs::exists(fs::path(whole) / "report/results.h5"));
  EXPECT_THAT(printed, HasSubstr("4 jobs: 1 finished, 3 missing; 2 epochs\n"));
  EXPECT_THAT(made({{whole, directory("more", {})}, std::nullopt, false}),
              HasSubstr("--out: missing; the export of 2 directories needs a folder of its own"));
  EXPECT_THAT(made({{whole}, "", false}), HasSubstr("--out: expected a folder for the export"));
}

TEST_F(ExportOfDirectories, RefusesWhatDoesNotBelongTogetherOrLetsItInBesideItsDevice) {
  const auto cpu = directory("cpu", {all[0], all[1]});
  const auto cuda = directory("cuda", {run("cat", 1, "cuda"), run("dog", 1, "cuda")});
  EXPECT_THAT(made({cpu, cuda}, "out"),
              AllOf(HasSubstr("device cpu (cat seed 0) and cuda"), HasSubstr("--allow-mixed")));
  EXPECT_FALSE(fs::exists(folder / "out"));
  ASSERT_EQ(made({cpu, cuda}, "out", true), "");
  EXPECT_THAT(bytes_of(folder / "out/jobs.csv"), AllOf(HasSubstr(",cpu,1,"), HasSubstr(",cuda,1,")));
}

TEST_F(ExportOfDirectories, TakesTheFirstOfTwoResultsAloud) {
  const auto cpu = directory("cpu", all), cuda = directory("cuda", {run("cat", 0, "cuda")});
  EXPECT_THAT(made({cpu, cuda}, "out"), HasSubstr("device cpu and cuda"));
  ASSERT_EQ(made({cpu, cuda}, "out", true), "");
  EXPECT_THAT(printed, HasSubstr("; the first directory's count"));
  EXPECT_EQ(bytes_of(folder / "out/jobs.csv").find("cuda"), std::string::npos);
}

TEST_F(ExportOfDirectories, RefusesTheDirectoriesThatReportRefuses) {
  const auto whole = directory("whole", all), other = directory("other", {});
  EXPECT_THAT(made({folder.path().string()}, "out"), HasSubstr("not the directory of a run"));
  EXPECT_THAT(made({whole, whole}, "out"), HasSubstr(whole + ": given twice"));
  EXPECT_THAT(made({whole}, "other"), HasSubstr("the directory of a run; give the export a folder of its own"));
  fs::create_directories(folder / "damaged");
  fs::copy_file(fs::path(whole) / "run.json", folder / "damaged/run.json");
  samples::write_bytes(folder / "damaged/journal.jsonl", "{}\n" + results::encode(all[0]) + "\n");
  EXPECT_THAT(made({(folder / "damaged").string()}, "out"),
              AllOf(HasSubstr("line 1"), HasSubstr("plume-bench repair")));
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(ExportOfDirectories, OfADirectoryOfSharesSaysWhatToType) {
  const auto share = directory("array/share-1-of-2", {all[0]});
  EXPECT_THAT(made({(folder / "array").string()}, "out"),
              HasSubstr("plume-bench export " + (folder / "array").string() + "/share-*-of-2 --out"));
  const auto empty = (folder / "array/share-2-of-2").string();
  fs::create_directories(empty);
  ASSERT_EQ(made({share, empty}, "out"), "");
  EXPECT_THAT(complained, HasSubstr(empty + ": no run has begun there; its jobs count as missing\n"));
}

}  // namespace
