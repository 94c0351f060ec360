// Average precision and FPR95 by one walk over the scores from the highest down, rows of one score together.
#include "plume/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "plume/auroc.hpp"
#include "storage/error.hpp"

namespace plume {
namespace {

/// Rows accepted when the threshold is one of the scores.
struct Accepted {
  std::uint64_t positives = 0;
  std::uint64_t negatives = 0;
};

/// One entry for each distinct score, from the highest down; the last accepts all rows.
std::vector<Accepted> walk(const std::vector<double>& scores, const std::vector<bool>& positive) {
  if (scores.size() != positive.size()) throw storage::Error("ranking: as many labels as scores are needed");
  std::vector<std::pair<double, bool>> sorted;
  sorted.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) throw storage::Error("ranking: a score is not a number");
    sorted.emplace_back(scores[i], positive[i]);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });

  std::vector<Accepted> steps;
  Accepted accepted;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    ++(sorted[i].second ? accepted.positives : accepted.negatives);
    const bool is_last_of_its_score = i + 1 == sorted.size() || sorted[i + 1].first != sorted[i].first;
    if (is_last_of_its_score) steps.push_back(accepted);
  }
  return steps;
}

}  // namespace

std::optional<double> average_precision(const std::vector<double>& scores, const std::vector<bool>& positive) {
  const std::vector<Accepted> steps = walk(scores, positive);
  if (steps.empty() || steps.back().positives == 0) return std::nullopt;
  double sum = 0;
  std::uint64_t before = 0;
  for (const Accepted& step : steps) {
    const double precision = static_cast<double>(step.positives) / static_cast<double>(step.positives + step.negatives);
    sum += static_cast<double>(step.positives - before) * precision;
    before = step.positives;
  }
  return sum / static_cast<double>(steps.back().positives);
}

std::optional<double> fpr95(const std::vector<double>& scores, const std::vector<bool>& positive) {
  const std::vector<Accepted> steps = walk(scores, positive);
  if (steps.empty() || steps.back().positives == 0 || steps.back().negatives == 0) return std::nullopt;
  const Accepted& all = steps.back();
  for (const Accepted& step : steps) {
    // In integers: 0.95 is no double.
    if (100 * step.positives >= 95 * all.positives)
      return static_cast<double>(step.negatives) / static_cast<double>(all.negatives);
  }
  return 1.0;
}

std::optional<results::Ranking> ranking_of(const std::vector<double>& scores, const std::vector<bool>& is_normal) {
  const std::optional<double> auc = auroc(scores, is_normal);
  if (!auc) return std::nullopt;
  std::vector<double> anomalousness;
  std::vector<bool> is_anomalous;
  for (const double score : scores) anomalousness.push_back(-score);
  for (const bool normal : is_normal) is_anomalous.push_back(!normal);
  return results::Ranking{*auc, *average_precision(scores, is_normal), *average_precision(anomalousness, is_anomalous),
                          *fpr95(scores, is_normal), auroc_std_error(scores, is_normal)};
}

}  // namespace plume
