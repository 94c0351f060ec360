// How long tasks will take, from tasks like them that were timed. Pure; knows neither jobs nor clocks.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace runner {

/// What the time of a task depends on.
struct Effort {
  std::string kind;  ///< tasks of one kind take as long as their work says; "": nobody knows how long it takes
  double work = 0;   ///< in a unit of the kind's own, e.g. rows; above 0
  bool operator==(const Effort&) const = default;
};

/// The newest times of each kind. E.g. 100 rows in 10 s and 200 rows in 18 s: 300 rows take 28.5 s.
class RunTimes {
 public:
  /// Of a kind so many are kept: a slow node of yesterday is forgotten.
  static constexpr std::size_t kKept = 15;

  /// Ignored where the effort says nothing or the seconds are none.
  void add(const Effort& effort, double seconds);
  /// The median of seconds per work times the work; absent where no task of the kind was timed.
  std::optional<double> seconds_of(const Effort& effort) const;
  bool empty() const { return kinds_.empty(); }

 private:
  struct Kind {
    std::deque<double> rates;  ///< seconds per work, the oldest first
    double median = 0;
  };
  std::map<std::string, Kind> kinds_;
};

}  // namespace runner
