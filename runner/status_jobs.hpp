// Where each job of a directory stands: what the journal, the run's own word and its life come to together. Pure.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runner/status_directory.hpp"

namespace runner {

enum class JobState {
  done,
  diverged,  ///< committed, in no mean
  running,
  failed,      ///< given up; not run again until --retry-failed
  blocked,     ///< what it is made from cannot be had
  waiting,     ///< for features, for a worker, or for a run
  not_chosen,  ///< --only and --share leave it out
};

struct JobCounts {
  std::size_t done = 0, diverged = 0, running = 0, failed = 0, left = 0;  ///< failed: blocked ones too
  std::size_t not_chosen = 0;                                             ///< in no other count
  std::size_t committed() const { return done + diverged; }
  std::size_t chosen() const { return done + diverged + running + failed + left; }
  void add(JobState state);
  bool operator==(const JobCounts&) const = default;
};

class JobStates {
 public:
  explicit JobStates(const RunPicture& picture);

  JobState of(std::size_t plan, std::size_t job) const;
  /// Index of the sweep that the last run was of; -1: not known.
  int plan_of_run() const { return plan_of_run_; }
  /// The worker that is at a job; null where none is.
  const WorkerStatus* worker_at(const sweeps::JobKey& key) const;
  /// What the features of a job lack: null where nothing is known to.
  const FeatureStatus* features_missing(const sweeps::Job& job) const;
  /// Whether `only`, of a run or of batch scripts, leaves a job out; false where it is "", or makes no sense here.
  bool is_left_out_by(const std::string& only, std::size_t plan, std::size_t job) const;

 private:
  RunPicture picture_;
  int plan_of_run_ = -1;
  std::optional<std::vector<bool>> chosen_;
  std::unordered_map<std::string, const WorkerStatus*> at_;
  /// Of each --only that was asked about, in each plan; the few answers are kept because finding one takes all jobs.
  mutable std::map<std::pair<std::string, std::size_t>, std::vector<bool>> left_out_;
};

/// Whether what the status says of workers and features still holds.
bool is_at_work(const RunPicture& picture);

}  // namespace runner
