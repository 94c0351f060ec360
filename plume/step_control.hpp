// What a training keeps in a device's memory so that one captured step serves for all: where it is, what the schedule
// says there, whether its loss was finite. Plain arithmetic, no LibTorch: CPU and GPU compile it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "plume/adamw_step.hpp"
#include "sweeps/on_both.hpp"

namespace plume {

/// Of one batch, as the device reads it.
struct SchedulePoint {
  double learning_rate;
  double beta1;
};

/// total, classification, noise, kl, guidance: as results::LossTerms has them.
inline constexpr int kLossTerms = 5;

/// What becomes of the batches after one whose loss is not finite. That one changes no parameter either way.
enum class AfterBadLoss : std::int64_t { stop, go_on };

struct StepControl {
  std::int64_t epoch = 0;       ///< under way, from 0
  std::int64_t batch = 0;       ///< of the epoch, under way
  std::int64_t updates = 0;     ///< made since the training began
  std::int64_t first_bad = -1;  ///< batch of the epoch, the first whose loss was not finite; -1: none
  AfterBadLoss after_bad = AfterBadLoss::stop;
  std::int64_t is_updated = 0;  ///< 1: the batch under way changes the parameters
  AdamWStep adamw = {};         ///< with these numbers
};
/// It lies in a tensor of words.
inline constexpr std::int64_t kControlWords = sizeof(StepControl) / sizeof(std::int64_t);
inline constexpr std::int64_t kBatchWord = 1;
static_assert(sizeof(StepControl) % sizeof(std::int64_t) == 0);
static_assert(offsetof(StepControl, batch) == kBatchWord * sizeof(std::int64_t));

/// After the forward pass of a batch with `losses` [5]: notes them in its row of `kept` [batches, 5] and decides what
/// its update does, by its point of `schedule` [batches].
PLUME_ON_BOTH inline void decide(StepControl& control, const float* losses, const SchedulePoint* schedule,
                                 double weight_decay, double* kept) {
  for (int i = 0; i < kLossTerms; ++i) kept[control.batch * kLossTerms + i] = static_cast<double>(losses[i]);
  const bool is_finite = std::isfinite(losses[0]);
  if (!is_finite && control.first_bad < 0) control.first_bad = control.batch;
  const bool is_stopped = control.after_bad == AfterBadLoss::stop && control.first_bad >= 0;
  control.is_updated = is_finite && !is_stopped ? 1 : 0;
  if (control.is_updated == 0) return;
  ++control.updates;
  const SchedulePoint point = schedule[control.batch];
  control.adamw = adamw_step(point.learning_rate, point.beta1, weight_decay, static_cast<double>(control.updates));
}

}  // namespace plume
