// When a training writes a checkpoint, and whether one that is asked to make way does so or runs to its end. Pure: told
// the time and how far the training is.
#pragma once

#include <cstdint>
#include <optional>

#include "workers/supervisor.hpp"

namespace workers {

class CheckpointTiming {
 public:
  /// `every` above 0: of training since the start or the last checkpoint. `has_checkpoint`: the training began from
  /// one. `now`: its start.
  CheckpointTiming(Seconds every, bool has_checkpoint, Seconds now);

  /// Somebody wants the worker back. `seconds_left`: until it is taken away; absent: nobody knows.
  void ask_to_make_way(std::optional<Seconds> seconds_left, Seconds now);

  /// Between two steps; `steps` of `all` are made, those before this attempt included.
  void at_boundary(std::int64_t steps, std::int64_t all, Seconds now);

  bool is_due(Seconds now) const { return now - last_ >= every_; }
  /// Give the training back now, with a checkpoint, rather than run to its end:
  /// - its time is known to run out (seconds_left): unless it will be over before, by its own pace;
  /// - else: if it is long, i.e. has a checkpoint or is expected to take longer than `every` in all, and if to end it
  ///   takes longer than to write it.
  /// What cannot be told yet (fewer than 20 steps and less than 5 s) is waited for, but not in the last minute. When
  /// only the last evaluation is left, it runs to its end, unless less than 5 s are left; after a write that failed,
  /// for a while, too.
  bool makes_way(Seconds now) const;

  void wrote(Seconds began, Seconds now);  ///< a checkpoint, from `began` to `now`
  void failed_to_write(Seconds now);

 private:
  Seconds every_, start_, last_;
  bool has_checkpoint_;
  bool asked_ = false;
  std::optional<Seconds> end_;  ///< when its time runs out
  std::int64_t first_ = -1;     ///< steps at the first boundary
  std::int64_t made_ = 0;       ///< steps since then
  std::int64_t left_ = 0;
  Seconds first_at_{0}, last_at_{0};
  Seconds writing_{0};                 ///< all checkpoints of this attempt
  Seconds last_writing_{0};            ///< the last one
  std::optional<Seconds> not_before_;  ///< it makes no way until then
};

}  // namespace workers
