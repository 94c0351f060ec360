// One run of a sweep on one directory: everything between the command line and the coordinator. Performs the
// coordinator's actions.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/coordinator.hpp"
#include "runner/link.hpp"
#include "runner/site.hpp"
#include "sweeps/share.hpp"
#include "workers/trainer_options.hpp"

namespace runner {

/// Exit statuses of `run` (design.md section 5).
enum class Exit : int { complete = 0, broke = 1, usage = 2, failed_cells = 3, drained = 4 };

struct RunOptions {
  std::filesystem::path sweep;
  sweeps::Substitutes substitutes;  ///< besides those of the sweep itself
  std::string scale;                ///< in place of the sweep's, where given
  std::filesystem::path out;
  SiteFlags site;
  std::optional<int> workers;
  std::optional<int> threads;
  int workers_per_gpu = 1;
  std::string (*why_gpus_idle)() =
      nullptr;  ///< why GPUs that workers are placed on are not computed on; "" where they are
  std::string only;
  bool epoch_lines = false;            ///< print a line for each epoch, learning rate and resumed checkpoint
  std::optional<sweeps::Share> share;  ///< of the jobs that `only` leaves
  bool features_only = false;          ///< scan and extract, train nothing: `extract`
  bool retry_failed = false;
  bool redo_changed = false;
  bool redo_unsaved = false;  ///< train again what left no models or dump, where the sweep wants them
  bool take_over = false;
  bool dry_run = false;  ///< check and tell, but write, lock and start nothing
  Budgets budgets;
  workers::Seconds start_deadline{300}, load_deadline{900}, hang_floor{60};
  workers::Seconds checkpoint_every{60 * workers::kCheckpointMinutes};  ///< of a training; 0: never
  std::vector<std::string> command;                                     ///< as typed, for run.json
  std::string deadline;                   ///< as find_deadline() takes it; "": that of the Slurm allocation, if any
  std::optional<double> deadline_margin;  ///< seconds before the deadline at which a run drains; absent: see Deadline
  std::optional<double> drain_within;     ///< seconds after a signal to drain at which somebody ends the run
  std::optional<double> end_within;       ///< the same after SIGTERM; absent: SIGTERM is a signal to drain
  std::string how_to_drain;               ///< added to the line that says that running jobs were given up
};

/// What signals ask of the loop. Set by handlers, only ever raised.
enum class Stopping : int { no, drain, soon, now };
std::atomic<Stopping>& stopping_asked();

class SweepRun {
 public:
  /// Reads the sweep, opens data sets, finds weights, takes the lock, replays the journal: everything that can be
  /// refused before any worker starts. Throws UsageError or Error.
  /// With dry_run it writes nothing and takes no lock; then print_rehearsal() is all that may be asked for.
  explicit SweepRun(RunOptions options);
  ~SweepRun();
  SweepRun(const SweepRun&) = delete;
  SweepRun& operator=(const SweepRun&) = delete;

  /// True when no worker is needed: nothing to scan, extract or train.
  bool nothing_to_do() const;
  /// Thread count of the directory's committed results, if any.
  std::optional<int> committed_threads() const;
  /// Prints what run() would do with so many workers (0: not known).
  void print_rehearsal(int workers);
  /// Drives the workers behind `link` until the plan is done, drained or stopped.
  void run(Link& link);
  /// Writes DIR/report, prints the sweep's tables and where the report is; returns the exit status.
  Exit report();
  /// The last line of logs/run.log, whatever ended the run.
  void log_end(const std::string& why);
  /// The last things written: status.json with the end and, where it was an error, why; DIR/exit_status, for scripts.
  void record(Exit status, const std::string& why = "");

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runner
