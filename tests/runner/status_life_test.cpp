// Whether a run lives, from each combination of signs.
#include "runner/status_life.hpp"

#include <gtest/gtest.h>

namespace runner {
namespace {

constexpr std::int64_t kWritten = 1'700'000'000;

/// Of a run that holds the lock of host a and wrote its status `age` seconds ago.
Signs at_work(std::int64_t age, Verdict process) {
  Signs signs;
  RunStatus status;
  status.phase = RunPhase::training;
  status.host = "a";
  status.boot = "b";
  status.pid = 7;
  status.written = kWritten;
  signs.status = status;
  signs.lock = LockHolder{"a", "b", "nonce", 7, 0, 0};
  signs.has_results = true;
  signs.process = process;
  signs.now = kWritten + age;
  return signs;
}

TEST(LifeOfARun, ThatNeverBeganOrLeftOnlyResults) {
  EXPECT_EQ(judge_life({}).life, Life::not_started);
  Signs old;
  old.has_results = true;  // of a version without status.json
  EXPECT_EQ(judge_life(old).life, Life::unknown);
}

TEST(LifeOfARun, OnThisHostIsThatOfItsProcess) {
  EXPECT_EQ(judge_life(at_work(2, Verdict::alive)).life, Life::working);
  EXPECT_EQ(judge_life(at_work(2, Verdict::dead)).life, Life::died);
  const auto stopped = judge_life(at_work(240, Verdict::alive));
  EXPECT_EQ(stopped.life, Life::silent);
  EXPECT_EQ(stopped.silent_seconds, 240);
  EXPECT_FALSE(stopped.by_another_clock);
}

TEST(LifeOfARun, WhoseEndItsBatchScriptSawIsOverWithoutAWaitWhateverHostItWasOn) {
  auto signs = at_work(2, Verdict::unknown);
  signs.end_was_seen = true;
  EXPECT_EQ(judge_life(signs).life, Life::died);
  EXPECT_FALSE(judge_life(signs).by_another_clock);
  signs.lock->pid = 8;
  EXPECT_EQ(judge_life(signs).life, Life::working) << "the next run has begun, and has not written yet";
}

TEST(LifeOfARun, OnAnotherHostAtOneLookIsAMatterOfTwoClocks) {
  EXPECT_EQ(judge_life(at_work(2, Verdict::unknown)).life, Life::working);
  EXPECT_EQ(judge_life(at_work(-3600, Verdict::unknown)).life, Life::working) << "its clock is ahead of ours";
  const auto silent = judge_life(at_work(240, Verdict::unknown));
  EXPECT_EQ(silent.life, Life::silent);
  EXPECT_TRUE(silent.by_another_clock);
}

TEST(LifeOfARun, SaysByHowMuchTheClockThatWroteIsAheadOfOurs) {
  EXPECT_EQ(judge_life(at_work(-3600, Verdict::unknown)).ahead_seconds, 3600);
  EXPECT_EQ(judge_life(at_work(-60, Verdict::unknown)).ahead_seconds, 0) << "clocks that agree as well as most do";
  EXPECT_EQ(judge_life(at_work(3600, Verdict::unknown)).ahead_seconds, 0);
  auto ended = at_work(-86'400, Verdict::unknown);
  ended.status->phase = RunPhase::ended;
  EXPECT_EQ(judge_life(ended).ahead_seconds, 86'400);
}

TEST(LifeOfARun, OnAnotherHostIsSeenByAWatcherFromItsCounters) {
  auto signs = at_work(3600, Verdict::unknown);  // clocks an hour apart
  signs.change_seen = true;
  signs.unchanged_seconds = 1;
  EXPECT_EQ(judge_life(signs).life, Life::working);
  signs.unchanged_seconds = 31;
  EXPECT_EQ(judge_life(signs).life, Life::died);
  EXPECT_EQ(judge_life(signs).silent_seconds, 31);
  signs.change_seen = false;  // dead from the first look on
  EXPECT_EQ(judge_life(signs).life, Life::died);
}

TEST(LifeOfARun, ThatWritesRarelyIsGivenMoreTime) {
  auto signs = at_work(60, Verdict::unknown);
  signs.status->every_seconds = 20;
  EXPECT_EQ(judge_life(signs).life, Life::working);
}

TEST(LifeOfARun, ThatSaidHowItEndedIsOverUnlessAnotherHasBegun) {
  auto signs = at_work(5, Verdict::alive);
  signs.status->phase = RunPhase::ended;
  EXPECT_EQ(judge_life(signs).life, Life::ended) << "its process writes a last line, or ends";
  signs.lock->pid = 8;
  EXPECT_EQ(judge_life(signs).life, Life::working);
  signs.lock.reset();
  EXPECT_EQ(judge_life(signs).life, Life::ended);
}

TEST(LifeOfARun, WhoseLockIsGoneThoughItNeverSaidThatItEndedDied) {
  auto signs = at_work(5, Verdict::unknown);
  signs.lock.reset();
  EXPECT_EQ(judge_life(signs).life, Life::died);
}

}  // namespace
}  // namespace runner
