// Where a detector would draw the line: a threshold on the training scores, and what it does to each class of the test
// split (method.md section 5; the paper's per-class "precision" figure). No LibTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace plume {

struct Threshold {
  float sigmoid = 0;  ///< a row is accepted as normal if the float32 sigmoid of its logit is strictly above it
  float logit = 0;    ///< the logit at that rank
};

/// The k-th smallest float32 sigmoid of the training rows' logits [n >= 1], k = ceil(n / 10) in integers. Logits are
/// finite and hold float32 values.
Threshold threshold_of(const std::vector<double>& training_logits);

/// Whether a row of that logit is accepted as normal: its float32 sigmoid is strictly above the threshold's.
bool is_accepted(float threshold_sigmoid, double logit);

/// A threshold on the sigmoid, in [0, 1], in the unit of logits: the highest float32 logit that is not accepted, so
/// that a logit above it is and one up to it is not. inf where none is accepted, as with a threshold of 1.
/// 0.5 -> 0, or next to it: several logits share one float32 sigmoid.
float highest_rejected_logit(float threshold_sigmoid);

/// For each class 0 .. class_count - 1 the share of its rows on the right side of the threshold: accepted rows for a
/// normal class, the others for any other class (a sigmoid equal to the threshold is an anomaly). Absent for a class
/// without rows. `classes` [m] are class indices.
std::vector<std::optional<double>> shares_on_the_right_side(const Threshold& threshold,
                                                            const std::vector<double>& test_logits,
                                                            const std::vector<int>& classes,
                                                            const std::vector<int>& normal_classes,
                                                            std::size_t class_count);

}  // namespace plume
