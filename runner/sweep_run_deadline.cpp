// How a run ends in time: nothing starts that cannot end before the deadline, a little before it the run drains, and at
// the deadline it gives up what still runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "runner/sweep_run_state.hpp"

namespace runner {
namespace {

std::int64_t unix_now() {
  return static_cast<std::int64_t>(std::time(nullptr));
}

}  // namespace

void SweepRun::State::learn_deadline() {
  auto found = find_deadline(options.deadline, real_deadline_sources());
  if (!found.trouble.empty()) warn(found.trouble);
  deadline = std::move(found.deadline);
  if (deadline) status.deadline = deadline->unix_seconds();
  if (deadline) margin = options.deadline_margin.value_or(deadline->usual_margin());
}

std::string SweepRun::State::deadline_in_words() const {
  return fmt::format("{}: this run ends by {}, in {}; what cannot end {} before is not started", deadline->who(),
                     deadline->utc(unix_now()), duration_text(deadline->seconds_left()), duration_text(margin));
}

void SweepRun::State::announce_deadline() {
  if (!deadline || open_jobs().empty()) return;
  const auto line = deadline_in_words();
  log->info(line);
  progress.message(line);
}

void SweepRun::State::watch_deadline() {
  if (!deadline) return;
  const double left = deadline->seconds_left();
  hand(TimeLeft{left - margin});
  if (left <= margin) {
    drain(fmt::format(
              "{} ends by {}: no new job starts, those that run may end until then, others make way with a checkpoint",
              deadline->who(), deadline->utc(unix_now())),
          std::max(0.0, left));
  }
  given_up = given_up || left <= 0;
}

/// From a signal to drain on; absent: nobody says.
std::optional<double> SweepRun::State::seconds_to_drain() const {
  auto seconds = options.drain_within;
  if (deadline) seconds = std::min(seconds.value_or(INFINITY), std::max(0.0, deadline->seconds_left()));
  return seconds;
}

/// "" where it was not for want of time that the run ended; else ends in "; ".
std::string SweepRun::State::why_too_late() const {
  const auto waiting = coordinator->postponed();
  if (!deadline || waiting.trainings + waiting.others == 0) return "";
  const double most = deadline->seconds_at_start() - margin;
  const auto hint = waiting.shortest_seconds <= most ? ""
                                                     : fmt::format(
                                                           " (more than the {} that this run had: give it more time, "
                                                           "or checkpoints with --checkpoint-every, or it never runs)",
                                                           duration_text(most));
  return fmt::format("{} ends at {}, in {} ({} kept free), and the shortest {} left takes about {}{}; ",
                     deadline->who(), deadline->utc(unix_now()), duration_text(deadline->seconds_left()),
                     duration_text(margin), waiting.trainings > 0 ? "job" : "part of the features",
                     duration_text(waiting.shortest_seconds), hint);
}

}  // namespace runner
