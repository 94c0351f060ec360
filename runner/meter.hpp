// How far a run is and how fast: what the progress line shows. Reads no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/coordinator.hpp"
#include "runner/progress.hpp"

namespace runner {

class Meter {
 public:
  /// Tasks that will be done in this run.
  void add(const std::vector<PlannedTask>& tasks);
  void started(const PlannedTask& task, double now);
  void done(const PlannedTask& task, double now);
  /// What a task that is done came out with.
  void took(const PlannedTask& task, const workers::TaskOutput& output);
  void drain() { draining_ = true; }

  /// `committed`: selected jobs that have a result, of this run or an earlier one.
  ProgressView view(const Counts& jobs, const Counts& features, std::int64_t committed, double now) const;
  /// Every part of the feature sets that were asked for up to now is made.
  bool features_are_made() const { return extracted_.done >= extracted_.total; }
  /// Of the rows that were made in this run, not found in the cache; nothing where there are none.
  std::optional<FeatureProfile> features_profile() const;

 private:
  struct Work {
    double total = 0;
    double done = 0;
    double since = -1;  ///< when the first of it started; -1: none has
    double until = -1;  ///< when the last of it was done
    bool of_images = true;
    double seconds(double now) const { return since < 0 ? 0 : now - since; }
  };
  Work& work_of(const PlannedTask& task);

  Work scanned_;    ///< rows
  Work extracted_;  ///< rows
  Work trained_;    ///< relative cost
  Work assembled_;  ///< not shown
  FeatureProfile profile_;
  bool draining_ = false;
  std::string last_;
};

}  // namespace runner
