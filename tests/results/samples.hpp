// Small hand-made jobs, results and plans for the tests of this folder.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "results/journal.hpp"
#include "results/statistics.hpp"
#include "tests/temporary_folder.hpp"

namespace samples {

using tests::TemporaryFolder;

inline std::string bytes_of(const std::filesystem::path& file) {
  return tests::read_text(file);
}

inline void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::remove(file);  // some file systems sync a file that is cut to nothing and written again
  tests::write_text(file, bytes);
}

inline sweeps::Job training(const std::string& normal_class, std::uint64_t seed) {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = normal_class;
  job.backbone = "efficientnet-lite0";
  job.train_rows = 1000;
  job.training.dimension = 384;
  job.seed = seed;
  job.training.epochs = 2;
  job.training.learning_rate = 0.0005;
  return job;
}

/// The same of raw images.
inline sweeps::Job plad(const std::string& normal_class, std::uint64_t seed) {
  sweeps::Job job = training(normal_class, seed);
  job.method = sweeps::Method::plad;
  return sweeps::normalised(job);
}

inline sweeps::Job neighbours(const std::string& normal_class) {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = normal_class;
  job.method = sweeps::Method::knn;
  job.backbone = "efficientnet-lite0";
  job.train_rows = 1000;
  job.baseline.scaling = sweeps::FeatureScaling::l2;
  return job;
}

inline sweeps::Job k_means(const std::string& normal_class, std::uint64_t seed) {
  sweeps::Job job = neighbours(normal_class);
  job.method = sweeps::Method::k_means;
  job.seed = seed;
  return job;
}

/// What results say of the weights that made their features.
inline const std::string kPaperResnet = "0676ba61" + std::string(56, '0');
inline const std::string kOtherFile = "1a2b3c4d" + std::string(56, '0');

/// A finished result with these AUROCs, one an epoch.
inline results::JobResult finished(std::initializer_list<double> aucs) {
  results::JobResult result;
  for (const double auc : aucs) {
    results::EpochRecord record;
    record.epoch = static_cast<int>(result.epochs.size());
    record.ranking = {auc, auc, auc, 1 - auc};
    result.epochs.push_back(record);
  }
  result.train = {"aaaa", "1111"};
  result.test = {"bbbb", "2222"};
  result.weights = kOtherFile;
  result.train_rows = 1000;
  result.test_rows = 10000;
  result.device = "cpu";
  return result;
}

inline results::JobResult diverged(int epoch) {
  results::JobResult result = finished({});
  result.outcome = results::Outcome::diverged;
  result.diverged_epoch = epoch;
  return result;
}

inline results::Done done(const sweeps::Job& job, results::JobResult result) {
  if (sweeps::reads_images(job.method)) result.weights.clear();  // it has no backbone
  return {job, 1, result, {12.5, "node7", "2026-11-27T20:15:03Z"}};
}

/// Adds a job to a plan and returns its index.
inline std::size_t add(sweeps::Plan& plan, const sweeps::Job& job) {
  plan.jobs.push_back(job);
  plan.keys.push_back(sweeps::key_of(job));
  return plan.jobs.size() - 1;
}

}  // namespace samples
