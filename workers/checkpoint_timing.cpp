// The arithmetic of a training's pace.
#include "workers/checkpoint_timing.hpp"

#include <algorithm>

namespace workers {
namespace {

constexpr std::int64_t kStepsToKnow = 20;
constexpr Seconds kSecondsToKnow{5};
constexpr Seconds kLastMinute{60};
constexpr Seconds kLastEvaluation{5};  // of all test rows
constexpr Seconds kMargin{20};         // for what no pace tells: an evaluation, a slow disk
constexpr double kSlowdown = 1.1;      // of the pace so far

}  // namespace

CheckpointTiming::CheckpointTiming(Seconds every, bool has_checkpoint, Seconds now)
    : every_(every), start_(now), last_(now), has_checkpoint_(has_checkpoint) {}

void CheckpointTiming::ask_to_make_way(std::optional<Seconds> seconds_left, Seconds now) {
  asked_ = true;
  if (seconds_left) end_ = now + *seconds_left;
}

void CheckpointTiming::at_boundary(std::int64_t steps, std::int64_t all, Seconds now) {
  if (first_ < 0) {
    first_ = steps;
    first_at_ = now;
  }
  made_ = steps - first_;
  left_ = all - steps;
  last_at_ = now;
}

bool CheckpointTiming::makes_way(Seconds now) const {
  if (!asked_ || first_ < 0 || (not_before_ && now < *not_before_)) return false;
  const bool last_minute = end_ && *end_ - now <= kLastMinute;
  if (left_ == 0) return end_ && *end_ - now <= kLastEvaluation;
  const Seconds training = last_at_ - first_at_ - writing_;  // evaluations included
  const bool known = made_ >= kStepsToKnow || (made_ > 0 && training >= kSecondsToKnow);
  if (!known) return last_minute || (!end_ && has_checkpoint_);
  const Seconds still = training / static_cast<double>(made_) * static_cast<double>(left_);
  if (end_) return now + still * kSlowdown + kMargin + 2 * last_writing_ > *end_;
  return still > last_writing_ && (has_checkpoint_ || now - start_ + still > every_);
}

void CheckpointTiming::wrote(Seconds began, Seconds now) {
  has_checkpoint_ = true;
  last_ = now;
  last_writing_ = now - began;
  writing_ += last_writing_;
}

void CheckpointTiming::failed_to_write(Seconds now) {
  last_ = now;
  not_before_ = now + std::min(every_, kLastMinute);
}

}  // namespace workers
