// Whether a run lives, judged from what it has written: pure, so that any case can be tested. The files may be those of
// another machine, whose processes nobody here can ask and whose clock may be another.
#pragma once

#include <optional>
#include <string>

#include "runner/lock.hpp"
#include "runner/status_file.hpp"

namespace runner {

enum class Life {
  not_started,  ///< nothing has run here
  working,
  silent,  ///< it may have stopped or its disk may hang: it has not written for a while, and nothing says that it ended
  died,    ///< ended without a word
  ended,   ///< said how
  unknown,  ///< there are results, and nothing says how the last run ended
};

/// What is known at a moment.
struct Signs {
  std::optional<RunStatus> status;
  std::optional<LockHolder> lock;
  bool has_results = false;  ///< run.json or a journal is there
  /// The batch script has seen the end of the run that wrote the status: it asked `chain`, and no run has written
  /// since.
  bool end_was_seen = false;
  /// Of the process that holds the lock or, without a lock, of the one that wrote the status.
  Verdict process = Verdict::unknown;
  std::int64_t now = 0;          ///< by our clock
  double unchanged_seconds = 0;  ///< how long somebody has looked at status and lock without seeing either change
  bool change_seen = false;      ///< he saw one change before: then clocks need not be believed
};

struct LifeVerdict {
  Life life = Life::not_started;
  double silent_seconds = 0;      ///< silent, died: since the last sign of life, as far as known
  bool by_another_clock = false;  ///< the seconds are the difference of two machines' clocks
  double ahead_seconds = 0;       ///< by how much the clock that wrote last is ahead of ours, where it clearly is
};

/// Another machine's run is given up after this long without a change, as the lock is.
inline constexpr double kSilentSeconds = 30;

/// Clocks that differ by less are taken to agree.
inline constexpr double kClocksAgreeSeconds = 60;

LifeVerdict judge_life(const Signs& signs);

}  // namespace runner
