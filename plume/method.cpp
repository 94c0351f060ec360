// run_job: checks the data, then trains or fits the baseline, and makes the result's records.
#include "plume/method.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plume/baselines.hpp"
#include "plume/ranking.hpp"
#include "plume/threshold.hpp"
#include "plume/training.hpp"
#include "storage/error.hpp"

namespace plume {
namespace {

[[noreturn]] void refuse(const sweeps::Job& job, const std::string& what) {
  throw storage::Error(fmt::format("{}/{}: {}", job.dataset, job.normal_class, what));
}

void check_rows(const sweeps::Job& job, const at::Tensor& rows, const char* split) {
  if (rows.dim() != 2 || rows.scalar_type() != at::kFloat)
    refuse(job, fmt::format("the {} features are not a float32 table of rows", split));
  const at::Tensor good = at::isfinite(rows).all(1);
  if (good.all().item<bool>()) return;
  const auto row = good.logical_not().nonzero()[0].item<std::int64_t>();
  refuse(job, fmt::format("{} row {} has a feature that is not finite; extract the features again", split, row));
}

void check_data(const sweeps::Job& job, const JobData& data) {
  check_rows(job, data.train, "training");
  check_rows(job, data.test, "test");
  const std::int64_t n = data.train.size(0), m = data.test.size(0);
  if (n < 2) refuse(job, fmt::format("{} training row(s); at least 2 are needed: batch norm trains on no fewer", n));
  if (m == 0) refuse(job, "the test split has no rows; at least 1 is needed");
  if (data.train.size(1) != data.test.size(1))
    refuse(job, fmt::format("training rows have {} features, test rows {}; extract both with one backbone",
                            data.train.size(1), data.test.size(1)));
  if (data.train.size(1) == 0) refuse(job, "rows without features; extract the features again");
  if (static_cast<std::int64_t>(data.test_labels.size()) != m)
    refuse(job, fmt::format("{} test rows, but {} labels", m, data.test_labels.size()));
}

void check_settings(const sweeps::Job& job, const JobData& data) {
  const auto& training = job.training;
  if (job.method == sweeps::Method::knn) {
    const std::int64_t n = data.train.size(0);
    if (job.baseline.k < 1 || job.baseline.k > n)
      refuse(job, fmt::format("k is {}; expected 1 to {}, the number of training rows", job.baseline.k, n));
    return;
  }
  if (training.batch_size < 2)
    refuse(job,
           fmt::format("batch_size is {}; expected at least 2: batch norm trains on no fewer", training.batch_size));
  if (training.dimension < 6 || training.dimension % 6 != 0)
    refuse(job, fmt::format("dimension is {}; expected a multiple of 6", training.dimension));
  if (training.epochs < 1) refuse(job, fmt::format("epochs is {}; expected at least 1", training.epochs));
}

std::vector<bool> normals_among(const JobData& data) {
  std::vector<bool> is_normal;
  for (const int label : data.test_labels) is_normal.push_back(label == data.normal_class);
  return is_normal;
}

results::EpochRecord record_of(int epoch, const std::vector<double>& scores, const std::vector<bool>& is_normal) {
  results::EpochRecord record;
  record.epoch = epoch;
  record.ranking = ranking_of(scores, is_normal);
  if (!record.ranking) {
    const bool has_normals = std::find(is_normal.begin(), is_normal.end(), true) != is_normal.end();
    record.undefined = has_normals ? "the test split has no anomalies" : "the test split has no normal rows";
  }
  return record;
}

void train(const sweeps::Job& job, const JobData& data, const Observer& observer, results::JobResult& result) {
  const std::vector<bool> is_normal = normals_among(data);
  const StreamDraws draws(job);
  const Widths widths = widths_of(job.training.dimension);
  Trainer trainer(job.training, make_model(job.training.perturbation, widths, draws), data.train, draws);
  result.dropped_single_row = trainer.drops_single_row();
  for (int epoch = 0; epoch < job.training.epochs; ++epoch) {
    const auto trained = trainer.run_epoch(epoch, [&](const results::LossTerms&) { observer.on_progress(); });
    const std::vector<double> scores = trained ? trainer.scores(data.test) : std::vector<double>{};
    const bool finite = std::all_of(scores.begin(), scores.end(), [](double score) { return std::isfinite(score); });
    if (!trained || !finite) {
      result.outcome = results::Outcome::diverged;
      result.diverged_epoch = epoch;
      return;
    }
    results::EpochRecord record = record_of(epoch, scores, is_normal);
    record.losses = trained->losses;
    record.learning_rate = trained->learning_rate;
    result.epochs.push_back(record);
    observer.on_epoch(record);
  }
}

void fit_baseline(const sweeps::Job& job, const JobData& data, const Observer& observer, results::JobResult& result) {
  const auto scores = baseline_scores(job, data.train, data.test, observer.on_progress);
  result.epochs.push_back(record_of(0, scores, normals_among(data)));
  observer.on_epoch(result.epochs.back());
}

}  // namespace

results::JobResult run_job(const sweeps::Job& job, const JobData& data, const Observer& observer) {
  check_data(job, data);
  check_settings(job, data);
  results::JobResult result;
  result.train_rows = data.train.size(0);
  result.test_rows = data.test.size(0);
  result.classes = data.classes;
  switch (job.method) {
    case sweeps::Method::plume:
      train(job, data, observer, result);
      break;
    default:
      fit_baseline(job, data, observer, result);
      break;
  }
  return result;
}

}  // namespace plume
