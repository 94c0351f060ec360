// Intervals and tests on plain numbers: Welch, Wilcoxon's signed-rank, Holm, and an AUROC's interval. Pure functions;
// they know no journal and no table. Nothing that is not finite comes out.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace results {

/// What a mean and its spread were made of.
struct Sample {
  double mean = 0;
  double std_dev = 0;  ///< ddof = 1
  std::size_t n = 0;
};

/// Of the difference of two means, at 95 %.
struct WelchInterval {
  double difference = 0;  ///< first - second
  double low = 0;
  double high = 0;
  /// Welch-Satterthwaite; absent where neither sample has a spread: the interval is then the difference alone.
  std::optional<double> degrees_of_freedom;
};
/// Welch's interval for unequal variances. Absent where either n < 2, a number is not finite, a standard deviation is
/// negative, or a bound would not be finite. Example: {1, 1, 2} and
/// {0, 1, 2}: 2 degrees of freedom, 1 +- 4.3027.
std::optional<WelchInterval> welch(const Sample& first, const Sample& second);

struct SignedRankTest {
  std::size_t n = 0;     ///< differences that are not zero
  double statistic = 0;  ///< sum of the ranks of the positive ones; ties have mid-ranks
  double p = 1;          ///< two-sided; 1 where n = 0
  bool exact = true;     ///< from the distribution itself: n <= 25 without ties; else the normal approximation
};
/// Wilcoxon's signed-rank test that differences are symmetric around 0. Zeros are dropped. The normal approximation has
/// the variance corrected for ties and a continuity correction of 1/2, as R's wilcox.test has. Throws storage::Error
/// for a difference that is not finite. Example: {1, 2, 3, 4, 5, 6}: statistic 21, p = 2/64.
SignedRankTest wilcoxon(const std::vector<double>& differences);

/// Holm's step-down adjustment, in the order given; each at most 1, none below a smaller p's. Throws storage::Error for
/// a value outside [0, 1]. Example: {0.04, 0.01, 0.03} -> {0.06, 0.03, 0.06}.
std::vector<double> holm(const std::vector<double>& p_values);

/// Of an AUROC, at 95 %: auc +- 1.96 standard errors, cut to [0, 1].
struct AucInterval {
  double low = 0;
  double high = 0;
};
AucInterval auc_interval(double auc, double std_error);

}  // namespace results
