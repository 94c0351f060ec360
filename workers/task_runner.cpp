// The work of a trainer process, task by task: images -> scan, images -> feature parts, parts -> feature set, feature
// sets -> result.
#include "workers/task_runner.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "plume/method.hpp"
#include "plume/step_device.hpp"
#include "results/dump.hpp"
#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "sweeps/backbones.hpp"
#include "workers/checkpoint_keeper.hpp"
#include "workers/feature_parts.hpp"
#include "workers/feature_set.hpp"
#include "workers/kept_training.hpp"
#include "workers/row_maker.hpp"
#include "workers/row_scan.hpp"
#include "workers/trainer_device.hpp"

namespace workers {
namespace {

/// Feature sets that stay loaded: the two of the last job and the two of the one before.
constexpr std::size_t kLoadedSets = 4;

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

at::Tensor tensor_of(storage::FeatureTable& table) {
  const auto n = table.row_count;
  if (auto* bytes = std::get_if<std::vector<std::uint8_t>>(&table.rows)) {
    const auto sizes = {n, storage::kImageChannels, storage::kImageSide, storage::kImageSide};
    return at::from_blob(bytes->data(), sizes, at::kByte).clone();
  }
  auto& numbers = std::get<std::vector<float>>(table.rows);
  return at::from_blob(numbers.data(), {n, table.row_length}, at::kFloat).clone();
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
  std::deque<std::shared_ptr<LoadedSet>> sets;  // last used first

  const datasets::Dataset& open(const DataSource& wanted) {
    if (!dataset || source != wanted) {
      dataset = datasets::open_dataset(wanted.spec, wanted.root);
      source = wanted;
    }
    return *dataset;
  }
  std::shared_ptr<LoadedSet> load_set(const std::string& file, const std::string& id, storage::RowKind kind,
                                      const std::string& identity);
};

std::shared_ptr<LoadedSet> TaskRunner::State::load_set(const std::string& file, const std::string& id,
                                                       storage::RowKind kind, const std::string& identity) {
  const auto found = std::find_if(sets.begin(), sets.end(), [&](const auto& set) { return set->id == id; });
  if (found != sets.end()) {
    auto set = *found;
    sets.erase(found);
    sets.push_front(set);
    return set;
  }
  auto table = storage::read_feature_file(file, kind, identity);
  auto set = std::make_shared<LoadedSet>();
  set->id = id;
  set->checksum = storage::payload_checksum(table);
  set->classes = table.classes;
  set->labels.assign(table.labels.begin(), table.labels.end());
  set->ids = std::move(table.ids);
  set->rows = tensor_of(table);
  sets.push_front(set);
  if (sets.size() > kLoadedSets) sets.pop_back();
  return set;
}

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

TaskRunner::TaskRunner(int threads, std::filesystem::path keep_in) : state_(std::make_unique<State>()) {
  state_->threads = threads;
  state_->keep_in = std::move(keep_in);
}
TaskRunner::~TaskRunner() = default;

void TaskRunner::free_device_memory() {
  for (const auto& set : state_->sets) set->resident = at::Tensor();
  workers::free_device_memory();
}

TaskOutput TaskRunner::run(const Task& task, const std::function<void()>& on_progress,
                           const std::function<void(const results::EpochRecord&)>& on_epoch,
                           CheckpointKeeper* checkpoints) {
  if (const auto* scan = std::get_if<ScanTask>(&task)) {
    return scan_rows(state_->open(scan->data), *scan, state_->threads, on_progress);
  }
  if (const auto* part = std::get_if<ExtractTask>(&task)) {
    const auto data = [&]() -> const datasets::Dataset& { return state_->open(part->recipe.data); };
    return extract_part(*part, data, state_->row_maker, state_->threads, on_progress);
  }
  if (const auto* parts = std::get_if<AssembleTask>(&task)) return assemble_parts(*parts, on_progress);

  const auto& wanted = std::get<TrainTask>(task);
  const auto kind = row_kind_of(sweeps::backbone_of(wanted.job));
  const auto train = state_->load_set(wanted.train_file, wanted.train_id, kind, wanted.train_identity);
  const auto test = state_->load_set(wanted.test_file, wanted.test_id, kind, wanted.test_identity);
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
