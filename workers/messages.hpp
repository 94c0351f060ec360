// The whole protocol on one page: what a coordinator and a worker's supervisor, and a supervisor and its trainer
// process, say to each other. Plain values, encoded as JSON text; everything read is checked. Lives here, not in
// runner/, because supervisors speak it and workers/ may not include runner/.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "datasets/dataset.hpp"
#include "results/result.hpp"
#include "sweeps/sweep.hpp"
#include "workers/gpu.hpp"

namespace workers {

// 9: a worker is told what will probably come next.
// 8: results say on which kind of processor they were computed.
// 7: a trainer says which engine it has.
// 6: a training may leave models and a dump behind.
// 5: a heartbeat says for how long the trainer has not moved.
// 4: checkpoints: from which attempts one may be taken, what was written and resumed, how to give a training back.
inline constexpr int kProtocolVersion = 9;

/// Strong ids: none converts to another.
struct TaskId {
  std::int64_t value = 0;
  auto operator<=>(const TaskId&) const = default;
};
struct WorkerId {
  int value = 0;
  auto operator<=>(const WorkerId&) const = default;
};
struct Attempt {  ///< the n-th try of a task, from 1
  int value = 1;
  auto operator<=>(const Attempt&) const = default;
};

// ---- tasks
// -------------------------------------------------------------------------------------------------------------------

struct DataSource {
  sweeps::DatasetSpec spec;
  std::string root;  ///< folder; "" for synthetic
  bool operator==(const DataSource&) const = default;
};

/// Checksum, size and channel sums of rows [first, first + count) of a split. Where the data set's `skip` is above 0, a
/// row that cannot be read is a fault in the outcome; else the task fails.
struct ScanTask {
  DataSource data;
  datasets::Split split = datasets::Split::train;
  std::int64_t first = 0;
  std::int64_t count = 0;
  int square =
      224;  ///< side of the images that sums after a resize are of: the data set's first square or the backbone's input
  bool operator==(const ScanTask&) const = default;
};

/// What the rows of a feature set are made from and with; see workers/feature_set.hpp for its identity.
struct FeatureRecipe {
  DataSource data;
  datasets::Split split = datasets::Split::train;
  std::optional<std::int64_t> rows_per_class;
  std::string backbone;         ///< without sweeps::has_weights: no weights, no mean, no std_dev
  std::string weights;          ///< file
  std::vector<double> mean;     ///< 3
  std::vector<double> std_dev;  ///< 3
  std::string identity;         ///< canonical text
  std::string id;               ///< 32 hexadecimal digits
  std::string cache;            ///< folder
  std::int64_t row_count = 0;
  std::int64_t row_length = 0;  ///< L
  bool operator==(const FeatureRecipe&) const = default;
};
/// Rows [first, first + count) of the set into CACHE/<id>.parts/<part>.h5.
struct ExtractTask {
  FeatureRecipe recipe;
  std::int64_t part = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::vector<std::int64_t> rows;        ///< which rows of the split these are, increasing
  std::vector<std::uint32_t> checksums;  ///< of these rows with their classes, as scanned: checksum_with_class
  bool operator==(const ExtractTask&) const = default;
};
/// The parts into CACHE/<id>.h5.
struct AssembleTask {
  FeatureRecipe recipe;
  std::vector<std::int64_t> part_sizes;
  bool operator==(const AssembleTask&) const = default;
};
/// One training or baseline fit on two assembled sets.
struct TrainTask {
  sweeps::Job job;
  std::string train_file, train_id, train_identity;
  std::string test_file, test_id, test_identity;
  /// plad and rotation on a data set whose own statistics normalise its images (SPARK): 3 each, of values in [0, 1].
  /// Else empty.
  std::vector<double> mean, std_dev;
  sweeps::Keep keep = {};  ///< beside the result; where is told to the trainer when it starts
  bool operator==(const TrainTask&) const = default;
};
using Task = std::variant<ScanTask, ExtractTask, AssembleTask, TrainTask>;

// ---- what tasks come out with
// ------------------------------------------------------------------------------------------------

/// Where a task's time went, in seconds; all 0 where its work was found done.
struct Spent {
  double waiting = 0;    ///< for rows that are being read
  double computing = 0;  ///< resize and backbone
  double writing = 0;
  bool operator==(const Spent&) const = default;
};

struct ScannedImage {
  std::uint32_t crc32c = 0;  ///< of the decoded RGB bytes and the size
  int width = 0;
  int height = 0;
  /// Sums over pixels of v and v^2, v = byte / 255 scaled back: plain byte sums as stored (exact), r g b. Empty for a
  /// row of features, which counts as an image of width L and height 1; its checksum is of its L float32 numbers.
  std::vector<double> sums, squares;
  /// The same of the image in [0, 1] after the resize to the square; empty where the data set's images cannot differ in
  /// size and have no first square.
  std::vector<double> square_sums, square_squares;
  std::string fault = {};  ///< why the row cannot be read, one line; nothing else is known of it then. "": it was read
  bool operator==(const ScannedImage&) const = default;
};
struct Scanned {
  std::vector<ScannedImage> images;
  Spent spent = {};
  bool operator==(const Scanned&) const = default;
};
struct Extracted {
  std::int64_t rows = 0;
  Spent spent = {};
  bool operator==(const Extracted&) const = default;
};
struct Assembled {
  std::string checksum;
  bool operator==(const Assembled&) const = default;
};
struct Trained {
  results::JobResult result;
  bool operator==(const Trained&) const = default;
};
using TaskOutput = std::variant<Scanned, Extracted, Assembled, Trained>;

/// Why a try ended without an output (design.md section 5).
enum class Cause {
  bad_input,      ///< data, weights or a feature file are damaged or missing: trying again cannot help
  disk_full,      ///< no room to write to: trying again cannot help, and no job is to blame
  search_failed,  ///< the learning-rate range test suggests no rate: it would say so again
  exception,      ///< anything else the trainer threw
  out_of_memory,  ///< host: killed by the kernel's OOM killer or std::bad_alloc
  device_out_of_memory,
  signal,        ///< the trainer died of a signal
  exited,        ///< the trainer ended by itself with a status
  hung,          ///< no progress within the deadline
  start_failed,  ///< the trainer process could not be started or did not greet in time
  worker_lost,   ///< heartbeat or link gone: infrastructure
  drained,       ///< given back on request: charged to no budget
};
std::string_view name_of(Cause cause);
std::optional<Cause> cause_called(std::string_view name);
/// Never charged to the job: worker_lost, drained, disk_full.
bool is_infrastructure(Cause cause);
/// The same task would end the same way again, on any worker, and the trainer is sound: bad_input, search_failed,
/// disk_full.
bool is_final(Cause cause);
/// After any other the next task finds the same trainer, with what it has in memory.
bool takes_the_trainer_along(Cause cause);
/// The job itself ended this try, so the next one begins anew and takes no checkpoint: bad_input, search_failed,
/// exception, exited. What befell it from outside (signal, out of memory, hung, lost, drained) loses no work.
bool is_of_the_training(Cause cause);

// ---- coordinator -> worker
// -----------------------------------------------------------------------------------------------------

struct Assign {
  TaskId task;
  Attempt attempt;
  Task what;
  int anew_through = 0;  ///< the checkpoints of attempts up to this one are not to be gone on with
  bool operator==(const Assign&) const = default;
};
/// The worker is wanted back. A training that is long, or that cannot end in time, writes a checkpoint and gives itself
/// back (TaskFailed, drained); anything else runs to its end. See workers/checkpoint_timing.hpp.
struct Suspend {
  TaskId task;
  Attempt attempt;
  std::optional<double> seconds_left = {};  ///< until the allocation ends; absent: not known
  bool operator==(const Suspend&) const = default;
};
/// What it will probably be given after the training that it has: its trainer may read the features of that in advance.
/// A guess, from which nothing else follows.
struct Prepare {
  TrainTask next;
  bool operator==(const Prepare&) const = default;
};
struct Shutdown {
  bool operator==(const Shutdown&) const = default;
};
/// It was given up (silence, a broken link) and has spoken again: drop whatever it holds and greet as a fresh worker.
struct StartAnew {
  bool operator==(const StartAnew&) const = default;
};
/// From now on trainers see this GPU of the host and no other. Comes before the first Assign; never: the environment is
/// left as it is, and trainers compute on the CPU.
struct UseGpu {
  std::string uuid;
  bool operator==(const UseGpu&) const = default;
};
using ToWorker = std::variant<Assign, Suspend, Prepare, Shutdown, StartAnew, UseGpu>;

// ---- worker -> coordinator
// -----------------------------------------------------------------------------------------------------

struct Hello {
  int protocol = kProtocolVersion;
  std::string host;
  int pid = 0;
  int threads = 1;
  VisibleGpus visible;         ///< what the coordinator may choose from
  std::string faults = {};     ///< PLUME_FAULT of its trainers; "" where it is not set
  std::string processor = {};  ///< storage::processor_kind()
  bool operator==(const Hello&) const = default;
};
/// How long a trainer has not moved: see workers/progress_watch.hpp.
struct Stillness {
  double seconds = 0;
  double allowed = 0;  ///< after which it is killed
  bool moved = false;  ///< before that; else it is still loading
  bool operator==(const Stillness&) const = default;
};
struct Heartbeat {
  std::optional<Stillness> still = {};  ///< while a trainer has a task
  bool operator==(const Heartbeat&) const = default;
};
struct EpochDone {
  TaskId task;
  Attempt attempt;
  results::EpochRecord epoch;
  bool operator==(const EpochDone&) const = default;
};
struct TaskDone {
  TaskId task;
  Attempt attempt;
  TaskOutput output;
  double wall_seconds = 0;
  std::string started;  ///< UTC
  bool operator==(const TaskDone&) const = default;
};
struct TaskFailed {
  TaskId task;
  Attempt attempt;
  Cause cause = Cause::exception;
  std::string message;              ///< one line
  bool reached_epoch = false;       ///< a first epoch (or any output) had been made: the worker itself is not suspect
  std::string standard_error = {};  ///< the end of what the trainer wrote there during this attempt
  bool operator==(const TaskFailed&) const = default;
};
/// A checkpoint is durable.
struct CheckpointWritten {
  TaskId task;
  Attempt attempt;
  int epoch = 0;             ///< under way, from 0
  std::int64_t batches = 0;  ///< of it that were trained
  std::int64_t bytes = 0;
  double seconds = 0;  ///< that it took
  bool operator==(const CheckpointWritten&) const = default;
};
/// A training goes on from a checkpoint.
struct Resumed {
  TaskId task;
  Attempt attempt;
  int from = 1;  ///< the attempt that wrote it
  int epoch = 0;
  std::int64_t batches = 0;
  double seconds = 0;  ///< that it took to read
  bool operator==(const Resumed&) const = default;
};
/// Something that a person should know of a task that goes on: a checkpoint that was refused or cannot be written.
struct Remark {
  TaskId task;
  Attempt attempt;
  std::string text;  ///< one line
  bool operator==(const Remark&) const = default;
};
struct Goodbye {
  bool operator==(const Goodbye&) const = default;
};
using ToCoordinator =
    std::variant<Hello, Heartbeat, EpochDone, CheckpointWritten, Resumed, Remark, TaskDone, TaskFailed, Goodbye>;

// ---- trainer process -> supervisor (a supervisor sends it Assign, Suspend, Prepare and Shutdown)
// ----------------------------------------------------

struct Ready {
  int protocol = kProtocolVersion;
  int threads = 1;
  std::string device = "cpu";  ///< kind that it computes on
  std::string gpu = {};  ///< UUID of the one that it was given, verified: CUDA shows it and no other; "" without one
  int engine = sweeps::kEngineVersion;  ///< of its arithmetic: the coordinator's, or results would bear a false one
  bool operator==(const Ready&) const = default;
};
/// Something moved: a batch was trained, some rows were extracted. At most ten a second.
struct Progress {
  TaskId task;
  Attempt attempt;
  bool operator==(const Progress&) const = default;
};
using FromTrainer = std::variant<Ready, Progress, EpochDone, CheckpointWritten, Resumed, Remark, TaskDone, TaskFailed>;

// ---- encoding
// ------------------------------------------------------------------------------------------------------------------

/// JSON text with "v" and "type". Decoding throws storage::Error naming the key that is wrong.
std::string encode(const ToWorker& message);
std::string encode(const ToCoordinator& message);
std::string encode(const FromTrainer& message);
ToWorker decode_to_worker(std::string_view text);
ToCoordinator decode_to_coordinator(std::string_view text);
FromTrainer decode_from_trainer(std::string_view text);

/// No fault of a row is longer, in bytes.
inline constexpr std::size_t kLongestFault = 600;

/// No message is longer than this (a scan slice of 1,024 images is about 0.4 MB).
inline constexpr std::size_t kMaxMessageBytes = std::size_t{64} << 20;

/// Of so many trainings that differ in them, the last ones, a trainer keeps the features in memory.
inline constexpr std::size_t kFeaturesKept = 2;

}  // namespace workers
