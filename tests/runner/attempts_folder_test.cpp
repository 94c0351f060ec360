// What is left of tries that did not count, as files.
#include "runner/attempts_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/json.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

results::Done late_result(int attempt) {
  results::Done done;
  done.job.dataset = "cifar10";
  done.job.normal_class = "cat";
  done.job.method = sweeps::Method::knn;
  done.job = sweeps::normalised(done.job);
  done.attempt = attempt;
  done.result.device = "cpu";
  done.result.threads = 1;
  return done;
}

TEST(AttemptsFolder, HasAFolderForEachAttemptOfAJob) {
  EXPECT_EQ(attempt_folder("out", {"0123"}, 2), "out/attempts/0123-2");
}

TEST(AttemptsFolder, KeepsStandardErrorAsItWas) {
  const tests::TemporaryFolder folder;
  const auto file = keep_standard_error(folder.path(), {"0123"}, 2, "a line\nhalf");
  EXPECT_EQ(file, folder / "attempts/0123-2/stderr.txt");
  EXPECT_EQ(tests::read_text(file), "a line\nhalf");
}

TEST(AttemptsFolder, KeepsALateResultWithTheReasonAndNeverReplacesOne) {
  const tests::TemporaryFolder folder;
  const auto late = late_result(1);
  const auto first = keep_late_result(folder.path(), late, "worker 3 (node7)", "attempt 1 is over; attempt 2 runs");
  const auto second = keep_late_result(folder.path(), late, "worker 3 (node7)", "the task is committed already");
  EXPECT_EQ(first.filename(), "late-result.json");
  EXPECT_EQ(second.filename(), "late-result-2.json");
  EXPECT_EQ(first.parent_path().filename(), sweeps::key_of(late.job).hex + "-1");
  const auto read = storage::read_json(first, storage::Blame::run);
  EXPECT_EQ(read.at("why").string(), "attempt 1 is over; attempt 2 runs");
  EXPECT_EQ(read.at("worker").string(), "worker 3 (node7)");
  EXPECT_EQ(read.at("line").at("attempt").integer(), 1);
  EXPECT_EQ(read.at("line").at("key").string(), sweeps::key_of(late.job).hex);
}

TEST(AttemptsFolder, DoesNotEndARunThatCannotWriteIt) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "attempts", "a file in the way");
  EXPECT_EQ(keep_standard_error(folder.path(), {"0123"}, 1, "x"), "");
  EXPECT_EQ(keep_late_result(folder.path(), late_result(1), "worker 1", "late"), "");
}

TEST(TwoResultsOfAJob, ContradictEachOtherWhereAllThatTheyMayDependOnIsTheSame) {
  const ComputedResult one{late_result(1).result, "AMD EPYC, AVX2"};
  EXPECT_FALSE(contradict(one, one));
  ComputedResult other = one;
  other.result.train_rows = 7;
  EXPECT_TRUE(contradict(one, other));
}

TEST(TwoResultsOfAJob, MayDifferByDeviceThreadsAndKindOfProcessor) {
  const ComputedResult one{late_result(1).result, "AMD EPYC, AVX2"};
  ComputedResult other = one;
  other.result.train_rows = 7;
  ComputedResult on_a_gpu = other, of_two_threads = other, of_another_processor = other;
  on_a_gpu.result.device = "cuda";
  of_two_threads.result.threads = 2;
  of_another_processor.processor = "AMD EPYC, AVX-512";
  for (const auto& each : {on_a_gpu, of_two_threads, of_another_processor}) EXPECT_FALSE(contradict(one, each));
}

}  // namespace
}  // namespace runner
