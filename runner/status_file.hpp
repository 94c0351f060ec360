// DIR/status.json: how a run stands, written anew every second by its coordinator. A view, not a record: nothing of a
// run or a table rests on it. Values, their text, and the file; knows no coordinator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/coordinator.hpp"

namespace runner {

inline constexpr int kStatusVersion = 1;

enum class RunPhase { starting, scanning, extracting, training, draining, reporting, ended };
std::string_view name_of(RunPhase phase);

enum class WorkerState { greeting, idle, working, gone, set_aside };
std::string_view name_of(WorkerState state);

/// What a worker is at.
struct WorkerTask {
  std::string kind;  ///< "scan", "extract", "assemble", "train"
  std::string name;  ///< for people
  std::string key;   ///< of a job; "" for what makes features
  int attempt = 1;
  std::int64_t since = 0;  ///< when it was handed out; this and all times below: seconds since 1970
  int epochs = 0;          ///< that it will have; 0: it has none
  int epochs_done = 0;
  std::optional<double> loss, auc;               ///< of the last epoch
  std::optional<double> epoch_seconds;           ///< how long one takes, by those of this attempt
  std::optional<workers::Stillness> still = {};  ///< how long its trainer had not moved when this was written
  bool operator==(const WorkerTask&) const = default;
};

struct WorkerStatus {
  int worker = 0;
  std::string host;
  int threads = 1;
  std::string gpu, gpu_name;  ///< "": on the CPU
  WorkerState state = WorkerState::greeting;
  std::string why;         ///< gone, set_aside
  std::int64_t heard = 0;  ///< its last word; 0: none yet
  std::optional<WorkerTask> task;
  bool operator==(const WorkerStatus&) const = default;
};

struct FailureStatus {
  std::int64_t time = 0;
  std::string name;
  std::string key;  ///< "": not of a job
  int attempt = 1;
  std::string cause, message;
  std::string worker;  ///< "worker 3 (node17)"
  bool final = false;  ///< else it is tried again
  bool operator==(const FailureStatus&) const = default;
};

/// Rows that a run makes or looks at, data set by data set and backbone by backbone.
struct FeatureStatus {
  std::string dataset;
  std::string backbone;  ///< "": a scan of the data set
  std::int64_t rows = 0, rows_done = 0;
  bool ready = false;   ///< nothing is left to do; jobs may have been waiting for it
  std::string failure;  ///< why it will never be; "": it may
  /// By the rows of this run and the workers that are at it now; absent while nobody is, or too few rows are made.
  std::optional<double> rows_per_second = {}, seconds_left = {};
  bool operator==(const FeatureStatus&) const = default;
};

struct RunStatus {
  std::string program;        ///< version of plume-bench
  std::int64_t written = 0;   ///< by the clock of `host`
  std::uint64_t counter = 0;  ///< one more each time; goes on where the last run on the directory left it
  double every_seconds = 1;   ///< how often it is written
  RunPhase phase = RunPhase::starting;
  std::string why;                 ///< of the end, where it says more than the exit status
  std::optional<int> exit_status;  ///< once ended
  std::string host, boot;
  std::int64_t pid = 0;
  std::int64_t process_started = 0;  ///< as in the lock
  std::int64_t started = 0;
  std::string slurm_job;      ///< $SLURM_JOB_ID; "": none
  int slurm_restart = 0;      ///< $SLURM_RESTART_COUNT
  std::string slurm_cluster;  ///< $SLURM_CLUSTER_NAME; "": not known
  std::optional<std::int64_t> deadline;
  std::string faults;  ///< $PLUME_FAULT of the coordinator, else of a worker; "": failures are none that were asked for

  std::vector<std::string> command;  ///< as typed; empty in files that knew of none
  std::string sweep;
  std::string selection;              ///< "--only seed=0", "--share 2/8", "features only"; "": every job of the sweep
  std::optional<std::string> chosen;  ///< those jobs, where not all: see chosen_text
  // of this run alone
  std::int64_t committed = 0, failed = 0, feature_rows = 0, checkpoints = 0;
  /// Of the chosen jobs; done: in this run. Those of data sets that are not scanned yet are in none.
  Counts jobs;
  std::int64_t jobs_before = 0;  ///< committed by earlier runs
  std::int64_t jobs_chosen = 0;
  /// Bytes of journal.jsonl at that moment: what is behind them happened after what this says; absent: not known.
  std::optional<std::uint64_t> journal_bytes;
  std::optional<double> jobs_per_minute, seconds_left;

  std::vector<FeatureStatus> features;
  std::vector<WorkerStatus> workers;
  std::vector<FailureStatus> failures;  ///< the last ones, the latest first
  bool operator==(const RunStatus&) const = default;
};

/// The end of the selection of a run that makes features and no jobs.
inline constexpr std::string_view kFeaturesOnly = "features only";
bool makes_features_only(const RunStatus& status);
/// The X of "--only X", "--only X --share 2/8", "--only X, features only"; "" of a selection of all jobs.
std::string only_in(std::string_view selection);
/// `why` of its end, without what to type: see kMendAndRetry.
std::string cause_of_end(const RunStatus& status);

/// Indices into a plan's jobs as hexadecimal digits, four jobs each: {0, 5} of 6 -> "84".
std::string chosen_text(const std::vector<std::size_t>& chosen, std::size_t jobs);
/// The inverse, one bool a job; nothing where the text is not of a plan of `jobs` jobs.
std::optional<std::vector<bool>> chosen_of(const std::string& text, std::size_t jobs);

std::string encode(const RunStatus& status);
/// Throws storage::Error "<origin>: ..." for what is damaged or of another version.
RunStatus decode_status(std::string_view text, const std::string& origin);

std::filesystem::path status_file(const std::filesystem::path& directory);
/// Nothing where there is none. Throws storage::Error for one that cannot be read.
std::optional<RunStatus> read_status(const std::filesystem::path& directory);

}  // namespace runner
