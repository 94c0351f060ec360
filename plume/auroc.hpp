// The area under the ROC curve by ranks, exact in integers, and its standard error. No LibTorch.
#pragma once

#include <optional>
#include <vector>

namespace plume {

/// (2 wins + ties) / (2 P Q): the share of (positive, negative) pairs that the positive wins, ties counting a half.
/// Higher scores mean positive. Absent where a class is absent. Scores must not be NaN; sizes must agree. Counts are
/// 64-bit: 2 P Q < 2^53 is exact. Example: positives {1, 0.5}, negatives {0.5, 0}: 3 wins, 1 tie -> 0.875.
std::optional<double> auroc(const std::vector<double>& scores, const std::vector<bool>& positive);

/// Standard error of the AUROC by DeLong's method (DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988): each row's
/// share of the rows of the other class that it wins, ties counting a half, by mid-ranks in O(n log n); the square root
/// of var(positives) / P + var(negatives) / Q with ddof = 1. 0 where the classes are separated. Absent where a class
/// has fewer than two rows. Example: positives {3, 1} win {1, 1/2}, negatives {2, 0} lose {1/2, 1}: both variances
/// 1/8, so sqrt(1/8).
std::optional<double> auroc_std_error(const std::vector<double>& scores, const std::vector<bool>& positive);

}  // namespace plume
