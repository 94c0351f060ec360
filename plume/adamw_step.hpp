// The numbers that a step of AdamW has in common for all parameters, and what it makes of one of them. Plain
// arithmetic, no LibTorch: CPU and GPU compile it.
#pragma once

#include <cmath>

#include "sweeps/on_both.hpp"

namespace plume {

inline constexpr double kAdamWBeta2 = 0.999;
inline constexpr double kAdamWEps = 1e-8;

/// One step of AdamW as at::_fused_adamw_ computes it (adamw.hpp), with all that depends on the step alone.
struct AdamWStep {
  float decay;            ///< 1 - lr wd
  float one_minus_beta1;  ///< of the current beta1
  float beta2;
  float one_minus_beta2;
  float step_size;   ///< lr / (1 - beta1^t)
  float root_scale;  ///< 1 / sqrt(1 - beta2^t)
  float eps;
};

/// Of step t, counted from 1. In doubles until the last: what LibTorch's kernel does with its scalars.
PLUME_ON_BOTH inline AdamWStep adamw_step(double learning_rate, double beta1, double weight_decay, double t) {
  return {static_cast<float>(1 - learning_rate * weight_decay),
          static_cast<float>(1 - beta1),
          static_cast<float>(kAdamWBeta2),
          static_cast<float>(1 - kAdamWBeta2),
          static_cast<float>(learning_rate / (1 - std::pow(beta1, t))),
          static_cast<float>(1 / std::sqrt(1 - std::pow(kAdamWBeta2, t))),
          static_cast<float>(kAdamWEps)};
}

/// One parameter p with gradient g and moments m and v, in place.
PLUME_ON_BOTH inline void adamw_update(const AdamWStep& step, float g, float& p, float& m, float& v) {
  m += step.one_minus_beta1 * (g - m);
  v = v * step.beta2 + step.one_minus_beta2 * g * g;
  p = p * step.decay - step.step_size * (m / (std::sqrt(v) * step.root_scale + step.eps));
}

}  // namespace plume
