// Plans feature sets and the jobs that need them. Scans are feature_plan_scan.cpp's.
#include "runner/feature_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "datasets/official.hpp"
#include "runner/job_times.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "sweeps/backbones.hpp"
#include "workers/checksums.hpp"
#include "workers/kept_scan.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
using datasets::Split;

/// Of all that a scan's outcome depends on: not which classes are trained on together, nor how many rows may be
/// skipped.
std::string scan_key_of(sweeps::DatasetSpec spec, const datasets::Dataset& dataset, int square) {
  spec.normal_sets.clear();
  spec.skip = 0;
  return storage::hex(storage::sha256(fmt::format("{}\n{}\n{}\n{}", sweeps::canonical_text(spec), dataset.stamp(),
                                                  square, workers::kFeatureFormatVersion)),
                      16);
}

/// The input of every backbone that normalises. The images of plad and rotation need no sums after a resize.
int only_input_size() {
  return sweeps::known_backbones().front().input_size;
}

/// Checksums of the cache's files by set id, each file opened once; "" where there is none.
class CachedChecksums {
 public:
  explicit CachedChecksums(fs::path cache) : cache_(std::move(cache)) {}
  const std::string& of(const std::string& id) {
    const auto known = by_id_.find(id);
    if (known != by_id_.end()) return known->second;
    return by_id_[id] = read(id);
  }

 private:
  /// A damaged or foreign file says nothing about a result; it is made again when a job needs it.
  std::string read(const std::string& id) const {
    const auto file = workers::feature_file(cache_, id);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return "";
    try {
      const auto header = storage::read_feature_header(file);
      return workers::feature_set_id(header.identity) == id ? header.checksum : "";
    } catch (const storage::Error&) {
      return "";
    }
  }

  fs::path cache_;
  std::map<std::string, std::string> by_id_;
};

/// What tells a used feature set from today's, in words; empty where nothing does.
std::string difference(const results::FeatureUse& used, const workers::FeatureRecipe& today,
                       CachedChecksums& checksums) {
  if (used.id != today.id) return fmt::format("feature set {}, today's is {}", used.id, today.id);
  const auto& checksum = checksums.of(today.id);
  if (checksum.empty() || checksum == used.checksum) return "";
  return fmt::format("feature set {} with checksum {}, the cache's has {}", used.id, used.checksum, checksum);
}

std::int64_t row_length_of(const std::string& backbone, const datasets::Dataset& dataset) {
  if (const auto* vectors = dynamic_cast<const datasets::Vectors*>(&dataset)) return vectors->row_length();
  return sweeps::backbone_facts(backbone).row_length;
}

/// What workers and scans know of a data set: no row depends on which classes are trained on together.
sweeps::DatasetSpec without_sets(sweeps::DatasetSpec spec) {
  spec.normal_sets.clear();
  return spec;
}

int first_square_of(const datasets::Dataset& dataset) {
  const auto* images = dynamic_cast<const datasets::Images*>(&dataset);
  return images == nullptr ? 0 : images->first_square();
}

bool is_whole(const fs::path& file, const workers::FeatureRecipe& recipe,
              const std::function<void(const std::string&)>& say) {
  if (!fs::exists(file)) return false;
  try {
    storage::read_feature_file(file, workers::row_kind_of(recipe.backbone), recipe.identity);
    return true;
  } catch (const storage::Error& error) {
    const fs::path aside = file.string() + ".damaged";
    fs::rename(file, aside);
    say(fmt::format("{} is moved to {} and made again, because: {}", file.string(), aside.filename().string(),
                    error.what()));
    return false;
  }
}

}  // namespace

FeaturePlan::FeaturePlan(const sweeps::Sweep& sweep, const Site& site, NoData without)
    : cache_(site.cache), site_(site) {
  for (const auto& spec : sweep.datasets) {
    Opened o;
    o.sets_of_sweep = spec.normal_sets;
    if (without == NoData::official && !site.data.contains(spec.id)) o.dataset = datasets::official_dataset(spec.kind);
    if (o.dataset) {
      o.source.spec = without_sets(spec);
      o.train_rows = datasets::rows_of_classes(*o.dataset, Split::train);
      datasets_.emplace(spec.id, std::move(o));
      not_opened_.insert(spec.id);
      continue;
    }
    o.source = {without_sets(spec), spec.kind == "synthetic" ? "" : site.data_root(spec.id).string()};
    o.dataset = datasets::open_dataset(spec, o.source.root);
    o.train_rows = datasets::rows_of_classes(*o.dataset, Split::train);
    o.scan_rule = workers::scan_rule_of(*o.dataset, only_input_size());
    o.scan_key = scan_key_of(spec, *o.dataset, o.scan_rule.square);
    o.scan = workers::load_scan(cache_, o.scan_key);
    datasets_.emplace(spec.id, std::move(o));
  }
}

void FeaturePlan::find_weights(const std::vector<sweeps::Job>& jobs, NoWeights without) {
  for (const auto& job : jobs) {
    if (!sweeps::has_weights(sweeps::backbone_of(job)) || weights_.count(job.backbone) > 0) continue;
    const auto& published = sweeps::backbone_facts(job.backbone).weights_file;
    const auto missing = site_.why_no_weights(job.backbone, published);
    if (without == NoWeights::random && !missing.empty()) {
      weights_[job.backbone] = {"random:0", "random:0", missing};
      continue;
    }
    const auto source = site_.weights_file(job.backbone, published).string();
    const bool random = sweeps::random_weights_seed(source).has_value();
    weights_[job.backbone] = {source, random ? source : storage::hex(storage::sha256_of_file(source))};
  }
}

const FeaturePlan::Opened& FeaturePlan::opened(const std::string& dataset) const {
  return datasets_.at(dataset);
}

/// Before any image is read: a channel that never varies cannot be divided by its spread.
static void check_spread(const sweeps::Job& job, const workers::ChannelStatistics& statistics) {
  constexpr double kLeast = 1e-7;  // of a range of 1: one grey level in a billion pixels is above it
  constexpr const char* kChannels[] = {"red", "green", "blue"};
  for (std::size_t c = 0; c < 3; ++c) {
    if (statistics.std_dev[c] > kLeast) continue;
    const auto whose = job.normalisation == sweeps::Normalisation::normal_class
                           ? fmt::format("of class {}", job.normal_class)
                           : std::string("of every class");
    throw storage::Error(fmt::format(
        "{}: {} is the same in all pixels of the training images {}, and \"normalisation\": \"{}\" divides by its "
        "spread; write \"normalisation\": \"imagenet\" in the sweep",
        job.dataset, kChannels[c], whose, sweeps::name_of(job.normalisation)));
  }
}

void FeaturePlan::put_through_backbone(const sweeps::Job& job, const workers::SplitScan& scan,
                                       workers::FeatureRecipe& recipe) const {
  const auto& o = opened(job.dataset);
  const auto& weights = weights_.at(job.backbone);
  const auto statistics =
      workers::statistics_for(job.normalisation, (*o.scan)[0], sweeps::normal_classes_of(job, o.dataset->classes()));
  check_spread(job, statistics);
  recipe.weights = weights.source;
  recipe.mean.assign(statistics.mean.begin(), statistics.mean.end());
  recipe.std_dev.assign(statistics.std_dev.begin(), statistics.std_dev.end());
  recipe.identity =
      workers::identity_of(scan, recipe.split, recipe.rows_per_class, job.backbone, weights.identity, job.normalisation,
                           statistics, sweeps::backbone_facts(job.backbone).input_size, first_square_of(*o.dataset));
}

workers::FeatureRecipe FeaturePlan::recipe(const sweeps::Job& job, Split split) const {
  const auto& o = opened(job.dataset);
  const auto& scan = (*o.scan)[static_cast<std::size_t>(split)];
  workers::FeatureRecipe r;
  r.data = o.source;
  r.split = split;
  r.rows_per_class = split == Split::train ? job.train_rows : job.test_rows;
  r.backbone = sweeps::backbone_of(job);
  r.row_length = row_length_of(r.backbone, *o.dataset);
  if (r.backbone == sweeps::kOwnFeatures) {
    r.identity = workers::identity_of_features(scan, split, r.rows_per_class, r.row_length);
  } else if (r.backbone == sweeps::kRawImages) {
    r.identity = workers::identity_of_images(scan, split, r.rows_per_class, first_square_of(*o.dataset));
  } else {
    put_through_backbone(job, scan, r);
  }
  r.id = workers::feature_set_id(r.identity);
  r.cache = cache_.string();
  for (const auto rows : scan.class_rows) r.row_count += r.rows_per_class ? std::min(rows, *r.rows_per_class) : rows;
  return r;
}

JobFeatures FeaturePlan::features_of(const sweeps::Job& job) const {
  return {recipe(job, Split::train), recipe(job, Split::test)};
}

FeaturePlan::SetRows FeaturePlan::rows_of(const workers::FeatureRecipe& recipe) const {
  const auto& o = opened(recipe.data.spec.id);
  const auto& scan = (*o.scan)[static_cast<std::size_t>(recipe.split)];
  const auto size = o.dataset->size(recipe.split);
  if (scan.row_count() != size) {
    throw storage::Error(fmt::format("{}: its scan has {} {} rows, the data set {}: it has changed; run again",
                                     recipe.data.spec.id, scan.row_count(), datasets::name_of(recipe.split), size));
  }
  std::vector<std::int64_t> skipped;
  for (const auto& row : scan.skipped) skipped.push_back(row.row);
  SetRows rows{datasets::first_of_each_class(*o.dataset, recipe.split, recipe.rows_per_class, skipped), {}};
  std::size_t skipped_before = 0;  // the scan has checksums of the others only
  for (const auto row : rows.numbers) {
    while (skipped_before < skipped.size() && skipped[skipped_before] < row) ++skipped_before;
    const auto label = static_cast<std::size_t>(o.dataset->label(recipe.split, row));
    rows.checksums.push_back(workers::checksum_with_class(
        scan.checksums.at(static_cast<std::size_t>(row) - skipped_before), o.dataset->classes().at(label)));
  }
  return rows;
}

std::vector<workers::TaskId> FeaturePlan::make_set(const workers::FeatureRecipe& recipe,
                                                   std::vector<PlannedTask>& tasks,
                                                   const std::function<void(const std::string&)>& say) {
  const auto known = sets_.find(recipe.id);
  if (known != sets_.end()) return known->second;
  auto& done_by = sets_[recipe.id];
  if (is_whole(workers::feature_file(cache_, recipe.id), recipe, say)) return done_by;
  const auto what =
      fmt::format("{} {} through {}", recipe.data.spec.id, datasets::name_of(recipe.split), recipe.backbone);
  PlannedTask last;
  const auto rows = rows_of(recipe);
  workers::AssembleTask assemble{recipe, {}};
  for (std::int64_t first = 0; first < recipe.row_count; first += kSliceRows) {
    PlannedTask part;
    part.id = next_id();
    const auto count = std::min(kSliceRows, recipe.row_count - first);
    part.what = workers::ExtractTask{recipe,
                                     static_cast<std::int64_t>(assemble.part_sizes.size()),
                                     first,
                                     count,
                                     {rows.numbers.begin() + first, rows.numbers.begin() + first + count},
                                     {rows.checksums.begin() + first, rows.checksums.begin() + first + count}};
    part.cost = static_cast<double>(count);
    part.effort = {"extract " + recipe.data.spec.id + " " + recipe.backbone, part.cost};
    part.name = fmt::format("extract {} {}+{}", what, first, count);
    assemble.part_sizes.push_back(count);
    last.needs.push_back(part.id);
    tasks.push_back(std::move(part));
  }
  last.id = next_id();
  last.what = std::move(assemble);
  last.name = "assemble " + what;
  done_by.push_back(last.id);
  tasks.push_back(std::move(last));
  return done_by;
}

/// The images of plad and rotation are normalised with the normal class's statistics, on SPARK with the data set's
/// (method.md section 2).
void FeaturePlan::add_statistics(const sweeps::Job& job, workers::TrainTask& task) const {
  const auto& o = opened(job.dataset);
  const auto* images = dynamic_cast<const datasets::Images*>(o.dataset.get());
  if (!sweeps::reads_images(job.method) || images->averaging() != datasets::Averaging::images) return;
  const auto statistics = workers::statistics_for(sweeps::Normalisation::dataset, (*o.scan)[0], {});
  task.mean.assign(statistics.mean.begin(), statistics.mean.end());
  task.std_dev.assign(statistics.std_dev.begin(), statistics.std_dev.end());
}

std::int64_t FeaturePlan::train_rows_of(const sweeps::Job& job) const {
  const auto& o = opened(job.dataset);
  std::int64_t rows = 0;
  for (const int k : sweeps::normal_classes_of(job, o.dataset->classes())) {
    const auto of_class = (*o.scan)[0].class_rows.at(static_cast<std::size_t>(k));
    rows += std::min(of_class, job.train_rows.value_or(of_class));
  }
  return rows;
}

std::vector<PlannedTask> FeaturePlan::tasks_for(const std::vector<sweeps::Job>& jobs,
                                                const std::function<void(const std::string&)>& say) {
  std::vector<PlannedTask> tasks;
  for (const auto& job : jobs) {
    const auto features = features_of(job);
    PlannedTask task;
    for (const auto* recipe : {&features.train, &features.test}) {
      const auto needs = make_set(*recipe, tasks, say);
      task.needs.insert(task.needs.end(), needs.begin(), needs.end());
    }
    task.id = next_id();
    workers::TrainTask train;
    train.job = job;
    train.train_id = features.train.id;
    train.train_identity = features.train.identity;
    train.train_file = workers::feature_file(cache_, features.train.id).string();
    train.test_id = features.test.id;
    train.test_identity = features.test.identity;
    train.test_file = workers::feature_file(cache_, features.test.id).string();
    add_statistics(job, train);
    task.what = std::move(train);
    task.cost = sweeps::relative_cost(job, train_rows_of(job), features.test.row_count, features.train.row_length);
    task.effort = effort_of(job, {train_rows_of(job), features.test.row_count, features.train.row_length});
    task.affinity = features.train.id;
    task.name = sweeps::describe(job);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::vector<workers::FeatureRecipe> FeaturePlan::missing_sets(const std::vector<sweeps::Job>& jobs) const {
  std::map<std::string, workers::FeatureRecipe> missing;
  for (const auto& job : jobs) {
    if (!scanned(job.dataset)) continue;
    const auto features = features_of(job);
    for (const auto* recipe : {&features.train, &features.test}) {
      std::error_code ignored;
      if (!fs::exists(workers::feature_file(cache_, recipe->id), ignored)) missing.emplace(recipe->id, *recipe);
    }
  }
  std::vector<workers::FeatureRecipe> recipes;
  for (auto& [id, recipe] : missing) recipes.push_back(std::move(recipe));
  return recipes;
}

std::set<sweeps::JobKey> changed_results(const std::vector<sweeps::Job>& jobs, const results::Ledger& ledger,
                                         const FeaturePlan& features, const fs::path& cache, bool redo) {
  std::set<sweeps::JobKey> changed;
  CachedChecksums checksums(cache);
  for (const auto& job : jobs) {
    const auto key = sweeps::key_of(job);
    const auto found = ledger.done.find(key);
    if (found == ledger.done.end() || !features.scanned(job.dataset)) continue;
    const auto today = features.features_of(job);
    const auto& result = found->second.result;
    auto differs = difference(result.train, today.train, checksums);
    if (differs.empty()) differs = difference(result.test, today.test, checksums);
    if (differs.empty()) continue;
    if (!redo) {
      throw storage::Error(
          fmt::format("{}: its committed result rests on {}: the images, the weights or the rows have changed; "
                      "give --redo-changed to run such jobs again, or another --out",
                      sweeps::describe(job), differs));
    }
    changed.insert(key);
  }
  return changed;
}

}  // namespace runner
