// The deadlines of a task: loading, then the median gap between signs of life. Pure.
#include "workers/progress_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace workers {
namespace {

constexpr std::size_t kGapsKept = 101;
/// A busy machine may become that much busier.
constexpr double kFactorOfTheFirst = 5;

Seconds median(const std::deque<Seconds>& gaps) {
  std::vector<Seconds> sorted(gaps.begin(), gaps.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

}  // namespace

ProgressWatch::ProgressWatch(const SupervisorOptions& options, Seconds now)
    : load_deadline_(options.load_deadline),
      hang_floor_(options.hang_floor),
      hang_factor_(options.hang_factor),
      last_(now) {}

void ProgressWatch::moved(Seconds now) {
  if (has_moved_) {  // the time until the first movement is loading, not a step
    gaps_.push_back(now - last_);
    if (gaps_.size() > kGapsKept) {
      gaps_.pop_front();
    }
    median_gap_ = median(gaps_);
  } else {
    until_first_ = now - last_;
  }
  has_moved_ = true;
  last_ = now;
}

Seconds ProgressWatch::allowed() const {
  if (!has_moved_) return load_deadline_;
  if (gaps_.empty()) return std::max(hang_floor_, std::min(load_deadline_, kFactorOfTheFirst * until_first_));
  return std::max(hang_floor_, hang_factor_ * median_gap_);
}

Stillness ProgressWatch::stillness(Seconds now) const {
  return {(now - last_).count(), allowed().count(), has_moved_};
}

std::optional<std::string> ProgressWatch::overdue(Seconds now) const {
  const Seconds allowed = this->allowed();
  if (now - last_ <= allowed) {
    return std::nullopt;
  }
  if (!has_moved_) {
    return fmt::format("nothing moved in the {:.0f} s allowed for loading (--load-deadline)", allowed.count());
  }
  if (gaps_.empty())
    return fmt::format("no step in {:.0f} s; the first came after {:.3g} s", allowed.count(), until_first_.count());
  return fmt::format("no step in {:.0f} s, with a median of {:.3g} s a step", allowed.count(), median_gap_.count());
}

}  // namespace workers
