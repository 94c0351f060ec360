// What a sweep run knows, for its files: how it begins (sweep_run_start.cpp), what it does when the coordinator asks
// (sweep_run_actions.cpp), where workers get their GPUs (sweep_run_workers.cpp), what becomes of checkpoints
// (sweep_run_checkpoints.cpp), how it ends in time (sweep_run_deadline.cpp), what it would do
// (sweep_run_rehearsal.cpp), what it says of itself meanwhile (sweep_run_status.cpp), the loop and its end
// (sweep_run.cpp). Private to them.
#pragma once

#include <unistd.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "results/journal.hpp"
#include "runner/attempts_folder.hpp"
#include "runner/deadline.hpp"
#include "runner/event_log.hpp"
#include "runner/feature_plan.hpp"
#include "runner/gpu_placement.hpp"
#include "runner/job_times.hpp"
#include "runner/link.hpp"
#include "runner/lock.hpp"
#include "runner/meter.hpp"
#include "runner/progress.hpp"
#include "runner/run_file.hpp"
#include "runner/status_board.hpp"
#include "runner/sweep_run.hpp"
#include "workers/awake_clock.hpp"

namespace runner {

struct SweepRun::State {
  static constexpr double kLogEverySeconds = 30;

  RunOptions options;
  sweeps::Sweep sweep;
  std::unique_ptr<FeaturePlan> features;
  sweeps::Plan plan;
  std::vector<std::size_t> selected;            ///< indices into plan.jobs that this run is about
  std::map<sweeps::JobKey, std::string> names;  ///< of plan.jobs, for people: no two are alike
  RunFile run_file;
  std::unique_ptr<DirectoryLock> lock;
  results::Ledger ledger;
  MeasuredTimes measured;  ///< of the ledger, when the run began
  std::unique_ptr<results::Journal> journal;
  std::unique_ptr<EventLog> log;
  ProgressLine progress{stderr, isatty(fileno(stderr)) == 1, kLogEverySeconds};
  std::unique_ptr<Coordinator> coordinator;
  std::unique_ptr<GpuPlacement> placement;
  std::map<workers::WorkerId, workers::Hello>
      greetings;                          ///< of workers without a place: the coordinator hears them then
  std::set<workers::WorkerId> sent_away;  ///< for want of a place: nothing from them is wanted any more
  std::string idle_gpus;                  ///< why GPUs are not computed on; said once

  std::map<sweeps::JobKey, sweeps::Keep> keep;  ///< of jobs that are to leave something
  std::map<sweeps::JobKey, std::string> redo;   ///< committed results that are run again, and why
  bool journal_dirty = false;
  std::string stopped;                        ///< why the sweep was stopped, "" if it was not
  std::vector<std::string> feature_failures;  ///< one line each
  std::set<sweeps::JobKey> failed_now;        ///< given up by this run, not by an earlier one
  std::int64_t lost_jobs = 0;                 ///< out of the infrastructure budget
  std::map<workers::WorkerId, std::string> hosts, processors;
  std::set<workers::WorkerId> gone;
  std::int64_t committed = 0;                          ///< selected jobs with a result
  std::int64_t checkpoints = 0;                        ///< written in this run
  std::set<sweeps::JobKey> with_checkpoints;           ///< jobs that have or had one
  std::map<sweeps::JobKey, int> needless_checkpoints;  ///< of attempts below; removed after the next sync
  std::map<sweeps::JobKey, std::filesystem::path> newest_checkpoints;  ///< that earlier runs left
  Meter meter;
  bool given_up = false;                   ///< stopped at once, running jobs were given up
  std::optional<double> gives_up_at = {};  ///< of now(), once told to end
  bool draining = false;
  StatusBoard board;
  RunStatus status;  ///< as written last
  double status_due = 0;
  std::optional<Deadline> deadline;  ///< when all must have ended; absent: nobody says so
  double margin = 0;                 ///< seconds before it at which the run drains

  bool features_made = false;  ///< by this run or before it: nothing is left to scan or extract

  void prepare();
  void prepare_rehearsal();
  void print_features_left() const;
  std::string deadline_in_words() const;
  void read_sweep(const Site& site);
  void refuse_another_share() const;
  std::string another_deal() const;
  bool read_directory(results::Replay& replay);
  void check_scans(const std::filesystem::path& cache) const;
  void warn_of_inputs();
  void expect_cost(PlannedTask& task) const;
  void name_jobs();
  void announce(const Site& site);
  void freeze_once();
  bool all_scanned() const;
  bool frozen = false;
  std::vector<sweeps::Job> selected_jobs() const;
  bool is_open(const sweeps::JobKey& key) const;
  std::vector<sweeps::Job> open_jobs() const;
  std::vector<sweeps::Job> open_jobs_of(const std::string& dataset) const;
  void check_changed();
  void check_kept();
  sweeps::Keep wanted_of(const sweeps::JobKey& key) const;
  void add_jobs_of(const std::vector<sweeps::Job>& jobs);
  void note_what_is_left_out();
  void go_on_with(const std::string& dataset);
  void report_features();
  void start();
  void hand(const Event& event);
  void perform(const Action& action);
  void commit(const Commit& commit);
  void commit_job(const sweeps::Job& job, const Commit& commit, const workers::Trained& trained);
  void record_attempt(const RecordAttempt& record);
  void record_failure(const RecordFailure& record);
  void show(const ShowCheckpoint& shown);
  int anew_through(const sweeps::JobKey& key) const;
  void find_old_checkpoints();
  double part_done(const sweeps::Job& job, const sweeps::JobKey& key) const;
  void forget_checkpoints(const sweeps::JobKey& key, int below = INT32_MAX);
  void remove_needless_checkpoints();
  void greet(const FromWorker& from);
  void keep_evidence(const KeepEvidence& late);
  void compare_with_late(const sweeps::JobKey& key, const ComputedResult& committed);
  void keep_words(const sweeps::JobKey& key, int attempt, const std::string& standard_error);
  void drop(const WorkerGone& left);
  void hear(Link::Incoming& in);
  void place_workers();
  void learn_deadline();
  void announce_deadline();
  void watch_deadline();
  void drain(const std::string& why, std::optional<double> seconds_left);
  void end_soon();
  void record_worker_uses();
  std::optional<double> seconds_to_drain() const;
  std::string why_too_late() const;
  void send_away(const std::vector<Surplus>& surplus);
  void show_places(const std::vector<Placed>& placed);
  void note_places(const std::vector<Placed>& placed);
  void append(const results::Entry& entry);
  void sync();
  void flush();
  void send_one(const Send& send);
  void close_interrupted_attempts();
  std::string worker_name(workers::WorkerId worker) const;
  void warn(const std::string& line);
  ProgressView view() const;
  void log_end(const std::string& why);
  std::string label(const PlannedTask& task) const;
  std::string selection_in_words() const;
  void begin_status();
  RunPhase phase() const;
  void tell_time();
  void show_status();
  void write_status(RunPhase phase);
  void end_status(int exit_status, const std::string& why);
  void say_goodbye(Link& link);
  Exit report_extraction();
  /// A coordinator that was itself stopped does not find its workers overdue when it goes on.
  double now() const { return clock.now().count(); }
  mutable workers::AwakeClock clock{workers::steady_seconds};
  std::vector<Send> outbox;  ///< messages that wait until what was appended is durable
  std::map<sweeps::JobKey, std::vector<ComputedResult>>
      late;  ///< results that came too late, of jobs not committed yet
  Link* link = nullptr;
  bool features_reported = false;
  std::int64_t unscanned = 0;        ///< data sets whose scan is under way
  std::set<std::string> unreadable;  ///< data sets whose scan failed
};

}  // namespace runner
