// The classes of the data sets of a plan: which can be the normal class, and what to say of the others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "runner/feature_plan.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

using datasets::Split;

/// Fewer of them have no spread and no neighbour.
constexpr std::int64_t kLeastTrainRows = 2;

}  // namespace

sweeps::ClassNames FeaturePlan::class_names() const {
  sweeps::ClassNames names;
  for (const auto& [id, o] : datasets_) {
    for (std::size_t k = 0; k < o.dataset->classes().size(); ++k) {
      if (o.train_rows[k] >= kLeastTrainRows) names[id].push_back(o.dataset->classes()[k]);
    }
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
    if (count == 0) continue;
    if (count > kNamed) names.push_back(fmt::format("and {} more", count - kNamed));
    lines.push_back(
        fmt::format("{}: {} of {} classes have fewer than {} training rows and are nobody's normal class: {}", id,
                    count, o.train_rows.size(), kLeastTrainRows, fmt::join(names, ", ")));
  }
  return lines;
}

void FeaturePlan::check_classes(const sweeps::Sweep& sweep) const {
  for (const auto& block : sweep.blocks) {
    for (const auto& job : block.jobs_without_class) {
      const auto& o = opened(job.dataset);
      const auto& names = o.dataset->classes();
      if (std::all_of(o.train_rows.begin(), o.train_rows.end(), [](auto rows) { return rows < kLeastTrainRows; })) {
        throw storage::UsageError(
            fmt::format("data set {}: no class has {} training rows, so none can be the normal class", job.dataset,
                        kLeastTrainRows));
      }
      for (const auto& name : block.classes) {
        const auto k = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        if (k == names.size() || o.train_rows[k] >= kLeastTrainRows) continue;
        throw storage::UsageError(fmt::format(
            "{}: {}.classes: {} has {} training rows in data set {}, a normal class needs {}; remove it from the list",
            sweep.origin, block.where, storage::in_quotes(name), o.train_rows[k], job.dataset, kLeastTrainRows));
      }
    }
  }
}

std::vector<std::string> FeaturePlan::short_classes(const std::vector<sweeps::Job>& jobs) const {
  std::set<std::tuple<std::string, Split, std::int64_t>> limits;
  for (const auto& job : jobs) {
    if (job.train_rows) limits.emplace(job.dataset, Split::train, *job.train_rows);
    if (job.test_rows) limits.emplace(job.dataset, Split::test, *job.test_rows);
  }
  std::vector<std::string> lines;
  for (const auto& [id, split, limit] : limits) {
    const auto& dataset = *opened(id).dataset;
    const auto rows = datasets::rows_of_classes(dataset, split);
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
