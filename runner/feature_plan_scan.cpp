// The scans of a plan: their tasks, slices that are kept as they come, and the rows that they could not read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runner/feature_plan.hpp"
#include "storage/error.hpp"
#include "workers/kept_scan.hpp"

namespace runner {
namespace {

using datasets::Split;

/// "images", or "rows" of features.
const char* what_rows_are(const datasets::Dataset& dataset) {
  return dynamic_cast<const datasets::Images*>(&dataset) == nullptr ? "rows" : "images";
}

/// "2 cat, 1 dog": how many skipped rows each class has, the most first.
std::string counts_by_class(const datasets::Dataset& dataset, Split split,
                            const std::vector<workers::SkippedRow>& skipped) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::pair<std::int64_t, std::size_t>> counts;  // negative, so that the largest sorts first
  for (std::size_t k = 0; k < dataset.classes().size(); ++k) counts.emplace_back(0, k);
  for (const auto& row : skipped) --counts[static_cast<std::size_t>(dataset.label(split, row.row))].first;
  std::erase_if(counts, [](const auto& one) { return one.first == 0; });
  std::sort(counts.begin(), counts.end());
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(kNamed, counts.size()); ++i) {
    words.push_back(fmt::format("{} {}", -counts[i].first, dataset.classes()[counts[i].second]));
  }
  if (counts.size() > kNamed) words.push_back(fmt::format("others in {} more classes", counts.size() - kNamed));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

bool FeaturePlan::scanned(const std::string& dataset) const {
  return opened(dataset).scan.has_value();
}

PlannedTask FeaturePlan::scan_task(const Opened& o, const workers::ScanSlice& slice) {
  const auto& id = o.source.spec.id;
  PlannedTask task;
  task.id = next_id();
  task.what = workers::ScanTask{o.source, slice.split, slice.first, slice.count, o.scan_rule.square};
  task.cost = static_cast<double>(slice.count);
  task.effort = {"scan " + id, task.cost};
  task.name = fmt::format("scan {} {} {}+{}", id, datasets::name_of(slice.split), slice.first, slice.count);
  slices_[task.id] = {id, slice};
  return task;
}

/// A slice with a fault in it is made again where the data set may skip nothing (any more): the worker then says so.
static bool may_be_taken(const workers::Scanned& kept, const sweeps::DatasetSpec& spec) {
  return spec.skip > 0 || std::all_of(kept.images.begin(), kept.images.end(),
                                      [](const workers::ScannedImage& image) { return image.fault.empty(); });
}

std::vector<PlannedTask> FeaturePlan::scan_tasks(const std::vector<sweeps::Job>& jobs,
                                                 const std::function<void(const std::string&)>& say) {
  std::vector<PlannedTask> tasks;
  std::set<std::string> wanted;
  for (const auto& job : jobs) wanted.insert(job.dataset);
  for (const auto& id : wanted) {
    auto& o = datasets_.at(id);
    if (o.scan) {
      workers::remove_slices(cache_, o.scan_key);  // of a run that was killed after another one had finished the scan
      continue;
    }
    std::int64_t kept_slices = 0;
    for (const Split split : {Split::train, Split::test}) {
      const auto rows = o.dataset->size(split);
      o.images[static_cast<int>(split)].resize(static_cast<std::size_t>(rows));
      for (std::int64_t first = 0; first < rows; first += kSliceRows) {
        const workers::ScanSlice slice{o.scan_key, split, first, std::min(kSliceRows, rows - first)};
        const auto kept = workers::load_slice(cache_, slice);
        if (kept && may_be_taken(*kept, o.source.spec)) {
          take_slice(o, slice, *kept);
          ++kept_slices;
          continue;
        }
        tasks.push_back(scan_task(o, slice));
        ++o.open_slices;
      }
    }
    if (kept_slices > 0) {
      say(fmt::format("{}: {} of {} slices of its scan were made by an earlier run", id, kept_slices,
                      kept_slices + o.open_slices));
    }
    if (o.open_slices == 0) finish_scan(o);
  }
  return tasks;
}

void FeaturePlan::take_slice(Opened& o, const workers::ScanSlice& slice, const workers::Scanned& scanned) {
  if (static_cast<std::int64_t>(scanned.images.size()) != slice.count) {
    throw storage::Error(fmt::format("scan of {}: a worker returned {} rows, {} were asked for", o.source.spec.id,
                                     scanned.images.size(), slice.count));
  }
  std::copy(scanned.images.begin(), scanned.images.end(),
            o.images[static_cast<int>(slice.split)].begin() + slice.first);
}

std::string FeaturePlan::take_scan(workers::TaskId task, const workers::Scanned& scanned) {
  const auto& slice = slices_.at(task);
  auto& o = datasets_.at(slice.dataset);
  take_slice(o, slice.rows, scanned);
  if (--o.open_slices > 0) {
    workers::keep_slice(cache_, slice.rows, scanned);
    return "";
  }
  finish_scan(o);
  return slice.dataset;
}

void FeaturePlan::finish_scan(Opened& o) {
  std::array<workers::SplitScan, 2> scans;
  for (const Split split : {Split::train, Split::test}) {
    const auto s = static_cast<std::size_t>(split);
    std::vector<int> labels;
    for (std::int64_t i = 0; i < o.dataset->size(split); ++i) labels.push_back(o.dataset->label(split, i));
    scans[s] = workers::merge_scan(o.dataset->classes(), labels, o.images[s], o.scan_rule);
    o.images[s] = {};
  }
  workers::save_scan(cache_, o.scan_key, scans);
  workers::remove_slices(cache_, o.scan_key);
  o.scan = std::move(scans);
}

// ---- rows that cannot be read
// ------------------------------------------------------------------------------------------

void FeaturePlan::check_skipped(const std::string& dataset, const std::vector<sweeps::Job>& jobs) const {
  const auto& o = opened(dataset);
  for (const Split split : {Split::train, Split::test}) {
    const auto& scan = (*o.scan)[static_cast<std::size_t>(split)];
    const auto count = static_cast<double>(scan.skipped.size());
    if (count <= o.source.spec.skip * static_cast<double>(scan.row_count())) continue;
    throw storage::Error(fmt::format(
        "{}: {} of {} {} {} cannot be read, and \"skip\": {} of its entry under \"datasets\" allows fewer; first: {}",
        dataset, scan.skipped.size(), scan.row_count(), datasets::name_of(split), what_rows_are(*o.dataset),
        o.source.spec.skip, scan.skipped.front().fault));
  }
  if ((*o.scan)[0].skipped.empty()) return;  // else the listing has the right numbers, and was checked
  for (const auto& job : jobs) {
    if (train_rows_of(job) >= kLeastTrainRows) continue;
    throw storage::Error(fmt::format(
        "{}: normal class {} has {} training row(s) left, because others cannot be read and are skipped; it needs {}: "
        "mend those images (logs/run.log lists them), or leave the class out of \"classes\"",
        dataset, storage::in_quotes(job.normal_class), train_rows_of(job), kLeastTrainRows));
  }
}

std::vector<std::string> FeaturePlan::left_out(const std::string& dataset) const {
  const auto& o = opened(dataset);
  std::vector<std::string> texts;
  for (const Split split : {Split::train, Split::test}) {
    const auto& scan = (*o.scan)[static_cast<std::size_t>(split)];
    if (scan.skipped.empty()) continue;
    texts.push_back(fmt::format("{} of {} {} {}", scan.skipped.size(), scan.row_count(), datasets::name_of(split),
                                what_rows_are(*o.dataset)));
  }
  return texts;
}

std::vector<FeaturePlan::Skipped> FeaturePlan::skipped(const std::string& dataset) const {
  const auto& o = opened(dataset);
  std::vector<Skipped> all;
  for (const Split split : {Split::train, Split::test}) {
    const auto& scan = (*o.scan)[static_cast<std::size_t>(split)];
    if (scan.skipped.empty()) continue;
    Skipped of_split;
    of_split.summary = fmt::format("{}: {} of {} {} {} are skipped: {}; first: {}", dataset, scan.skipped.size(),
                                   scan.row_count(), datasets::name_of(split), what_rows_are(*o.dataset),
                                   counts_by_class(*o.dataset, split, scan.skipped), scan.skipped.front().fault);
    for (const auto& row : scan.skipped) {
      of_split.rows.push_back(fmt::format("{}: skipped {}: {}", dataset, o.dataset->row_id(split, row.row), row.fault));
    }
    all.push_back(std::move(of_split));
  }
  return all;
}

}  // namespace runner
