// `export` of a real run in which jobs finished, diverged, failed and are missing: its arrays as h5py reads them, its
// CSV files, the example of docs/, and what it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSweep = R"({"version": 1, "name": "mixed",
  "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 24, "test_per_class": 12}},
  "blocks": [{"dataset": "synthetic", "backbone": "efficientnet-lite0", "perturbation": "linear-map", "guidance": "full",
              "lambda": [5, 10], "lr": "find", "dimension": 96, "batch_size": 8, "epochs": 3, "seeds": 3},
             {"dataset": "synthetic", "backbone": "efficientnet-lite0", "perturbation": "gaussian", "guidance": "none",
              "lr": 1000000, "dimension": 96, "batch_size": 8, "epochs": 3, "seeds": 1},
             {"dataset": "synthetic", "backbone": "efficientnet-lite0", "method": "knn", "scaling": "l2"}],
  "tables": [{"id": "mixed"}]})";

/// Python with h5py; fails the test where the set-up has not installed it.
Ended python(const fs::path& script, const std::string& argument, const fs::path& folder) {
  const auto interpreter = fs::path(PLUME_SOURCE_DIR) / ".deps/venv/bin/python";
  EXPECT_TRUE(fs::exists(interpreter)) << "run tools/setup --tests";
  return Running({interpreter.string(), (fs::path(PLUME_SOURCE_DIR) / script).string(), argument}, folder).wait();
}

/// One run for all tests: what it left is only read.
class Export : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new TemporaryFolder;
    write_text(*folder / "sweep.json", kSweep);
    const auto ran =
        run_program({"run", "sweep.json", "--out", "out", "--cache", "cache", "--threads", "1", "--workers", "1",
                     "--job-retries", "0", "--only", "class=ring", "--weights", "efficientnet-lite0=random:1"},
                    folder->path(), {"PLUME_FAULT=throw@seed=2"});
    ASSERT_EQ(ran.status, 3) << ran.errors;
    const auto exported = run_program({"export", "out"}, folder->path());
    ASSERT_EQ(exported.status, 0) << exported.errors;
    printed = exported.output;
  }
  static void TearDownTestSuite() { delete folder; }
  static fs::path report() { return folder->path() / "out/report"; }

  static TemporaryFolder* folder;
  static std::string printed;
};
TemporaryFolder* Export::folder = nullptr;
std::string Export::printed;

std::ptrdiff_t lines_of(const fs::path& file) {
  const auto text = read_text(file);
  return std::count(text.begin(), text.end(), '\n');
}

TEST_F(Export, SaysWhatItWroteAndWhere) {
  EXPECT_EQ(printed, fmt::format("16 jobs: 5 finished, 1 diverged, 2 failed, 8 missing; {} epochs\nJobs: "
                                 "out/report/jobs.csv\nEpochs: out/report/epochs.csv\nArrays: out/report/results.h5\n",
                                 lines_of(report() / "epochs.csv") - 1));
  EXPECT_EQ(lines_of(report() / "jobs.csv"), 17);
}

TEST_F(Export, IsTheSameInEveryArrayAsInTheCsvFiles) {
  const auto compared = python("tests/end_to_end/compare_export.py", report().string(), folder->path());
  EXPECT_EQ(compared.status, 0) << compared.errors;
  EXPECT_THAT(compared.output, HasSubstr("values are the same"));
}

TEST_F(Export, HasNoColumnThatIsNotExplained) {
  const auto page = read_text(fs::path(PLUME_SOURCE_DIR) / "results/README.md");
  const auto csv = read_text(report() / "jobs.csv");
  std::istringstream header(csv.substr(0, csv.find('\n')));
  std::size_t columns = 0;
  for (std::string name; std::getline(header, name, ','); ++columns) EXPECT_THAT(page, HasSubstr("`" + name + "`"));
  EXPECT_GT(columns, 50U);
}

TEST_F(Export, HasTheEpochsOfTheReport) {
  const auto before = read_text(report() / "epochs.csv");
  ASSERT_EQ(run_program({"report", "out"}, folder->path()).status, 0);
  EXPECT_EQ(read_text(report() / "epochs.csv"), before);
  EXPECT_GE(lines_of(report() / "epochs.csv"), 14) << "four trainings of three epochs, and kNN";
}

TEST_F(Export, OfTheSameJournalIsTheSameBytes) {
  ASSERT_EQ(run_program({"export", "out", "--out", "again"}, folder->path()).status, 0);
  for (const char* name : {"results.h5", "jobs.csv", "epochs.csv"}) {
    EXPECT_TRUE(read_text(*folder / "again" / name) == read_text(report() / name)) << name;
  }
}

/// "synthetic/ring, linear-map + full, lambda 5: 43.1 ± 2.0 (n = 2)" of the report's table, by setting.
std::map<std::string, std::string> last_epochs_of_table(const fs::path& csv) {
  std::map<std::string, std::string> found;
  std::istringstream lines(read_text(csv));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    if (fields[2] != "ring" || fields[3] != "last" || fields[4].empty()) continue;
    const auto spread = fields[5].empty() ? "" : fmt::format(" ± {:.1f}", std::stod(fields[5]));
    found[fields[1]] =
        fmt::format("synthetic/ring, {}: {:.1f}{} (n = {})", fields[1], std::stod(fields[4]), spread, fields[7]);
  }
  return found;
}

TEST_F(Export, ReadByTheExampleGivesTheNumbersOfTheTable) {
  const auto read = python("docs/read_results.py", report().string(), folder->path());
  ASSERT_EQ(read.status, 0) << read.errors;
  const auto table = last_epochs_of_table(report() / "tables/mixed.csv");
  ASSERT_EQ(table.size(), 3U) << "two lambdas and kNN";
  for (const auto& [row, line] : table) EXPECT_THAT(read.output, HasSubstr(line + "\n")) << row;
  EXPECT_THAT(read.output, HasSubstr("synthetic/cross, knn l2: none (n = 0)\n"));
}

TEST_F(Export, OfARunWithoutResultsIsAllMissing) {
  fs::create_directories(*folder / "empty");
  fs::copy_file(folder->path() / "out/run.json", *folder / "empty/run.json");
  const auto exported = run_program({"export", "empty"}, folder->path());
  ASSERT_EQ(exported.status, 0) << exported.errors;
  EXPECT_THAT(exported.output, HasSubstr("16 jobs: 16 missing; 0 epochs\n"));
  ASSERT_EQ(run_program({"report", "empty"}, folder->path()).status, 0) << "for shares.csv";
  const auto compared = python("tests/end_to_end/compare_export.py", "empty/report", folder->path());
  EXPECT_EQ(compared.status, 0) << compared.errors;
}

TEST_F(Export, RefusesWhatReportRefuses) {
  const auto line_of = [&](const std::vector<std::string>& more, int status) {
    std::vector<std::string> arguments = {"export"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = run_program(arguments, folder->path());
    EXPECT_EQ(ended.status, status) << ended.errors;
    EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
    EXPECT_EQ(ended.output, "");
    return ended.errors;
  };
  fs::create_directories(*folder / "damaged");
  fs::copy_file(folder->path() / "out/run.json", *folder / "damaged/run.json");
  auto journal = read_text(folder->path() / "out/journal.jsonl");
  journal[10] ^= 1;
  write_text(folder->path() / "damaged/journal.jsonl", journal);
  write_text(*folder / "file", "no folder");

  EXPECT_THAT(line_of({"out", "--mixed"}, 2), AllOf(HasSubstr("--mixed"), HasSubstr("plume-bench export --help")));
  EXPECT_THAT(line_of({"out", "--out", "file/x"}, 1), HasSubstr("file/x"));
  EXPECT_THAT(line_of({"damaged"}, 1),
              AllOf(HasSubstr("journal.jsonl: line 1: checksum"), HasSubstr("repair damaged")));
  EXPECT_FALSE(fs::exists(*folder / "damaged/report"));
}

TEST_F(Export, ShowsAnExampleInItsHelp) {
  const auto help = run_program({"export", "--help"}, folder->path());
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("plume-bench export runs/first"), HasSubstr("--allow-mixed"),
                                 HasSubstr("results.h5"), Not(HasSubstr("--watch"))));
}

}  // namespace
}  // namespace tests
