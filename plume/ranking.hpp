// How well scores rank a test split: average precision and FPR95 beside the AUROC (method.md section 5). No LibTorch.
#pragma once

#include <optional>
#include <vector>

#include "results/result.hpp"

namespace plume {

/// Average precision: the sum over distinct thresholds, from the highest score down, of (R_k - R_(k-1)) P_k, with rows
/// of one score taken together. Absent without a positive row. Scores must not be NaN; sizes must agree. Example:
/// positives {3, 1}, negatives {2}: 1/2 1 + 1/2 2/3 = 5/6.
std::optional<double> average_precision(const std::vector<double>& scores, const std::vector<bool>& positive);

/// FPR95: the smallest false-positive rate over thresholds whose true-positive rate is at least 0.95, without
/// interpolation. Absent where a class is absent. Example: positives {3, 1}, negatives {2, 0}: the threshold must go
/// down to 1, where one of two negatives is above it: 0.5.
std::optional<double> fpr95(const std::vector<double>& scores, const std::vector<bool>& positive);

/// All measures of scores [m], higher = more normal. Absent where the split has rows of one kind only: then none of
/// them says anything.
std::optional<results::Ranking> ranking_of(const std::vector<double>& scores, const std::vector<bool>& is_normal);

}  // namespace plume
