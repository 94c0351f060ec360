// What a run's workers do, as the loop hears of it: the part of status.json that nothing else keeps. Values in, values
// out; reads no clock and opens no file.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "runner/status_file.hpp"

namespace runner {

class StatusBoard {
 public:
  /// `now` is seconds, monotonic; `wall` what the clock on the wall says then.
  void set_time(double now, std::int64_t wall) {
    now_ = now;
    wall_ = wall;
  }

  void expect(const std::vector<WorkerId>& workers);
  void greeted(WorkerId worker, const workers::Hello& hello);
  void placed(WorkerId worker, const std::optional<workers::Gpu>& gpu);
  void heard(WorkerId worker) { seat(worker).heard = now_; }
  void gone(WorkerId worker, const std::string& why);
  void set_aside(WorkerId worker, const std::string& why);

  void planned(const std::vector<PlannedTask>& tasks);
  void started(WorkerId worker, const PlannedTask& task, Attempt attempt);
  void epoch(const ShowEpoch& show);
  /// The attempt goes on where a checkpoint of an earlier one stands.
  void resumed(WorkerId worker, const workers::Resumed& where);
  void done(const Commit& done, const PlannedTask& task);
  /// A try that ended without an output; `final`: the task is not tried again.
  void failed(const RecordAttempt& record, const PlannedTask& task, const std::string& worker_name, bool final);

  /// Of a data set that cannot be used, though its scan was whole.
  void unusable(const std::string& dataset, const std::string& why);

  /// Counters of this run, workers, failures and features into `status`.
  void fill(RunStatus& status) const;

 private:
  /// A worker; times are monotonic, -1: never.
  struct Seat {
    WorkerStatus status;
    double heard = -1;
    double task_since = 0;
    double first_epoch_at = -1;
    int first_epoch = 0;  ///< epochs done at first_epoch_at
    TaskId task;
    Attempt attempt;
  };
  struct Features {
    FeatureStatus status;
    std::int64_t open_tasks = 0;
  };
  Seat& seat(WorkerId worker);
  void release(WorkerId worker, TaskId task, Attempt attempt);
  Features& features_of(const PlannedTask& task);
  std::int64_t wall_at(double then) const { return wall_ - static_cast<std::int64_t>(now_ - then); }

  double now_ = 0;
  std::int64_t wall_ = 0;
  std::map<WorkerId, Seat> seats_;
  std::map<std::pair<std::string, std::string>, Features> features_;  ///< by data set and backbone
  std::deque<FailureStatus> failures_;                                ///< the latest first
  std::int64_t committed_ = 0, failed_ = 0, feature_rows_ = 0;
};

}  // namespace runner
