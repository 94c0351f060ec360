// The one-cycle schedule, in the order of operations that gives the reference's doubles bit for bit.
#include "plume/one_cycle.hpp"

#include <cmath>
#include <numbers>

namespace plume {
namespace {

constexpr double kRiseShare = 0.3;
constexpr double kDivFactor = 25;
constexpr double kFinalDivFactor = 1e4;
constexpr double kHighBeta1 = 0.95;
constexpr double kLowBeta1 = 0.85;

/// From a (q = 0) to b (q = 1) along half a cosine.
double cosine_between(double a, double b, double q) {
  return b + (a - b) / 2.0 * (std::cos(std::numbers::pi * q) + 1);
}

}  // namespace

OneCyclePoint one_cycle(double max_learning_rate, std::int64_t total_steps, std::int64_t step) {
  const double initial = max_learning_rate / kDivFactor;
  const double final = initial / kFinalDivFactor;
  const double peak = kRiseShare * static_cast<double>(total_steps) - 1;
  const double end = static_cast<double>(total_steps) - 1;
  const auto at = static_cast<double>(step);
  if (at <= peak) {
    const double q = at / peak;
    return {cosine_between(initial, max_learning_rate, q), cosine_between(kHighBeta1, kLowBeta1, q)};
  }
  const double q = (at - peak) / (end - peak);
  return {cosine_between(max_learning_rate, final, q), cosine_between(kLowBeta1, kHighBeta1, q)};
}

}  // namespace plume
