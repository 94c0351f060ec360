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

std::int64_t length_of_row(const std::string& backbone, const datasets::Dataset& dataset) {
  if (backbone == sweeps::kRawImages) return storage::kImageLength;
  const auto* vectors = dynamic_cast<const datasets::Vectors*>(&dataset);
  return vectors != nullptr ? vectors->row_length() : sweeps::backbone_facts(backbone).row_length;
}

double bytes_of_row(const std::string& backbone, const datasets::Dataset& dataset) {
  constexpr double kFloat = 4;
  return (backbone == sweeps::kRawImages ? 1 : kFloat) * static_cast<double>(length_of_row(backbone, dataset));
}

/// Of a job's normalisation, where its rows depend on it.
std::string normalisation_of(const sweeps::Job& job) {
  if (!sweeps::has_weights(sweeps::backbone_of(job))) return "";
  const std::string name(sweeps::name_of(job.normalisation));
  return job.normalisation == sweeps::Normalisation::normal_class ? name + " " + job.normal_class : name;
}

/// All classes together, since the limits are of each.
std::int64_t rows_of_set(const sweeps::Job& job, Split split, Rows& rows) {
  std::int64_t count = 0;
  for (const auto of_class : rows.of(job.dataset, split)) {
    count += limited(of_class, split == Split::train ? job.train_rows : job.test_rows);
  }
  return count;
}

std::int64_t rows_trained_on(const sweeps::Job& job, const FeaturePlan& features, Rows& rows) {
  std::int64_t count = 0;
  for (const int k : sweeps::normal_classes_of(job, features.dataset(job.dataset).classes())) {
    count += limited(rows.of(job.dataset, Split::train).at(static_cast<std::size_t>(k)), job.train_rows);
  }
  return count;
}

void add_set(const sweeps::Job& job, const FeaturePlan& features, Rows& rows, FeatureNeed& need) {
  ++need.sets;
  if (!rows_are_known(features, job)) return;
  need.at_least = need.at_least || has_more_rows(features, job);
  for (const Split split : {Split::train, Split::test}) {
    const auto count = rows_of_set(job, split, rows);
    auto& sum = need.rows[split == Split::train ? 0 : 1];
    sum = sum.value_or(0) + count;
    need.megabytes += static_cast<double>(count) * bytes_of_row(need.backbone, features.dataset(job.dataset)) / 1e6;
  }
}

/// Images a second through a backbone on one CPU thread, as measured (README.md, Extraction).
double images_per_second(const std::string& backbone) {
  if (backbone == "efficientnet-lite0") return 80;
  if (backbone == "resnet50") return 12;
  return 3;
}

}  // namespace

std::vector<FeatureNeed> feature_needs(const std::vector<sweeps::Job>& jobs, const FeaturePlan& features) {
  std::vector<FeatureNeed> needs;
  Rows rows(features);
  std::set<std::tuple<std::string, std::string, std::string, std::int64_t, std::int64_t>> seen;
  for (const auto& job : jobs) {
    const auto backbone = sweeps::backbone_of(job);
    if (!seen.emplace(job.dataset, backbone, normalisation_of(job), job.train_rows.value_or(-1),
                      job.test_rows.value_or(-1))
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

double extraction_seconds(const std::vector<FeatureNeed>& needs) {
  double seconds = 0;
  for (const auto& need : needs) {
    if (!sweeps::has_weights(need.backbone) || !need.rows[0]) continue;
    seconds += static_cast<double>(*need.rows[0] + need.rows[1].value_or(0)) / images_per_second(need.backbone);
  }
  return seconds;
}

TrainingWork training_work(const std::vector<sweeps::Job>& jobs, const FeaturePlan& features) {
  TrainingWork work;
  Rows all_rows(features);
  for (const auto& job : jobs) {
    if (!sweeps::is_trained(job.method)) continue;
    if (!rows_are_known(features, job)) {
      work.not_known.insert(job.dataset);
      continue;
    }
    const std::int64_t rows = rows_trained_on(job, features, all_rows);
    // A last batch of one row is dropped (method.md section 5).
    const std::int64_t batch = job.training.batch_size, rest = rows % batch;
    ++work.trainings;
    work.steps += job.training.epochs * (rows / batch + (rest > 1 ? 1 : 0));
    work.scored_rows += job.training.epochs * (rows + rows_of_set(job, Split::test, all_rows));
  }
  return work;
}

std::vector<std::optional<JobShape>> shapes_of(const std::vector<sweeps::Job>& jobs, const FeaturePlan& features) {
  std::vector<std::optional<JobShape>> shapes;
  Rows rows(features);
  for (const auto& job : jobs) {
    shapes.emplace_back();
    if (!rows_are_known(features, job)) continue;
    shapes.back() = JobShape{rows_trained_on(job, features, rows), rows_of_set(job, Split::test, rows),
                             length_of_row(sweeps::backbone_of(job), features.dataset(job.dataset))};
  }
  return shapes;
}

std::optional<std::int64_t> row_length_of(const sweeps::Job& job, const FeaturePlan& features) {
  const auto backbone = sweeps::backbone_of(job);
  if (features.has(job.dataset)) return length_of_row(backbone, features.dataset(job.dataset));
  if (backbone == sweeps::kOwnFeatures) return std::nullopt;
  return backbone == sweeps::kRawImages ? storage::kImageLength : sweeps::backbone_facts(backbone).row_length;
}

std::vector<JobSizes> sizes_of(const std::vector<sweeps::Job>& jobs, const FeaturePlan& features) {
  std::vector<JobSizes> sizes;
  Rows rows(features);
  for (const auto& job : jobs) {
    if (!rows_are_known(features, job)) continue;
    const auto backbone = sweeps::backbone_of(job);
    const double row = bytes_of_row(backbone, features.dataset(job.dataset));
    const auto set_of = [&](Split split, const std::optional<std::int64_t>& limit) {
      return SetSize{
          job.dataset + " " + backbone + " " + normalisation_of(job) + " " + std::to_string(limit.value_or(-1)),
          row * static_cast<double>(rows_of_set(job, split, rows))};
    };
    JobSizes one{set_of(Split::train, job.train_rows), set_of(Split::test, job.test_rows), sweeps::parameters_of(job)};
    one.searches = sweeps::is_trained(job.method) && !job.training.learning_rate;
    if (sweeps::has_weights(backbone)) one.made_through = backbone;
    sizes.push_back(std::move(one));
  }
  return sizes;
}

}  // namespace runner
