// Threshold and shares, in the float32 sigmoids that the released callback compares.
#include "plume/threshold.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include "storage/error.hpp"

namespace plume {
namespace {

float sigmoid(double logit) {
  return 1.0F / (1.0F + std::exp(-static_cast<float>(logit)));
}

/// Where a float32 number stands in the order of all: -0 and 0 at 0, the next above at 1, the next below at -1.
std::int64_t position_of(float number) {
  const auto bits = static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(std::abs(number)));
  return std::signbit(number) ? -bits : bits;
}

float number_at(std::int64_t position) {
  const auto magnitude = std::bit_cast<float>(static_cast<std::uint32_t>(std::abs(position)));
  return position < 0 ? -magnitude : magnitude;
}

}  // namespace

Threshold threshold_of(const std::vector<double>& training_logits) {
  if (training_logits.empty()) throw storage::Error("threshold: at least one training row is needed");
  std::vector<double> logits = training_logits;
  const std::size_t k = (logits.size() + 9) / 10;
  const auto at = logits.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(logits.begin(), at, logits.end());  // the sigmoid keeps the order
  return {sigmoid(*at), static_cast<float>(*at)};
}

bool is_accepted(float threshold_sigmoid, double logit) {
  return sigmoid(logit) > threshold_sigmoid;
}

float highest_rejected_logit(float threshold_sigmoid) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (!is_accepted(threshold_sigmoid, kInfinity)) return kInfinity;
  float rejected = -kInfinity, accepted = kInfinity;
  // Halves the float32 numbers between the two, of which there are 2^32, until none is left.
  for (float last = std::nextafter(accepted, rejected); last != rejected; last = std::nextafter(accepted, rejected)) {
    const float middle = number_at(position_of(rejected) + (position_of(accepted) - position_of(rejected)) / 2);
    (is_accepted(threshold_sigmoid, middle) ? accepted : rejected) = middle;
  }
  return rejected;
}

std::vector<std::optional<double>> shares_on_the_right_side(const Threshold& threshold,
                                                            const std::vector<double>& test_logits,
                                                            const std::vector<int>& classes,
                                                            const std::vector<int>& normal_classes,
                                                            std::size_t class_count) {
  if (classes.size() != test_logits.size()) throw storage::Error("threshold: as many classes as logits are needed");
  std::vector<std::int64_t> rows(class_count, 0), right(class_count, 0);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto c = static_cast<std::size_t>(classes[i]);
    const bool accepted = is_accepted(threshold.sigmoid, test_logits[i]);
    ++rows.at(c);
    const bool is_normal = std::find(normal_classes.begin(), normal_classes.end(), classes[i]) != normal_classes.end();
    if (accepted == is_normal) ++right[c];
  }
  std::vector<std::optional<double>> shares(class_count);
  for (std::size_t c = 0; c < class_count; ++c) {
    if (rows[c] > 0) shares[c] = static_cast<double>(right[c]) / static_cast<double>(rows[c]);
  }
  return shares;
}

}  // namespace plume
