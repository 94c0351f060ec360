// Exact rank AUROC and DeLong's standard error, by one walk over the scores from the lowest up.
#include "plume/auroc.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "storage/error.hpp"

namespace plume {
namespace {

/// Rows of one score, and how many rows lie below it.
struct Level {
  std::uint64_t positives = 0;
  std::uint64_t negatives = 0;
  std::uint64_t positives_below = 0;
  std::uint64_t negatives_below = 0;

  /// Twice the negatives that each of its positives wins, a tie counting a half; and the other way round.
  std::uint64_t doubled_wins() const { return 2 * negatives_below + negatives; }
  std::uint64_t doubled_losses() const { return 2 * positives_below + positives; }
};

/// From the lowest score up, and at last an empty one above all rows.
std::vector<Level> levels_of(const std::vector<double>& scores, const std::vector<bool>& positive) {
  if (scores.size() != positive.size()) throw storage::Error("AUROC: as many labels as scores are needed");
  std::vector<std::pair<double, bool>> sorted;
  sorted.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) throw storage::Error("AUROC: a score is not a number");
    sorted.emplace_back(scores[i], positive[i]);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  std::vector<Level> levels;
  Level level;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    ++(sorted[i].second ? level.positives : level.negatives);
    if (i + 1 < sorted.size() && sorted[i + 1].first == sorted[i].first) continue;
    levels.push_back(level);
    level = {0, 0, level.positives_below + level.positives, level.negatives_below + level.negatives};
  }
  levels.push_back(level);
  return levels;
}

/// Sample variance of one class's shares of wins, divided by its rows: `doubled` of each of `rows` rows at a level,
/// among `others` of the other class. Their sum is exact in integers, and so is each deviation from their mean.
template <typename Rows, typename Doubled>
double variance_of_mean(const std::vector<Level>& levels, double count, double others, Rows rows, Doubled doubled) {
  double sum = 0;
  for (const Level& level : levels) sum += static_cast<double>(rows(level) * doubled(level));
  double squares = 0;
  for (const Level& level : levels) {
    const double deviation = count * static_cast<double>(doubled(level)) - sum;  // count times that from the mean
    squares += static_cast<double>(rows(level)) * deviation * deviation;
  }
  const double unit = 2 * others * count;
  return squares / (unit * unit) / ((count - 1) * count);
}

}  // namespace

std::optional<double> auroc(const std::vector<double>& scores, const std::vector<bool>& positive) {
  const std::vector<Level> levels = levels_of(scores, positive);
  std::uint64_t doubled = 0;
  for (const Level& level : levels) doubled += level.positives * level.doubled_wins();
  const std::uint64_t positives = levels.back().positives_below, negatives = levels.back().negatives_below;
  if (positives == 0 || negatives == 0) return std::nullopt;
  return static_cast<double>(doubled) / static_cast<double>(2 * positives * negatives);
}

std::optional<double> auroc_std_error(const std::vector<double>& scores, const std::vector<bool>& positive) {
  const std::vector<Level> levels = levels_of(scores, positive);
  if (levels.back().positives_below < 2 || levels.back().negatives_below < 2) return std::nullopt;
  const auto positives = static_cast<double>(levels.back().positives_below);
  const auto negatives = static_cast<double>(levels.back().negatives_below);
  const double of_positives = variance_of_mean(
      levels, positives, negatives, [](const Level& l) { return l.positives; },
      [](const Level& l) { return l.doubled_wins(); });
  const double of_negatives = variance_of_mean(
      levels, negatives, positives, [](const Level& l) { return l.negatives; },
      [](const Level& l) { return l.doubled_losses(); });
  return std::sqrt(of_positives + of_negatives);
}

}  // namespace plume
