// A whole report from a committed journal: every file of it, byte for byte. The journal lies in tests/golden/report/
// with the files expected of it; its README says how both are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "results/dump.hpp"
#include "results/journal.hpp"
#include "runner/report_command.hpp"
#include "runner/run_file.hpp"
#include "storage/atomic_file.hpp"
#include "tests/results/made_up_dump.hpp"
#include "tests/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using tests::read_text;
using tests::TemporaryFolder;
using tests::write_text;

fs::path golden() {
  return fs::path(PLUME_SOURCE_DIR) / "tests/golden/report";
}

/// Paths of all files under `folder`, relative to it, sorted; without those that are about times and places, and
/// without pictures, which every gnuplot draws in its own way.
std::vector<std::string> files_under(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool is_compared = entry.path().extension() != ".svg" && !tests::is_about_times(entry.path());
    if (entry.is_regular_file() && is_compared) files.push_back(fs::relative(entry.path(), folder).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void report(const fs::path& directory) {
  testing::internal::CaptureStdout();
  runner::print_report({{directory.string()}, std::nullopt, false});
  testing::internal::GetCapturedStdout();
}

/// A directory with the committed run file and dump, and these lines for a journal.
void copy_run(const TemporaryFolder& folder, const std::string& journal) {
  fs::copy_file(golden() / "run.json", folder / "run.json");
  fs::copy(golden() / "dumps", folder / "dumps");
  write_text(folder / "journal.jsonl", journal);
}

/// AUROC in 1/1024 of a made-up run, exact in a double: rises for two epochs and falls in the last.
double made_up_auc(std::size_t job, std::uint64_t seed, int epoch, const sweeps::Job& job_of) {
  const int level = job_of.method == sweeps::Method::plad                            ? 680
                    : job_of.training.perturbation == sweeps::Perturbation::gaussian ? 790
                    : job_of.training.lambda == 10                                   ? 850
                                                                                     : 840;
  const int wobble = static_cast<int>((job * 37 + seed * 101) % 61);
  const int falls = job_of.method == sweeps::Method::plad ? 400 : 90;
  return (level + wobble - (epoch == 2 ? falls : 20 * (1 - epoch))) / 1024.0;
}

results::JobResult made_up_result(std::size_t index, const sweeps::Job& job) {
  results::JobResult result;
  const bool trained = sweeps::is_trained(job.method);
  for (int epoch = 0; epoch < (trained ? 3 : 1); ++epoch) {
    results::EpochRecord record;
    record.epoch = epoch;
    const double auc = trained ? made_up_auc(index, job.seed, epoch, job) : 900 / 1024.0;
    record.ranking = results::Ranking{auc, auc / 2, auc, 1 - auc, 0.0078125};
    if (trained) {
      record.losses = results::LossTerms{8, 4, 2, 1, 1};
      record.learning_rate = 0.0005;
      record.threshold = 0.5;
      record.shares = std::vector<std::optional<double>>(10, 0.75);
    }
    result.epochs.push_back(record);
  }
  if (trained) result.found_learning_rate = 0.0005;
  result.classes = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
  result.train = {std::string(32, 'a'), "00000001"};
  result.test = {std::string(32, 'b'), "00000002"};
  if (job.method != sweeps::Method::plad) result.weights = "0676ba61" + std::string(56, '0');
  result.train_rows = 5000;
  result.test_rows = 10000;
  result.device = "cpu";
  return result;
}

/// run.json and journal.jsonl of the folder again, where the format of a journal has changed.
void write_committed_journal() {
  const std::vector<std::string> classes = {"airplane", "automobile", "bird",  "cat",  "deer",
                                            "dog",      "frog",       "horse", "ship", "truck"};
  runner::RunFile file;
  const auto sweep = sweeps::parse_sweep(read_text(golden() / "sweep.json"), "sweep.json");
  runner::freeze(file, sweep, {{"cifar10", {classes, {}}}});
  file.facts = {"golden", "host", "2026-11-28T12:00:00Z", {"plume-bench", "run", "sweep.json", "--out", "DIR"}};
  runner::write_run_file(golden(), file);
  const auto plan = sweeps::expand(sweep, file.sweeps[0].classes);
  std::string journal;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const sweeps::Job& job = plan.jobs[i];
    results::JobResult result = made_up_result(i, job);
    const bool linear = job.method == sweeps::Method::plume && job.training.lambda == 5 &&
                        job.training.perturbation == sweeps::Perturbation::linear_map;
    if (linear && job.normal_class == "bird" && job.seed == 1) {
      result.outcome = results::Outcome::diverged;
      result.diverged_epoch = 1;
      result.epochs.resize(1);
    }
    if (linear && job.normal_class == "cat" && job.seed == 2) {
      journal += encode(results::Failed{job, 2, "oom", "out of memory"}) + "\n";
      continue;
    }
    if (linear && job.normal_class == "deer" && job.seed == 2) continue;  // missing
    journal += encode(results::Done{job, 1, result, {12.5, "node7", "2026-11-28T12:00:00Z"}}) + "\n";
  }
  storage::write_atomically(golden() / "journal.jsonl", journal);
}

/// dumps/ of the folder again: of one training of the journal, under the key that it has there.
void write_committed_dump() {
  const auto ledger = results::replay_journal(golden() / "journal.jsonl", results::Engines::readable).ledger;
  results::Done dumped;
  for (const auto& [key, done] : ledger.done) {
    const bool first = done.job.method == sweeps::Method::plume && done.job.normal_class == "bird" &&
                       done.job.seed == 0 && done.job.training.lambda == 5 &&
                       done.job.training.perturbation == sweeps::Perturbation::linear_map;
    if (first) dumped = done;
  }
  fs::remove_all(golden() / "dumps");
  const results::Dump dump =
      samples::of_training(samples::made_up_dump(dumped.job, 12, dumped.engine_version), dumped.result);
  results::write_dump(results::dump_file(golden(), {dump.key}), dump);
}

TEST(GoldenReport, OfTheCommittedJournalIsTheCommittedReport) {
  const bool writes_journal = std::getenv("PLUME_WRITE_GOLDEN_JOURNAL") != nullptr;
  if (writes_journal) write_committed_journal();
  if (writes_journal || std::getenv("PLUME_WRITE_GOLDEN_DUMP") != nullptr) write_committed_dump();
  const TemporaryFolder folder;
  copy_run(folder, read_text(golden() / "journal.jsonl"));

  report(folder.path());

  if (std::getenv("PLUME_WRITE_GOLDEN") != nullptr) {  // by hand, and then read what has changed before it is committed
    fs::remove_all(golden() / "expected");
    for (const std::string& file : files_under(folder / "report")) {
      write_text(golden() / "expected" / file, read_text(folder / "report" / file));
    }
  }
  ASSERT_EQ(files_under(folder / "report"), files_under(golden() / "expected"));
  for (const std::string& file : files_under(golden() / "expected")) {
    EXPECT_EQ(read_text(folder / "report" / file), read_text(golden() / "expected" / file)) << file;
  }
}

TEST(GoldenReport, DoesNotDependOnTheOrderOfTheJournalsLines) {
  const TemporaryFolder folder, shuffled;
  const std::string journal = read_text(golden() / "journal.jsonl");
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < journal.size();) {
    const std::size_t end = journal.find('\n', at);
    lines.push_back(journal.substr(at, end + 1 - at));
    at = end + 1;
  }
  std::shuffle(lines.begin(), lines.end(), std::mt19937(7));
  std::string other;
  for (const std::string& line : lines) other += line;
  ASSERT_NE(other, journal);
  copy_run(folder, journal);
  copy_run(shuffled, other);

  report(folder.path());
  report(shuffled.path());

  for (const std::string& file : files_under(folder / "report")) {
    EXPECT_EQ(read_text(shuffled / ("report/" + file)), read_text(folder / "report" / file)) << file;
  }
}

using nlohmann::json;

const json& row_called(const json& table, const std::string& name) {
  for (const json& row : table.at("rows")) {
    if (row.at("name") == name) return row;
  }
  throw std::runtime_error("no row " + name);
}

void expect_number(const json& ours, const json& theirs, const std::string& where) {
  ASSERT_EQ(ours.is_null(), theirs.is_null()) << where;
  if (ours.is_null()) return;
  EXPECT_NEAR(ours.get<double>(), theirs.get<double>(), 1e-9) << where;
}

void expect_value(const json& ours, const json& theirs, const std::string& where) {
  if (theirs.is_null()) return expect_number(ours.at("mean"), theirs, where);
  expect_number(ours.at("mean"), theirs.at("mean"), where);
  expect_number(ours.at("std"), theirs.at("std"), where);
  EXPECT_EQ(ours.at("n"), theirs.at("n")) << where;
}

TEST(GoldenReport, HasTheNumbersOfAnIndependentProgram) {
  const json ours = json::parse(read_text(golden() / "expected/tables/lambda.json"));
  const json theirs = json::parse(read_text(golden() / "independent.json"));

  for (const auto& [name, modes] : theirs.at("rows").items()) {
    const json& row = row_called(ours, name);
    for (const auto& [mode, numbers] : modes.items()) {
      for (const json& cell : row.at("cells")) {
        const std::string where = name + ", " + mode + ", " + cell.at("column").get<std::string>();
        const json& expected = numbers.at("classes").at(cell.at("column").get<std::string>());
        expect_value(cell.at("modes").at(mode), expected, where);
        if (row.at("best_of") == "lambda") {
          EXPECT_EQ(cell.at("modes").at(mode).at("chosen"), std::to_string(expected.at("chosen").get<int>())) << where;
        }
        if (!expected.contains("verdict")) continue;
        for (const char* key : {"difference", "low", "high"})
          expect_number(cell.at("verdict").at(key), expected.at("verdict").at(key), where + ", " + key);
      }
      expect_value(row.at("mean").at("modes").at(mode), numbers.at("mean"), name + ", " + mode + ", mean");
    }
  }
  const json& max = row_called(ours, "PLUME, max");
  for (const json& cell : max.at("cells"))
    expect_number(cell.at("modes").at("best").at("max"),
                  theirs.at("maxima").at("classes").at(cell.at("column").get<std::string>()), "max");
  expect_number(max.at("mean").at("modes").at("best").at("max"), theirs.at("maxima").at("mean"), "mean of maxima");
}

TEST(GoldenReport, HasTheTestsOfAnIndependentProgram) {
  const json ours = json::parse(read_text(golden() / "expected/tables/lambda.json")).at("comparisons");
  const json theirs = json::parse(read_text(golden() / "independent.json")).at("comparisons");

  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const std::string where = theirs[i].dump();
    for (const char* key : {"mode", "first", "second"}) EXPECT_EQ(ours[i].at(key), theirs[i].at(key)) << where;
    expect_number(ours[i].at("mean_difference"), theirs[i].at("mean_difference"), where);
    expect_number(ours[i].at("p"), theirs[i].at("p"), where);
    expect_number(ours[i].at("p_holm"), theirs[i].at("p_holm"), where);
  }
}

}  // namespace
