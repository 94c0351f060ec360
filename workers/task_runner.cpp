// The work of a trainer process, task by task: images -> scan, images -> feature parts, parts -> feature set, feature
// sets -> result.
#include "workers/task_runner.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "plume/method.hpp"
#include "plume/step_device.hpp"
#include "results/dump.hpp"
#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "sweeps/backbones.hpp"
#include "workers/checkpoint_keeper.hpp"
#include "workers/feature_parts.hpp"
#include "workers/feature_set.hpp"
#include "workers/free_memory.hpp"
#include "workers/kept_training.hpp"
#include "workers/row_maker.hpp"
#include "workers/row_scan.hpp"
#include "workers/trainer_device.hpp"

namespace workers {

struct LoadedSet {
  std::string id;
  std::string checksum;
  std::vector<std::string> classes;
  std::vector<int> labels;
  std::vector<std::string> ids;
  at::Tensor rows;      // [N, L] float32, or [N, 3, 32, 32] uint8
  at::Tensor resident;  // the same in the memory of the device that trains, from the first training on

  /// Where `method` is computed: trainings on the device, baselines on the CPU.
  const at::Tensor& rows_for(sweeps::Method method) {
    const auto* device = step_device();
    if (device == nullptr || !sweeps::is_trained(method)) return rows;
    if (!resident.defined()) resident = rows.to(device->device());
    return resident;
  }
};

namespace {

/// Copied by this thread alone: LibTorch's own copy would start its threads once more for the thread that reads in
/// advance.
template <typename Number>
at::Tensor tensor_of(const std::vector<Number>& numbers, at::IntArrayRef sizes, at::ScalarType type) {
  at::Tensor rows = at::empty(sizes, type);
  if (!numbers.empty()) std::memcpy(rows.mutable_data_ptr(), numbers.data(), numbers.size() * sizeof(Number));
  return rows;
}

at::Tensor tensor_of(const storage::FeatureTable& table) {
  const auto n = table.row_count;
  if (table.kind() == storage::RowKind::images) {
    return tensor_of(table.images(), {n, storage::kImageChannels, storage::kImageSide, storage::kImageSide}, at::kByte);
  }
  return tensor_of(table.features(), {n, table.row_length}, at::kFloat);
}

std::shared_ptr<LoadedSet> read_set(const SetOnDisk& wanted) {
  auto table = storage::read_feature_file(wanted.file, wanted.kind, wanted.identity);
  auto set = std::make_shared<LoadedSet>();
  set->id = wanted.id;
  set->checksum = std::move(table.checksum);
  set->classes = std::move(table.classes);
  set->labels.assign(table.labels.begin(), table.labels.end());
  set->ids = std::move(table.ids);
  set->rows = tensor_of(table);
  return set;
}

SetOnDisk training_set(const TrainTask& task) {
  return {task.train_file, task.train_id, row_kind_of(sweeps::backbone_of(task.job)), task.train_identity};
}

SetOnDisk test_set(const TrainTask& task) {
  return {task.test_file, task.test_id, row_kind_of(sweeps::backbone_of(task.job)), task.test_identity};
}

std::array<double, 3> three(const std::vector<double>& values) {
  return {values.at(0), values.at(1), values.at(2)};
}

}  // namespace

struct TaskRunner::State {
  int threads = 1;
  std::filesystem::path keep_in;
  std::optional<DataSource> source;
  std::unique_ptr<datasets::Dataset> dataset;
  RowMaker row_maker;
  LoadedSets sets{read_set, [] { return free_memory(); }};  // last: it may be reading until it ends

  const datasets::Dataset& open(const DataSource& wanted) {
    if (!dataset || source != wanted) {
      dataset = datasets::open_dataset(wanted.spec, wanted.root);
      source = wanted;
    }
    return *dataset;
  }
};

namespace {

plume::JobData job_data(const TrainTask& task, LoadedSet& train, LoadedSet& test) {
  plume::JobData data;
  data.normal_classes = sweeps::normal_classes_of(task.job, train.classes);
  const auto is_normal = [&](int label) {
    return std::find(data.normal_classes.begin(), data.normal_classes.end(), label) != data.normal_classes.end();
  };
  std::vector<std::int64_t> normal_rows;
  for (std::size_t i = 0; i < train.labels.size(); ++i) {
    if (is_normal(train.labels[i])) normal_rows.push_back(static_cast<std::int64_t>(i));
  }
  const at::Tensor& rows = train.rows_for(task.job.method);
  data.train = rows.index_select(0, at::tensor(normal_rows, at::kLong).to(rows.device()));
  data.test = test.rows_for(task.job.method);
  data.classes = test.classes;
  data.test_labels = test.labels;
  if (!task.mean.empty()) data.statistics = {three(task.mean), three(task.std_dev)};
  return data;
}

/// From the best checkpoint that fits, else from the beginning.
results::JobResult run_job(const sweeps::Job& job, const plume::JobData& data, plume::Observer observer,
                           CheckpointKeeper* checkpoints) {
  if (checkpoints == nullptr || !sweeps::is_trained(job.method)) {
    return plume::run_job(job, data, observer, nullptr, step_device());
  }
  observer.on_boundary = [checkpoints](const plume::Boundary& boundary) { checkpoints->at_boundary(boundary); };
  while (const auto state = checkpoints->next_state()) {
    try {
      return plume::run_job(job, data, observer, &*state, step_device());
    } catch (const plume::StateRefused& error) {
      checkpoints->refuse(error.what());
    }
  }
  return plume::run_job(job, data, observer, nullptr, step_device());
}

}  // namespace

InAdvance most_in_advance() {
  return step_device() == nullptr ? InAdvance::from_disk : InAdvance::into_memory;
}

TaskRunner::TaskRunner(int threads, std::filesystem::path keep_in) : state_(std::make_unique<State>()) {
  state_->threads = threads;
  state_->keep_in = std::move(keep_in);
}
TaskRunner::~TaskRunner() = default;

void TaskRunner::free_device_memory() {
  state_->sets.for_each([](LoadedSet& set) { set.resident = at::Tensor(); });
  workers::free_device_memory();
}

void TaskRunner::prepare(const TrainTask& next, InAdvance how) {
  state_->sets.prepare({training_set(next), test_set(next)}, how);
}

TaskOutput TaskRunner::run(const Task& task, const std::function<void()>& on_progress,
                           const std::function<void(const results::EpochRecord&)>& on_epoch,
                           CheckpointKeeper* checkpoints) {
  if (const auto* wanted = std::get_if<TrainTask>(&task)) return train(*wanted, on_progress, on_epoch, checkpoints);
  const LoadedSets::Pause alone(state_->sets, on_progress);
  if (const auto* scan = std::get_if<ScanTask>(&task)) {
    return scan_rows(state_->open(scan->data), *scan, state_->threads, on_progress);
  }
  if (const auto* part = std::get_if<ExtractTask>(&task)) {
    const auto data = [&]() -> const datasets::Dataset& { return state_->open(part->recipe.data); };
    return extract_part(*part, data, state_->row_maker, state_->threads, on_progress);
  }
  return assemble_parts(std::get<AssembleTask>(task), on_progress);
}

Trained TaskRunner::train(const TrainTask& wanted, const std::function<void()>& on_progress,
                          const std::function<void(const results::EpochRecord&)>& on_epoch,
                          CheckpointKeeper* checkpoints) {
  const auto train = state_->sets.get(training_set(wanted));
  const auto test = state_->sets.get(test_set(wanted));
  if (checkpoints != nullptr) {
    checkpoints->begin({sweeps::key_of(wanted.job).hex,
                        sweeps::kEngineVersion,
                        device_kind(),
                        state_->threads,
                        {train->id, train->checksum},
                        {test->id, test->checksum}});
  }
  const plume::JobData data = job_data(wanted, *train, *test);
  plume::Observer observer{on_progress, on_epoch};
  if (wanted.keep.anything() && !state_->keep_in.empty()) {
    observer.keep = parts_for(wanted.keep);
    observer.on_finished = [&](const plume::FinishedTraining& finished) {
      const LoadedSets::Pause alone(state_->sets, on_progress);  // what is kept is written as HDF5
      try {
        write_kept({state_->keep_in, wanted.job, wanted.keep, wanted.train_identity, test->ids}, data, finished,
                   on_progress);
      } catch (const results::DumpRefused& error) {  // its result is as good as any
        if (checkpoints != nullptr) checkpoints->remark(error.what());
      }
    };
  }
  Trained trained{run_job(wanted.job, data, std::move(observer), checkpoints)};
  trained.result.train = {train->id, train->checksum};
  trained.result.test = {test->id, test->checksum};
  trained.result.weights = weights_of(wanted.train_identity);
  if (weights_of(wanted.test_identity) != trained.result.weights)
    throw storage::Error(fmt::format("feature sets {} and {} were made with different weights", train->id, test->id));
  trained.result.device = sweeps::is_trained(wanted.job.method) ? device_kind() : "cpu";
  trained.result.threads = state_->threads;
  return trained;
}

}  // namespace workers
