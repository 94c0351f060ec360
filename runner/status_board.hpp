// What a run's workers do, as the loop hears of it: the part of status.json that nothing else keeps. Values in, values
// out; reads no clock and opens no file.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "runner/status_file.hpp"
#include "runner/worker_use.hpp"

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
  /// Its trainer has not moved for a while.
  void still(WorkerId worker, const workers::Stillness& still);
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

  /// It will never run: what it needs cannot be had.
  void blocked(TaskId task);

  /// Of a data set that cannot be used, though its scan was whole.
  void unusable(const std::string& dataset, const std::string& why);

  /// Of every worker that has greeted, in the order of their numbers.
  std::vector<WorkerUse> uses() const;

  /// Counters of this run, workers, failures and features into `status`.
  void fill(RunStatus& status) const;
  /// Until the last training has ended, by how long those of this run took; absent while features are being made and
  /// until two have ended and a twentieth of the work is done.
  std::optional<double> seconds_left() const;

 private:
  using Source = std::pair<std::string, std::string>;  ///< data set and backbone
  /// A worker; times are monotonic, -1: never.
  struct Seat {
    WorkerStatus status;
    double heard = -1;
    double task_since = 0;
    double first_epoch_at = -1;
    int first_epoch = 0;  ///< epochs done at first_epoch_at
    TaskId task;
    Attempt attempt;
    std::optional<Source> source;  ///< whose rows it makes
    std::int64_t rows = 0;         ///< of the task
    double cost = 0;               ///< of a training
    double still_since = -1;       ///< its trainer has not moved; -1: it has
    bool resumed = false;          ///< a part of the training was done before
  };
  struct Features {
    FeatureStatus status;
    std::int64_t open_tasks = 0;
    std::int64_t rows_timed = 0, tasks_timed = 0;
    double seconds = 0;  ///< that workers took for rows_timed, added up
  };
  /// What a worker did before its present task; there_since below 0: it is not there.
  struct Past {
    double there_since = -1;
    double there = 0, training = 0, features = 0;  ///< seconds
  };
  Seat& seat(WorkerId worker);
  void account_for_task(const Seat& seat, Past& past) const;
  void leave(WorkerId worker);
  void release(WorkerId worker, TaskId task, Attempt attempt);
  Features& features_of(const PlannedTask& task);
  void time_of(const Commit& done, const PlannedTask& task);
  void foresee(const Source& source, const Features& features, FeatureStatus& status) const;
  std::int64_t wall_at(double then) const { return wall_ - static_cast<std::int64_t>(now_ - then); }

  double now_ = 0;
  std::int64_t wall_ = 0;
  std::map<WorkerId, Seat> seats_;
  std::map<WorkerId, Past> pasts_;
  std::map<Source, Features> features_;
  std::deque<FailureStatus> failures_;     ///< the latest first
  std::map<TaskId, double> open_;          ///< trainings that have not ended, and their cost
  std::int64_t trained_ = 0;               ///< trainings whose time counts
  double trained_cost_ = 0, seconds_ = 0;  ///< of those, and what workers took for them, failed tries too, added up
  std::int64_t committed_ = 0, failed_ = 0, feature_rows_ = 0;
};

}  // namespace runner
