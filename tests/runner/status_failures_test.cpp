// What failed, a job at a time: which jobs are named, in which order, and what became of them.
#include "runner/status_failures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runner/run_pictures.hpp"

namespace runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<FailureView> failures(const MadeUpRun& run) {
  return failures_of(run.picture(), JobStates(run.picture()), 100).first;
}

/// "given up 3x: hung: no step", by job.
std::vector<std::string> in_words(const MadeUpRun& run) {
  std::vector<std::string> words;
  for (const auto& f : failures(run)) {
    const auto job = f.key.empty() ? f.name : f.key == run.key(0).hex ? "0" : f.key == run.key(1).hex ? "1" : "2";
    words.push_back(job + " " + fate_of(f) + " " + std::to_string(f.tries) + "x: " + f.cause + ": " + f.message);
  }
  return words;
}

void try_and_fail(MadeUpRun& run, std::size_t job, int attempt, const std::string& cause, const std::string& message) {
  run.start(job, attempt);
  run.end(job, attempt, cause, message);
}

TEST(Failures, AreARowForEachJobWithItsLatestCauseAndHowManyTriesFailed) {
  MadeUpRun run;
  run.at_work();
  try_and_fail(run, 0, 1, "hung", "no step");
  try_and_fail(run, 0, 2, "signal", "killed by SIGSEGV");
  EXPECT_THAT(in_words(run), ElementsAre("0 tried again 2x: signal: killed by SIGSEGV"));
}

TEST(Failures, BeginWithThoseGivenUpAndEndWithThoseDoneMeanwhile) {
  MadeUpRun run;
  auto& status = run.at_work();
  try_and_fail(run, 0, 1, "hung", "a");
  run.start(0, 2);
  run.finish(0, 2);
  try_and_fail(run, 1, 1, "hung", "b");
  run.start(2, 1);
  run.fail(2, "exception", "c");
  status.failures = {{status.written, "pets/dog", run.key(1).hex, 1, "hung", "b", "worker 1", false},
                     {status.written - 5, "pets/cat", run.key(0).hex, 1, "hung", "a", "worker 1", false}};
  EXPECT_THAT(in_words(run),
              ElementsAre("2 given up 1x: exception: c", "1 tried again 1x: hung: b", "0 done meanwhile 1x: hung: a"));
  EXPECT_EQ(failures(run)[1].time, status.written);
  run.ended(3);
  EXPECT_EQ(failures(run).size(), 2U) << "what was mended is no news of a run that has ended";
}

TEST(Failures, SayOfAJobOnAWorkerThatItRunsAgain) {
  MadeUpRun run;
  run.at_work();
  try_and_fail(run, 0, 1, "hung", "a");
  run.start(0, 2);
  run.put_to_work(0, 2);
  EXPECT_THAT(in_words(run), ElementsAre("0 runs again 1x: hung: a"));
}

TEST(Failures, AreNoTriesThatMadeWayNorResultsThatWereTakenBack) {
  MadeUpRun run;
  run.at_work();
  try_and_fail(run, 0, 1, "drained", "given back");
  try_and_fail(run, 1, 1, std::string(results::kRedo), "its feature sets have changed");
  EXPECT_THAT(in_words(run), IsEmpty());
}

TEST(Failures, AreNoTriesThatEndedWithTheirRunOrWorkerOnceTheJobHasGoneOn) {
  MadeUpRun run;
  auto& status = run.at_work();
  const std::string lost = "worker-lost";
  for (std::size_t job = 0; job < 3; ++job) try_and_fail(run, job, 1, lost, "the run ended while it was at it");
  EXPECT_EQ(failures(run).size(), 3U) << "nothing has gone on yet";
  run.start(0, 2);
  try_and_fail(run, 1, 2, "drained", "given back");
  run.finish(2, 2);
  for (std::size_t job = 0; job < 3; ++job)
    status.failures.push_back({status.written, "pets", run.key(job).hex, 1, lost, "gone", "worker 1", false});
  EXPECT_THAT(in_words(run), IsEmpty());
}

TEST(Failures, OfFeaturesAreKnownFromTheStatusAlone) {
  MadeUpRun run;
  auto& status = run.at_work(RunPhase::extracting);
  status.features = {{"pets", "resnet50", 10, 0, false, ""}};
  status.failures = {{status.written, "rows of pets", "", 2, "signal", "b", "worker 1", false},
                     {status.written - 5, "rows of pets", "", 1, "hung", "a", "worker 1", false}};
  EXPECT_THAT(in_words(run), ElementsAre("rows of pets tried again 2x: signal: b"));
  status.features[0].ready = true;
  EXPECT_THAT(in_words(run), ElementsAre("rows of pets done meanwhile 2x: signal: b"));
}

TEST(Failures, BeyondThoseAskedForAreCounted) {
  MadeUpRun run;
  run.at_work();
  for (std::size_t job = 0; job < 3; ++job) try_and_fail(run, job, 1, "hung", "a");
  const auto list = failures_of(run.picture(), JobStates(run.picture()), 2);
  EXPECT_EQ(list.first.size(), 2U);
  EXPECT_EQ(list.rest, 1U);
}

}  // namespace
}  // namespace runner
