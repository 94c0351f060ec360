// The area under the ROC curve by ranks, exact in integers. No LibTorch.
#pragma once

#include <optional>
#include <vector>

namespace plume {

/// (2 wins + ties) / (2 P Q): the share of (positive, negative) pairs that the positive wins, ties counting a half.
/// Higher scores mean positive. Absent where a class is absent. Scores must not be NaN; sizes must agree. Counts are
/// 64-bit: 2 P Q < 2^53 is exact. Example: positives {1, 0.5}, negatives {0.5, 0}: 3 wins, 1 tie -> 0.875.
std::optional<double> auroc(const std::vector<double>& scores, const std::vector<bool>& positive);

}  // namespace plume
