// The work of a trainer process, task by task: images -> scan, images -> feature parts, parts -> feature set, feature
// sets -> result.
#include "workers/task_runner.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "plume/method.hpp"
#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "sweeps/backbones.hpp"
#include "workers/feature_set.hpp"
#include "workers/row_maker.hpp"
#include "workers/row_scan.hpp"

namespace workers {
namespace {

/// Images that go through a backbone together. Rows do not depend on it beyond rounding; fixed, so that a set's bytes
/// do not depend on how it was cut into slices (1,024 rows, a multiple of it).
constexpr std::int64_t kExtractBatch = 32;
/// Feature sets that stay loaded: the two of the last job and the two of the one before.
constexpr std::size_t kLoadedSets = 4;

struct LoadedSet {
  std::string id;
  std::string checksum;
  std::vector<std::string> classes;
  std::vector<int> labels;
  at::Tensor rows;  // [N, L] float32, or [N, 3, 32, 32] uint8
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

std::string part_identity(const ExtractTask& task) {
  return fmt::format("{}#rows {}+{}", task.recipe.identity, task.first, task.count);
}

}  // namespace

struct TaskRunner::State {
  int threads = 1;
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
  set->rows = tensor_of(table);
  sets.push_front(set);
  if (sets.size() > kLoadedSets) sets.pop_back();
  return set;
}

namespace {

/// A table of that kind, without rows.
storage::FeatureTable empty_table(const FeatureRecipe& recipe) {
  storage::FeatureTable table;
  table.row_length = recipe.row_length;
  if (row_kind_of(recipe.backbone) == storage::RowKind::images) table.rows = std::vector<std::uint8_t>{};
  return table;
}

Extracted extract(const ExtractTask& task, const datasets::Dataset& data, const AppendRows& append_rows,
                  const std::function<void()>& on_progress) {
  const auto& recipe = task.recipe;
  const auto rows = datasets::first_of_each_class(data, recipe.split, recipe.rows_per_class);
  if (task.first < 0 || task.count < 1 || task.first + task.count > static_cast<std::int64_t>(rows.size())) {
    throw storage::Error(fmt::format(
        "{}: the {} split has {} rows, rows {} to {} were wanted: the data changed during the run; run again",
        recipe.data.spec.id, datasets::name_of(recipe.split), rows.size(), task.first, task.first + task.count));
  }
  storage::FeatureTable table = empty_table(recipe);
  table.identity = part_identity(task);
  table.row_count = task.count;
  table.classes = data.classes();
  std::visit([&](auto& all) { all.reserve(static_cast<std::size_t>(table.row_count * table.row_length)); }, table.rows);
  for (std::int64_t begin = task.first; begin < task.first + task.count; begin += kExtractBatch) {
    const auto end = std::min(begin + kExtractBatch, task.first + task.count);
    std::vector<RowToRead> batch;
    for (auto i = begin; i < end; ++i) {
      const auto row = rows[static_cast<std::size_t>(i)];
      batch.push_back({row, task.checksums.at(static_cast<std::size_t>(i - task.first))});
      table.labels.push_back(data.label(recipe.split, row));
      table.ids.push_back(data.row_id(recipe.split, row));
    }
    append_rows(batch, table.rows);
    on_progress();
  }
  storage::write_feature_file(part_file(recipe.cache, recipe.id, task.part), table);
  return {task.count};
}

storage::FeatureTable read_set(const std::filesystem::path& file, const FeatureRecipe& recipe,
                               const std::string& identity) {
  return storage::read_feature_file(file, row_kind_of(recipe.backbone), identity);
}

/// A part that an earlier run left whole is taken as it is.
bool part_is_there(const ExtractTask& task) {
  const auto file = part_file(task.recipe.cache, task.recipe.id, task.part);
  if (!std::filesystem::exists(file)) return false;
  try {
    return read_set(file, task.recipe, part_identity(task)).row_count == task.count;
  } catch (const storage::Error&) {
    std::filesystem::remove(file);
    return false;
  }
}

/// The checksum of the whole set when another run has finished it meanwhile; that run may have removed our parts.
std::optional<std::string> finished_by_another(const FeatureRecipe& recipe) {
  const auto file = feature_file(recipe.cache, recipe.id);
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    return storage::payload_checksum(read_set(file, recipe, recipe.identity));
  } catch (const storage::Error&) {
    return std::nullopt;
  }
}

storage::FeatureTable join_parts(const AssembleTask& task, const std::function<void()>& on_progress) {
  const auto& recipe = task.recipe;
  storage::FeatureTable whole = empty_table(recipe);
  whole.identity = recipe.identity;
  std::int64_t first = 0;
  for (std::size_t k = 0; k < task.part_sizes.size(); ++k) {
    const ExtractTask part{recipe, static_cast<std::int64_t>(k), first, task.part_sizes[k], {}};
    auto table = read_set(part_file(recipe.cache, recipe.id, part.part), recipe, part_identity(part));
    whole.row_count += table.row_count;
    whole.classes = table.classes;
    std::visit(
        [&](auto& all) {
          const auto& more = std::get<std::decay_t<decltype(all)>>(table.rows);
          all.insert(all.end(), more.begin(), more.end());
        },
        whole.rows);
    whole.labels.insert(whole.labels.end(), table.labels.begin(), table.labels.end());
    std::move(table.ids.begin(), table.ids.end(), std::back_inserter(whole.ids));
    first += task.part_sizes[k];
    on_progress();
  }
  return whole;
}

Assembled assemble(const AssembleTask& task, const std::function<void()>& on_progress) {
  const auto& recipe = task.recipe;
  storage::FeatureTable whole;
  try {
    whole = join_parts(task, on_progress);
  } catch (const storage::Error&) {
    if (const auto checksum = finished_by_another(recipe)) return {*checksum};
    throw;
  }
  const auto checksum = storage::write_feature_file(feature_file(recipe.cache, recipe.id), whole);
  std::error_code ignored;  // another run may be cleaning up the same folder
  std::filesystem::remove_all(part_file(recipe.cache, recipe.id, 0).parent_path(), ignored);
  return {checksum};
}

plume::JobData job_data(const TrainTask& task, const LoadedSet& train, const LoadedSet& test) {
  plume::JobData data;
  data.normal_classes = sweeps::normal_classes_of(task.job, train.classes);
  const auto is_normal = [&](int label) {
    return std::find(data.normal_classes.begin(), data.normal_classes.end(), label) != data.normal_classes.end();
  };
  std::vector<std::int64_t> normal_rows;
  for (std::size_t i = 0; i < train.labels.size(); ++i) {
    if (is_normal(train.labels[i])) normal_rows.push_back(static_cast<std::int64_t>(i));
  }
  data.train = train.rows.index_select(0, at::tensor(normal_rows, at::kLong));
  data.test = test.rows;
  data.classes = test.classes;
  data.test_labels = test.labels;
  if (!task.mean.empty()) data.statistics = {three(task.mean), three(task.std_dev)};
  return data;
}

}  // namespace

TaskRunner::TaskRunner(int threads) : state_(std::make_unique<State>()) {
  state_->threads = threads;
}
TaskRunner::~TaskRunner() = default;

TaskOutput TaskRunner::run(const Task& task, const std::function<void()>& on_progress,
                           const std::function<void(const results::EpochRecord&)>& on_epoch) {
  if (const auto* scan = std::get_if<ScanTask>(&task)) {
    const auto& data = state_->open(scan->data);
    Scanned scanned;
    for (auto i = scan->first; i < scan->first + scan->count; ++i) {
      scanned.images.push_back(scan_row(data, *scan, i));
      on_progress();
    }
    return scanned;
  }
  if (const auto* part = std::get_if<ExtractTask>(&task)) {
    if (part_is_there(*part) || finished_by_another(part->recipe)) return Extracted{part->count};
    const auto& data = state_->open(part->recipe.data);
    try {
      return extract(*part, data, state_->row_maker.rows_of(part->recipe, data), on_progress);
    } catch (const storage::Error&) {
      // Another run may have finished the set and removed the folder of parts under our hands.
      if (finished_by_another(part->recipe)) return Extracted{part->count};
      throw;
    }
  }
  if (const auto* parts = std::get_if<AssembleTask>(&task)) return assemble(*parts, on_progress);

  const auto& wanted = std::get<TrainTask>(task);
  const auto kind = row_kind_of(sweeps::backbone_of(wanted.job));
  const auto train = state_->load_set(wanted.train_file, wanted.train_id, kind, wanted.train_identity);
  const auto test = state_->load_set(wanted.test_file, wanted.test_id, kind, wanted.test_identity);
  Trained trained{plume::run_job(wanted.job, job_data(wanted, *train, *test), {on_progress, on_epoch})};
  trained.result.train = {train->id, train->checksum};
  trained.result.test = {test->id, test->checksum};
  trained.result.weights = weights_of(wanted.train_identity);
  if (weights_of(wanted.test_identity) != trained.result.weights)
    throw storage::Error(fmt::format("feature sets {} and {} were made with different weights", train->id, test->id));
  trained.result.device = "cpu";
  trained.result.threads = state_->threads;
  return trained;
}

}  // namespace workers
