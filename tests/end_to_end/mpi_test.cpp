// The same program under mpirun: rank 0 coordinates, the others are workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
