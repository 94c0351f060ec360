// The classes of the data sets of a plan: which can be the normal class, and what to say of the others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "runner/feature_plan.hpp"
#include "storage/error.hpp"
#include "storage/nearest.hpp"

namespace runner {
using datasets::Split;

bool FeaturePlan::may_be_normal(const Opened& o, std::size_t k) const {
  const auto never = o.dataset->only_anomalies();
  return o.train_rows[k] >= kLeastTrainRows &&
         std::find(never.begin(), never.end(), o.dataset->classes()[k]) == never.end();
}

namespace {

[[noreturn]] void refuse_set(const std::string& id, const sweeps::NormalSet& set, const std::string& what) {
  throw storage::UsageError(fmt::format("data set {}: normal set {}: {}", id, storage::in_quotes(set.name), what));
}

void check_set(const std::string& id, const sweeps::NormalSet& set, const datasets::Dataset& dataset) {
  const auto& official = dataset.classes();
  if (std::find(official.begin(), official.end(), set.name) != official.end()) {
    refuse_set(id, set, "a class of the data set has that name; give the set another");
  }
  for (const auto& name : set.classes) {
    if (std::find(official.begin(), official.end(), name) == official.end()) {
      refuse_set(id, set,
                 fmt::format("{} is no class{}", storage::in_quotes(name), storage::suggestion(name, official)));
    }
    const auto never = dataset.only_anomalies();
    if (!set.all_but && std::find(never.begin(), never.end(), name) != never.end()) {
      refuse_set(id, set, fmt::format("{} is never trained on, only an anomaly; remove it", storage::in_quotes(name)));
    }
  }
}

}  // namespace

/// The set with its classes in official order. Those of a listed set that have no training rows stay in it: at the test
/// they are normal all the same.
sweeps::NormalSet FeaturePlan::resolved(const std::string& id, const Opened& o, const sweeps::NormalSet& set) const {
  check_set(id, set, *o.dataset);
  const auto never = o.dataset->only_anomalies();
  sweeps::NormalSet found{set.name, {}, false};
  std::int64_t rows = 0;
  for (std::size_t k = 0; k < o.train_rows.size(); ++k) {
    const auto& name = o.dataset->classes()[k];
    const bool is_named = std::find(set.classes.begin(), set.classes.end(), name) != set.classes.end();
    const bool is_never = std::find(never.begin(), never.end(), name) != never.end();
    if (is_named == set.all_but || is_never) continue;
    found.classes.push_back(name);
    rows += o.train_rows[k];
  }
  if (found.classes.empty()) refuse_set(id, set, "no class is left in it; name fewer in \"all_but\"");
  if (found.classes.size() == o.train_rows.size()) {
    refuse_set(id, set, "it holds every class, and nothing would be an anomaly; leave one out");
  }
  if (rows < kLeastTrainRows) {
    refuse_set(id, set,
               fmt::format("its classes have {} training rows together, {} are needed", rows, kLeastTrainRows));
  }
  return found;
}

/// The kind's own sets, then those of the sweep; one of the same name takes its place.
std::vector<sweeps::NormalSet> FeaturePlan::normal_sets_of(const std::string& id, const Opened& o) const {
  std::vector<sweeps::NormalSet> sets;
  for (const auto& set : o.dataset->normal_sets()) {
    const auto same = [&](const auto& other) { return other.name == set.name; };
    if (std::none_of(o.sets_of_sweep.begin(), o.sets_of_sweep.end(), same)) sets.push_back(resolved(id, o, set));
  }
  for (const auto& set : o.sets_of_sweep) sets.push_back(resolved(id, o, set));
  return sets;
}

sweeps::ClassNames FeaturePlan::class_names() const {
  sweeps::ClassNames names;
  for (const auto& [id, o] : datasets_) {
    for (std::size_t k = 0; k < o.dataset->classes().size(); ++k) {
      if (may_be_normal(o, k)) names[id].classes.push_back(o.dataset->classes()[k]);
    }
    names[id].sets = normal_sets_of(id, o);
    if (o.scan) names[id].left_out = left_out(id);
  }
  return names;
}

std::vector<std::string> FeaturePlan::untrained_classes() const {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> lines;
  for (const auto& [id, o] : datasets_) {
    std::vector<std::string> names;
    std::size_t count = 0;
    for (std::size_t k = 0; k < o.train_rows.size(); ++k) {
      if (o.train_rows[k] < kLeastTrainRows && ++count <= kNamed) names.push_back(o.dataset->classes()[k]);
    }
    if (count == 0 || !normal_sets_of(id, o).empty()) continue;
    if (count > kNamed) names.push_back(fmt::format("and {} more", count - kNamed));
    lines.push_back(
        fmt::format("{}: {} of {} classes have fewer than {} training rows and are nobody's normal class: {}", id,
                    count, o.train_rows.size(), kLeastTrainRows, fmt::join(names, ", ")));
  }
  return lines;
}

/// Why a block may not name a class, and what to do.
std::string FeaturePlan::why_not_normal(const Opened& o, std::size_t k) const {
  if (o.train_rows[k] >= kLeastTrainRows) return "is never trained on, only an anomaly";
  return fmt::format("has {} training rows, a normal class needs {}", o.train_rows[k], kLeastTrainRows);
}

void FeaturePlan::check_classes(const sweeps::Sweep& sweep) const {
  for (const auto& block : sweep.blocks) {
    for (const auto& job : block.jobs_without_class) {
      const auto& o = opened(job.dataset);
      const auto& names = o.dataset->classes();
      const auto sets = normal_sets_of(job.dataset, o);
      bool any = !sets.empty();
      for (std::size_t k = 0; k < names.size(); ++k) any = any || may_be_normal(o, k);
      if (!any) {
        throw storage::UsageError(
            fmt::format("data set {}: no class has {} training rows, so none can be the normal class", job.dataset,
                        kLeastTrainRows));
      }
      for (const auto& name : block.classes) {
        const auto k = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        if (k == names.size() || may_be_normal(o, k)) continue;
        throw storage::UsageError(fmt::format("{}: {}.classes: {} of data set {} {}; remove it from the list",
                                              sweep.origin, block.where, storage::in_quotes(name), job.dataset,
                                              why_not_normal(o, k)));
      }
    }
  }
}

std::vector<std::string> FeaturePlan::untestable_classes(const std::vector<sweeps::Job>& jobs) const {
  std::vector<std::string> lines;
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& job : jobs) {
    if (!seen.emplace(job.dataset, job.normal_class).second) continue;
    const auto& dataset = *opened(job.dataset).dataset;
    const auto rows = datasets::rows_of_classes(dataset, Split::test);
    std::int64_t normal = 0;
    for (const int k : sweeps::normal_classes_of(job, dataset.classes())) normal += rows[static_cast<std::size_t>(k)];
    if (normal > 0 && normal < dataset.size(Split::test)) continue;
    lines.push_back(fmt::format("{}: the test split has no {} where {} is the normal class: its AUROC is undefined",
                                job.dataset, normal == 0 ? "normal rows" : "anomalies", job.normal_class));
  }
  return lines;
}

std::vector<std::string> FeaturePlan::short_classes(const std::vector<sweeps::Job>& jobs) const {
  std::set<std::tuple<std::string, Split, std::int64_t>> limits;
  for (const auto& job : jobs) {
    if (job.train_rows) limits.emplace(job.dataset, Split::train, *job.train_rows);
    if (job.test_rows) limits.emplace(job.dataset, Split::test, *job.test_rows);
  }
  std::vector<std::string> lines;
  for (const auto& [id, split, limit] : limits) {
    const auto& o = opened(id);
    const auto& dataset = *o.dataset;
    const auto rows =
        o.scan ? (*o.scan)[static_cast<std::size_t>(split)].class_rows : datasets::rows_of_classes(dataset, split);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (rows[k] >= limit) continue;
      lines.push_back(fmt::format("{}: class {} has {} {} images, fewer than the {} of {}_rows: all are used", id,
                                  dataset.classes()[k], rows[k], datasets::name_of(split), limit,
                                  datasets::name_of(split)));
    }
  }
  return lines;
}

}  // namespace runner
