// The one-cycle schedule of learning rate and beta1 (method.md section 5), in doubles. Pure arithmetic, no LibTorch.
#pragma once

#include <cstdint>

namespace plume {

struct OneCyclePoint {
  double learning_rate = 0;
  double beta1 = 0;
};

/// What step `step` (0 <= step < total_steps) of `total_steps` uses, with a cosine rise over 30 % of the steps from
/// max/25 to max and a cosine fall to max/250000; beta1 goes 0.95 -> 0.85 -> 0.95. The peak lies at step 0.3
/// total_steps - 1, which is not rounded.
OneCyclePoint one_cycle(double max_learning_rate, std::int64_t total_steps, std::int64_t step);

}  // namespace plume
