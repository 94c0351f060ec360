// The same program under mpirun: rank 0 coordinates, the others are workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <sstream>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void write_sweep(const TemporaryFolder& folder) {
  write_text(folder / "sweep.json", R"({"version": 1, "name": "small",
    "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 24, "test_per_class": 12}},
    "blocks": [
      {"dataset": "synthetic", "backbone": "efficientnet-lite0", "lr": 0.001, "dimension": 96, "batch_size": 8, "epochs": 2, "seeds": 2, "perturbation": "linear-map", "guidance": "full", "lambda": 5},
      {"dataset": "synthetic", "backbone": "efficientnet-lite0", "method": "knn"}]})");
}

std::vector<std::string> arguments(const TemporaryFolder& folder, const std::string& out) {
  return {"run",       "sweep.json",
          "--out",     out,
          "--threads", "1",
          "--cache",   (folder / "cache").string(),
          "--weights", "efficientnet-lite0=" + real_weights().string()};
}

std::string table(const TemporaryFolder& folder, const std::string& out) {
  return read_text(folder / (out + "/report/tables/synthetic.csv"));
}

TEST(MpiRun, GivesTheTableOfARunWithoutMpiAndASecondCallDoesNoWork) {
  const TemporaryFolder folder;
  write_sweep(folder);
  const auto alone = run_program(arguments(folder, "alone"), folder.path());
  ASSERT_EQ(alone.status, 0) << alone.errors;
  const auto ranks = Running(under_mpirun(3, arguments(folder, "ranks")), folder.path()).wait();
  ASSERT_EQ(ranks.status, 0) << ranks.errors;
  const auto log = read_text(folder / "ranks/logs/run.log");
  EXPECT_THAT(log, AllOf(HasSubstr("worker 1: host"), HasSubstr("worker 2: host"))) << "a world of three";
  EXPECT_EQ(table(folder, "ranks"), table(folder, "alone"));

  const auto again = Running(under_mpirun(3, arguments(folder, "ranks")), folder.path()).wait();
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(again.output, ranks.output);
}

pid_t process_of_rank(pid_t mpirun, int rank) {
  for (const pid_t child : children_of(mpirun)) {
    const auto variables = read_text("/proc/" + std::to_string(child) + "/environ");
    if (variables.find("OMPI_COMM_WORLD_RANK=" + std::to_string(rank) + '\0') != std::string::npos) return child;
  }
  return -1;
}

/// User time of a process, in clock ticks.
long cpu_ticks(pid_t pid) {
  const auto stat = read_text("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string field;
  for (int i = 3; i <= 14; ++i) fields >> field;
  return std::stol(field);
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(MpiRun, AResultOfAWorkerThatWasGivenUpIsKeptAsEvidenceAndTheWorkerComesBack) {
  const TemporaryFolder folder;
  write_text(folder / "sweep.json", R"({"version": 1, "name": "small",
    "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 96, "test_per_class": 12}},
    "blocks": [{"dataset": "synthetic", "classes": ["ring"], "backbone": "efficientnet-lite0", "lr": 0.001,
      "dimension": 384, "batch_size": 8, "epochs": 25, "seeds": 7, "perturbation": "linear-map", "guidance": "full", "lambda": 5}]})");
  // Features are in the cache after this.
  ASSERT_EQ(run_program(arguments(folder, "alone"), folder.path()).status, 0);
  auto words = arguments(folder, "ranks");
  words.insert(words.end(), {"--heartbeat-deadline", "1"});
  Running run(under_mpirun(3, words), folder.path());
  const auto log = [&] { return read_text(folder / "ranks/logs/run.log"); };
  const auto logged = [&](const std::string& line) { return log().find(line) != std::string::npos; };
  const auto has_a_log = [&] { return std::filesystem::exists(folder / "ranks/logs/run.log"); };
  // Its second job: by then it has a trainer that is given a task at once.
  ASSERT_TRUE(run.until([&] { return has_a_log() && count_of(log(), "worker 1 starts") == 2; }));
  const pid_t worker = process_of_rank(run.pid(), 1);
  ASSERT_GT(worker, 0);
  const auto trainers = children_of(worker);
  ASSERT_EQ(trainers.size(), 1U);
  const auto before = cpu_ticks(trainers[0]);
  ASSERT_TRUE(run.until([&] { return cpu_ticks(trainers[0]) > before + 20; }));
  kill(worker, SIGSTOP);  // its trainer works on
  ASSERT_TRUE(run.until([&] { return logged("is gone: no sign of life"); }));
  const auto finished = count_of(log(), "worker 2 finished");
  // Longer than its own job took.
  ASSERT_TRUE(run.until([&] { return count_of(log(), "worker 2 finished") >= finished + 2; }));
  kill(worker, SIGCONT);
  const auto ended = run.wait();

  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(log(), HasSubstr("a result of attempt 1 from worker 1"));
  EXPECT_THAT(log(), HasSubstr("came too late"));
  EXPECT_EQ(count_of(log(), "worker 1: host"), 2U) << "it greeted again";
  EXPECT_EQ(log().find("differs from the committed one"), std::string::npos);
  ASSERT_TRUE(std::filesystem::exists(folder / "ranks/attempts"));
  std::size_t kept = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder / "ranks/attempts")) {
    kept += each.path().filename() == "late-result.json" ? 1 : 0;
  }
  EXPECT_EQ(kept, 1U);
  EXPECT_EQ(count_of(read_text(folder / "ranks/journal.jsonl"), "\"type\":\"done\""), 7U) << "each job once";
  EXPECT_EQ(table(folder, "ranks"), table(folder, "alone"));
}

TEST(MpiRun, AMistakeIsSaidOnceAndAllRanksLeave) {
  const TemporaryFolder folder;
  write_text(folder / "sweep.json", R"({"version": 1, "name": "small", "blocs": []})");
  const auto ended = Running(under_mpirun(3, arguments(folder, "out")), folder.path()).wait(std::chrono::seconds(60));
  EXPECT_EQ(ended.status, 2);
  const auto first = ended.errors.find("blocs");
  EXPECT_NE(first, std::string::npos) << ended.errors;
  EXPECT_EQ(ended.errors.find("plume-bench: ", ended.errors.find("plume-bench: ") + 1), std::string::npos)
      << ended.errors;
}

TEST(MpiRun, WorkersIsRefusedBecauseRanksAreTheWorkers) {
  const TemporaryFolder folder;
  write_sweep(folder);
  auto with_workers = arguments(folder, "out");
  with_workers.insert(with_workers.end(), {"--workers", "2"});
  const auto ended = Running(under_mpirun(2, with_workers), folder.path()).wait(std::chrono::seconds(60));
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.errors, HasSubstr("--workers"));
}

}  // namespace
}  // namespace tests
