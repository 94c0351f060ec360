// Exact rank AUROC.
#include "plume/auroc.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "storage/error.hpp"

namespace plume {

std::optional<double> auroc(const std::vector<double>& scores, const std::vector<bool>& positive) {
  if (scores.size() != positive.size()) throw storage::Error("AUROC: as many labels as scores are needed");
  std::vector<std::pair<double, bool>> sorted;
  sorted.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) throw storage::Error("AUROC: a score is not a number");
    sorted.emplace_back(scores[i], positive[i]);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  std::uint64_t negatives_below = 0, positives_below = 0, doubled = 0;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    std::uint64_t positives_here = 0;
    for (; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end) positives_here += sorted[end].second;
    const std::uint64_t negatives_here = (end - begin) - positives_here;
    doubled += positives_here * (2 * negatives_below + negatives_here);
    negatives_below += negatives_here;
    positives_below += positives_here;
    begin = end;
  }
  if (positives_below == 0 || negatives_below == 0) return std::nullopt;
  return static_cast<double>(doubled) / static_cast<double>(2 * positives_below * negatives_below);
}

}  // namespace plume
