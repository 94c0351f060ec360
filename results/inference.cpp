// Welch, Wilcoxon and Holm. Quantiles are Boost's: the one file that includes it.
#include "results/inference.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "storage/error.hpp"

namespace results {
namespace {

constexpr double kTail = 0.025;         // two-sided 95 %
constexpr std::size_t kMostExact = 25;  // 2^25 sign patterns are exact in a double, and in a blink

bool is_usable(const Sample& sample) {
  return sample.n >= 2 && std::isfinite(sample.mean) && std::isfinite(sample.std_dev) && sample.std_dev >= 0;
}

/// Order of the values from the smallest up; equal ones in the order given.
std::vector<std::size_t> ascending(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

struct Ranks {
  std::vector<double> of;  ///< each value's, from 1; mid-ranks
  double tie_sum = 0;      ///< sum of t^3 - t over groups of t equal values
};

Ranks ranks_of(const std::vector<double>& values) {
  const std::vector<std::size_t> order = ascending(values);
  Ranks ranks{std::vector<double>(values.size()), 0};
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double middle = static_cast<double>(begin + 1 + end) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks.of[order[i]] = middle;
    const auto size = static_cast<double>(end - begin);
    ranks.tie_sum += size * size * size - size;
  }
  return ranks;
}

/// Of all 2^n choices of signs, each rank 1 .. n once: twice the share whose sum is as far out on that side.
double exact_p(std::size_t n, double statistic) {
  const std::size_t most = n * (n + 1) / 2;
  std::vector<std::uint64_t> ways(most + 1, 0);  // by sum
  ways[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = most; sum >= rank; --sum) ways[sum] += ways[sum - rank];
  }
  const auto sum = static_cast<std::size_t>(statistic);
  const std::size_t small = std::min(sum, most - sum);  // the distribution is symmetric
  std::uint64_t tail = 0;
  for (std::size_t i = 0; i <= small; ++i) tail += ways[i];
  return std::min(1.0, 2 * std::ldexp(static_cast<double>(tail), -static_cast<int>(n)));
}

double normal_p(std::size_t count, double statistic, double tie_sum) {
  const auto n = static_cast<double>(count);
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - tie_sum / 48;
  const double from_middle = std::max(0.0, std::abs(statistic - n * (n + 1) / 4) - 0.5);
  return std::erfc(from_middle / std::sqrt(2 * variance));
}

}  // namespace

std::optional<WelchInterval> welch(const Sample& first, const Sample& second) {
  if (!is_usable(first) || !is_usable(second)) return std::nullopt;
  WelchInterval interval;
  interval.difference = first.mean - second.mean;
  const double first_error = first.std_dev / std::sqrt(static_cast<double>(first.n));
  const double second_error = second.std_dev / std::sqrt(static_cast<double>(second.n));
  const double error = std::hypot(first_error, second_error);
  double margin = 0;
  if (error > 0) {
    // As shares of the error: squares of tiny deviations would vanish.
    const double share = (first_error / error) * (first_error / error);
    const double other = (second_error / error) * (second_error / error);
    const double degrees =
        1 / (share * share / static_cast<double>(first.n - 1) + other * other / static_cast<double>(second.n - 1));
    if (!std::isfinite(degrees)) return std::nullopt;
    interval.degrees_of_freedom = degrees;
    margin = boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), kTail)) * error;
  }
  interval.low = interval.difference - margin;
  interval.high = interval.difference + margin;
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high)) return std::nullopt;
  return interval;
}

SignedRankTest wilcoxon(const std::vector<double>& differences) {
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double difference : differences) {
    if (!std::isfinite(difference)) throw storage::Error("Wilcoxon's test: a difference is not a finite number");
    if (difference == 0) continue;
    sizes.push_back(std::abs(difference));
    positive.push_back(difference > 0);
  }
  SignedRankTest test;
  test.n = sizes.size();
  if (test.n == 0) return test;
  const Ranks ranks = ranks_of(sizes);
  for (std::size_t i = 0; i < test.n; ++i) test.statistic += positive[i] ? ranks.of[i] : 0;
  test.exact = test.n <= kMostExact && ranks.tie_sum == 0;
  test.p = test.exact ? exact_p(test.n, test.statistic) : normal_p(test.n, test.statistic, ranks.tie_sum);
  return test;
}

std::vector<double> holm(const std::vector<double>& p_values) {
  for (const double p : p_values) {
    if (!(p >= 0 && p <= 1)) throw storage::Error("Holm's adjustment: a p-value is not in [0, 1]");
  }
  std::vector<double> adjusted(p_values.size());
  double so_far = 0;
  std::size_t left = p_values.size();
  for (const std::size_t i : ascending(p_values)) {
    so_far = std::max(so_far, std::min(1.0, static_cast<double>(left--) * p_values[i]));
    adjusted[i] = so_far;
  }
  return adjusted;
}

AucInterval auc_interval(double auc, double std_error) {
  if (!(auc >= 0 && auc <= 1) || !std::isfinite(std_error) || std_error < 0) {
    throw storage::Error("interval of an AUROC: expected an AUROC in [0, 1] and a standard error of at least 0");
  }
  static const double quantile = boost::math::quantile(boost::math::complement(boost::math::normal(), kTail));
  return {std::max(0.0, auc - quantile * std_error), std::min(1.0, auc + quantile * std_error)};
}

}  // namespace results
