// Counts rows and steps. Rows that will turn out unreadable are counted as if they were good.
#include "runner/plan_needs.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "datasets/official.hpp"
#include "storage/feature_file.hpp"
#include "sweeps/backbones.hpp"

namespace runner {
namespace {

using datasets::Split;

/// Rows of each class of each split, read once a data set.
class Rows {
 public:
  explicit Rows(const FeaturePlan& features) : features_(features) {}

  const std::vector<std::int64_t>& of(const std::string& id, Split split) {
    auto& both = known_[id];
    auto& rows = both[split == Split::train ? 0 : 1];
    if (rows.empty()) rows = datasets::rows_of_classes(features_.dataset(id), split);
    return rows;
  }

 private:
  const FeaturePlan& features_;
  std::map<std::string, std::array<std::vector<std::int64_t>, 2>> known_;
};

/// How many rows a data set that was not opened officially has.
const datasets::OfficialCounts* counts_of(const FeaturePlan& features, const sweeps::Job& job) {
  return datasets::official_counts_of(features.kind_of(job.dataset));
}
bool rows_are_known(const FeaturePlan& features, const sweeps::Job& job) {
  return !features.not_opened().contains(job.dataset) || counts_of(features, job) != nullptr;
}
/// Anomalies of the training split of SPARK 2021: there are some, but no number is published.
bool has_more_rows(const FeaturePlan& features, const sweeps::Job& job) {
  return features.not_opened().contains(job.dataset) && counts_of(features, job)->anomalies[0] < 0;
}

std::int64_t limited(std::int64_t rows, const std::optional<std::int64_t>& limit) {
  return std::min(rows, limit.value_or(rows));
}

double bytes_of_row(const std::string& backbone, const datasets::Dataset& dataset) {
  if (backbone == sweeps::kRawImages) return storage::kImageLength;
  const auto* vectors = dynamic_cast<const datasets::Vectors*>(&dataset);
  const auto length = vectors != nullptr ? vectors->row_length() : sweeps::backbone_facts(backbone).row_length;
  return 4.0 * static_cast<double>(length);
}

void add_set(const sweeps::Job& job, const FeaturePlan& features, Rows& rows, FeatureNeed& need) {
  ++need.sets;
  if (!rows_are_known(features, job)) return;
  need.at_least = need.at_least || has_more_rows(features, job);
  for (const Split split : {Split::train, Split::test}) {
    std::int64_t count = 0;
    for (const auto of_class : rows.of(job.dataset, split)) {
      count += limited(of_class, split == Split::train ? job.train_rows : job.test_rows);
    }
    auto& sum = need.rows[split == Split::train ? 0 : 1];
    sum = sum.value_or(0) + count;
    need.megabytes += static_cast<double>(count) * bytes_of_row(need.backbone, features.dataset(job.dataset)) / 1e6;
  }
}

}  // namespace

std::vector<FeatureNeed> feature_needs(const std::vector<sweeps::Job>& jobs, const FeaturePlan& features) {
  std::vector<FeatureNeed> needs;
  Rows rows(features);
  std::set<std::tuple<std::string, std::string, std::string, std::int64_t, std::int64_t>> seen;
  for (const auto& job : jobs) {
    const auto backbone = sweeps::backbone_of(job);
    std::string normalisation;
    if (sweeps::has_weights(backbone)) {
      normalisation = sweeps::name_of(job.normalisation);
      if (job.normalisation == sweeps::Normalisation::normal_class) normalisation += " " + job.normal_class;
    }
    if (!seen.emplace(job.dataset, backbone, normalisation, job.train_rows.value_or(-1), job.test_rows.value_or(-1))
             .second) {
      continue;
    }
    auto need = std::find_if(needs.begin(), needs.end(), [&](const FeatureNeed& known) {
      return known.dataset == job.dataset && known.backbone == backbone;
    });
    if (need == needs.end()) need = needs.insert(needs.end(), FeatureNeed{job.dataset, backbone, 0, {}, 0, false});
    add_set(job, features, rows, *need);
  }
  return needs;
}

StepCount optimiser_steps(const std::vector<sweeps::Job>& jobs, const FeaturePlan& features) {
  StepCount count;
  Rows all_rows(features);
  for (const auto& job : jobs) {
    if (!sweeps::is_trained(job.method)) continue;
    if (!rows_are_known(features, job)) {
      count.not_known.insert(job.dataset);
      continue;
    }
    std::int64_t rows = 0;
    for (const int k : sweeps::normal_classes_of(job, features.dataset(job.dataset).classes())) {
      rows += limited(all_rows.of(job.dataset, Split::train).at(static_cast<std::size_t>(k)), job.train_rows);
    }
    // A last batch of one row is dropped (method.md section 5).
    const std::int64_t batch = job.training.batch_size, rest = rows % batch;
    count.steps += job.training.epochs * (rows / batch + (rest > 1 ? 1 : 0));
  }
  return count;
}

}  // namespace runner
