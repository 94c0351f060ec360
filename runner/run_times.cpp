// Keeps the newest rates of each kind and their median.
#include "runner/run_times.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace runner {
namespace {

double median_of(const std::deque<double>& values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

bool says_something(const Effort& effort) {
  return !effort.kind.empty() && std::isfinite(effort.work) && effort.work > 0;
}

}  // namespace

void RunTimes::add(const Effort& effort, double seconds) {
  if (!says_something(effort) || !std::isfinite(seconds) || seconds <= 0) return;
  auto& kind = kinds_[effort.kind];
  kind.rates.push_back(seconds / effort.work);
  if (kind.rates.size() > kKept) kind.rates.pop_front();
  kind.median = median_of(kind.rates);
}

std::optional<double> RunTimes::seconds_of(const Effort& effort) const {
  if (!says_something(effort)) return std::nullopt;
  const auto known = kinds_.find(effort.kind);
  if (known == kinds_.end()) return std::nullopt;
  return known->second.median * effort.work;
}

}  // namespace runner
