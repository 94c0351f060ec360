// Judges.
#include "runner/status_life.hpp"

#include <algorithm>

namespace runner {
namespace {

double since_written(const Signs& signs) {
  return signs.status ? std::max(0.0, static_cast<double>(signs.now - signs.status->written)) : 0;
}

/// The lock is another run's than the status: a run that has just begun, or one whose status cannot be written.
bool status_is_of_the_holder(const Signs& signs) {
  return signs.status && signs.lock && signs.status->host == signs.lock->host && signs.status->pid == signs.lock->pid &&
         signs.status->boot == signs.lock->boot;
}

LifeVerdict of_a_process_that_lives(const Signs& signs, double allowed) {
  if (!status_is_of_the_holder(signs)) return {Life::working};
  const double silent = since_written(signs);
  return silent > allowed ? LifeVerdict{Life::silent, silent, false} : LifeVerdict{Life::working, silent, false};
}

LifeVerdict of_another_host(const Signs& signs, double allowed) {
  if (signs.unchanged_seconds > allowed) {
    return {Life::died, signs.change_seen ? signs.unchanged_seconds : since_written(signs), !signs.change_seen};
  }
  if (signs.change_seen) return {Life::working, signs.unchanged_seconds, false};
  const double silent = since_written(signs);
  return {silent > allowed ? Life::silent : Life::working, silent, true};
}

LifeVerdict verdict_of(const Signs& signs) {
  const bool says_ended = signs.status && signs.status->phase == RunPhase::ended;
  const bool new_run = signs.lock && !status_is_of_the_holder(signs);
  if (says_ended && !new_run) return {Life::ended};
  if (signs.end_was_seen && signs.status && !new_run) return {Life::died, since_written(signs), false};
  if (!signs.lock) {
    if (signs.status)
      return {says_ended ? Life::ended : Life::died, since_written(signs), signs.process == Verdict::unknown};
    return {signs.has_results ? Life::unknown : Life::not_started};
  }
  // A run with very many workers writes less often.
  const double allowed = std::max(kSilentSeconds, signs.status ? 5 * signs.status->every_seconds : 0);
  if (signs.process == Verdict::dead) return {Life::died, since_written(signs), false};
  if (signs.process == Verdict::alive) return of_a_process_that_lives(signs, allowed);
  return of_another_host(signs, allowed);
}

}  // namespace

LifeVerdict judge_life(const Signs& signs) {
  auto verdict = verdict_of(signs);
  const auto ahead = signs.status ? static_cast<double>(signs.status->written - signs.now) : 0;
  if (ahead > kClocksAgreeSeconds) verdict.ahead_seconds = ahead;
  return verdict;
}

}  // namespace runner
