// The range test, in the order of operations that gives Lightning's doubles.
#include "plume/range_test.hpp"

#include <algorithm>
#include <cmath>

namespace plume {
namespace {

constexpr double kLowestRate = 1e-8;
constexpr double kHighestRate = 1;
constexpr double kBeta = 0.98;
constexpr double kStopFactor = 4;
constexpr std::size_t kSkippedFirst = 10;
constexpr std::size_t kSkippedLast = 1;

std::vector<double> usable_losses(const std::vector<double>& recorded) {
  std::vector<double> losses;
  for (std::size_t i = kSkippedFirst; i + kSkippedLast < recorded.size(); ++i) {
    if (std::isfinite(recorded[i])) losses.push_back(recorded[i]);
  }
  return losses;
}

/// numpy.gradient with unit spacing.
double difference_at(const std::vector<double>& values, std::size_t i) {
  if (i == 0) return values[1] - values[0];
  if (i + 1 == values.size()) return values[i] - values[i - 1];
  return (values[i + 1] - values[i - 1]) / 2;
}

}  // namespace

double RangeTest::learning_rate(int k) {
  if (k == 0) return kLowestRate;
  return kLowestRate * std::pow(kHighestRate / kLowestRate, (k + 1) / static_cast<double>(kMostSteps));
}

bool RangeTest::record(double loss) {
  const auto k = static_cast<double>(recorded_.size());
  average_ = kBeta * average_ + (1 - kBeta) * loss;
  const double smoothed = average_ / (1 - std::pow(kBeta, k + 2));
  const bool is_first = recorded_.empty();
  recorded_.push_back(smoothed);
  if (!is_first && smoothed > kStopFactor * best_) return false;
  if (is_first || smoothed < best_) best_ = smoothed;
  return recorded_.size() < kMostSteps;
}

std::size_t RangeTest::usable(const std::vector<double>& recorded) {
  return usable_losses(recorded).size();
}

std::optional<RangeTest::Suggestion> RangeTest::suggest(const std::vector<double>& recorded) {
  const std::vector<double> losses = usable_losses(recorded);
  if (losses.size() < 2) return std::nullopt;
  std::size_t steepest = 0;
  for (std::size_t i = 1; i < losses.size(); ++i) {
    if (difference_at(losses, i) < difference_at(losses, steepest)) steepest = i;
  }
  const std::size_t index = steepest + kSkippedFirst;
  return Suggestion{index, learning_rate(static_cast<int>(index))};
}

}  // namespace plume
