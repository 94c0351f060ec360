// Ledgers of several directories as one.
#include "results/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "storage/error.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::Done;
using results::Failed;
using results::JobResult;
using results::Mixed;
using results::Source;
using samples::done;
using samples::finished;
using samples::training;
using testing::HasSubstr;
using testing::Not;

Source source(const std::string& name, std::initializer_list<results::Entry> entries) {
  Source made{name, {}};
  for (const auto& entry : entries) made.ledger.apply(entry);
  return made;
}

const sweeps::Job kCat = training("cat", 0);
const sweeps::JobKey kCatKey = sweeps::key_of(kCat);

std::string refusal_of(const JobResult& one, const JobResult& other) {
  try {
    merge({source("a", {done(kCat, one)}), source("b", {done(kCat, other)})}, Mixed::refused);
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Merge, HasTheJobsOfAll) {
  const auto merged =
      merge({source("a", {done(kCat, finished({0.5}))}), source("b", {done(training("cat", 1), finished({0.75}))})},
            Mixed::refused);
  EXPECT_EQ(merged.ledger.done.size(), 2U);
  EXPECT_TRUE(merged.contested.empty());
}

TEST(Merge, CountsEqualResultsOnceWhoeverRanThemWhenever) {
  JobResult result = samples::diverged(1);
  result.epochs = finished({0.5}).epochs;
  result.epochs[0].losses = results::LossTerms{std::nan(""), 1, 2, 3, 4};
  Done one = done(kCat, result), other = done(kCat, result);
  other.attempt = 3;
  other.timing = {99, "elsewhere", "2026-11-28T00:00:00Z"};
  const auto merged = merge({source("a", {one}), source("b", {other})}, Mixed::refused);
  EXPECT_EQ(merged.ledger.done.size(), 1U);
  EXPECT_TRUE(merged.contested.empty());
}

TEST(Merge, RefusesResultsThatDifferAndNamesJobDirectoriesAndWhatDiffers) {
  JobResult other = finished({0.5});
  other.device = "cuda";
  other.threads = 8;
  EXPECT_EQ(
      refusal_of(finished({0.5}), other),
      "cifar10/cat linear-map+full dimension 384 lambda 5 seed 0: its results in a and in b differ: device cpu and "
      "cuda, threads 1 and 8; leave out one of the two, or give --allow-mixed, which counts the first");
  other = finished({0.5});
  other.test.checksum = "3333";
  EXPECT_THAT(refusal_of(finished({0.5}), other), HasSubstr("test feature set's checksum 2222 and 3333"));
}

TEST(Merge, SaysWhenResultsShouldHaveBeenEqual) {
  const std::string broken = "although device, threads and rows are the same, which should give the same bits";
  EXPECT_THAT(refusal_of(finished({0.5, 0.75}), finished({0.5, std::nextafter(0.75, 1)})),
              HasSubstr("differ: the record of epoch 1, " + broken));
  EXPECT_THAT(refusal_of(finished({0.5, 0.75}), finished({0.5})), HasSubstr("2 and 1 epochs, " + broken));
  EXPECT_THAT(refusal_of(finished({}), samples::diverged(0)), HasSubstr("outcome finished and diverged, " + broken));
  JobResult other = finished({0.5});
  other.found_learning_rate = 0.1;
  EXPECT_THAT(refusal_of(finished({0.5}), other), HasSubstr("what they record, " + broken));
}

TEST(Merge, TakesTheFirstDirectorysResultWhereMixingIsAllowed) {
  JobResult other = finished({0.75});
  other.device = "cuda";
  const Source a = source("a", {done(kCat, finished({0.5}))}), b = source("b", {done(kCat, other)}), c{"c", b.ledger};
  const auto merged = merge({a, b, c}, Mixed::allowed);
  EXPECT_EQ(merged.ledger.done.at(kCatKey).result.device, "cpu");
  ASSERT_EQ(merged.contested.size(), 1U) << "a job counts once, however many differ";
  EXPECT_EQ(merged.contested[0].key, kCatKey);
  EXPECT_THAT(merged.contested[0].message, HasSubstr("in a and in b differ: device cpu and cuda"));
  EXPECT_EQ(merge({b, a}, Mixed::allowed).ledger.done.at(kCatKey).result.device, "cuda");
}

TEST(Merge, SeesThatTheEngineVersionDiffers) {
  Done old = done(kCat, finished({0.5}));
  old.engine_version = 3;
  const auto merged = merge({source("a", {old}), source("b", {done(kCat, finished({0.5}))})}, Mixed::allowed);
  ASSERT_EQ(merged.contested.size(), 1U);
  EXPECT_THAT(merged.contested[0].message, HasSubstr("engine version 3 and 6"));
}

TEST(Merge, OfAFailedAndADoneJobIsDoneInEitherOrder) {
  const Source failed = source("a", {Failed{kCat, 2, "oom", "killed"}});
  const Source good = source("b", {done(kCat, finished({0.5}))});
  for (const auto& merged : {merge({failed, good}, Mixed::refused), merge({good, failed}, Mixed::refused)}) {
    EXPECT_TRUE(merged.ledger.done.contains(kCatKey));
    EXPECT_TRUE(merged.ledger.failed.empty());
  }
}

TEST(Merge, OfTwoFailuresTakesTheSameInEitherOrder) {
  const Source a = source("a", {Failed{kCat, 2, "oom", "killed"}}), b = source("b", {Failed{kCat, 2, "hung", "slow"}});
  EXPECT_EQ(merge({a, b}, Mixed::refused).ledger.failed.at(kCatKey).cause, "hung");
  EXPECT_EQ(merge({b, a}, Mixed::refused).ledger.failed.at(kCatKey).cause, "hung");
}

TEST(Merge, KeepsTheNotesOfEachDirectoryAndSaysWhose) {
  const auto a = source("a", {results::Note{"one"}}), b = source("b", {results::Note{"two"}, results::Note{"three"}});
  EXPECT_EQ(merge({a, b}, Mixed::refused).ledger.notes, (std::vector<std::string>{"a: one", "b: two", "b: three"}));
  EXPECT_EQ(merge({a}, Mixed::refused).ledger.notes, (std::vector<std::string>{"one"}));
}

}  // namespace
