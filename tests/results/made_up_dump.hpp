// A dump of a training that never was: clusters of rows, each kind around a centre of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/dump.hpp"
#include "results/result.hpp"
#include "sweeps/job.hpp"
#include "sweeps/random_stream.hpp"

namespace samples {

/// [n, length] around `centre` in every dimension.
inline std::vector<float> cluster(std::size_t n, std::int64_t length, float centre, std::uint64_t seed) {
  std::vector<float> values(n * static_cast<std::size_t>(length));
  sweeps::RandomStream(seed, "made up", "", "cluster").fill_uniform(0, 0, centre - 1, centre + 1, values);
  return values;
}

inline results::DumpedRows dumped_rows(std::size_t n, float centre, std::uint64_t seed) {
  results::DumpedRows rows{cluster(n, 6, centre, seed), cluster(n, 3, centre, seed + 1), {}};
  for (std::size_t i = 0; i < n; ++i) rows.scores.push_back(centre + static_cast<double>(i) / 16);
  return rows;
}

inline results::DumpedEpoch dumped_epoch(int number, std::optional<double> auroc, std::size_t n,
                                         std::size_t anomalous) {
  const auto seed = static_cast<std::uint64_t>(number);
  results::DumpedEpoch epoch{
      number, auroc, dumped_rows(n, 0, 10 + seed), dumped_rows(n, 5, 20 + seed), dumped_rows(anomalous, -5, 30 + seed),
      {}};
  for (std::size_t i = 0; i < n + anomalous; ++i) epoch.test_scores.push_back(static_cast<double>(i) / 8);
  return epoch;
}

/// Of `job`: `n` normal rows and as many pseudo-anomalies, two anomalous ones a row.
inline results::Dump made_up_dump(const sweeps::Job& job, std::size_t n = 3,
                                  int engine_version = sweeps::kEngineVersion) {
  results::Dump dump;
  dump.job = sweeps::canonical_text(job, engine_version);
  dump.key = sweeps::key_of(job, engine_version).hex;
  dump.dimension = 6;
  dump.embedding = 3;
  dump.classes = {"plane", job.normal_class, "truck"};
  dump.normal_classes = {job.normal_class};
  for (std::size_t i = 0; i < n; ++i) {
    dump.normal.ids.push_back("test#" + std::to_string(i));
    dump.normal.labels.push_back(1);
  }
  for (std::size_t i = 0; i < 2 * n; ++i) {
    dump.anomalous.ids.push_back("test#" + std::to_string(n + i));
    dump.anomalous.labels.push_back(i % 2 == 0 ? 0 : 2);
  }
  dump.test = dump.normal;
  dump.test.ids.insert(dump.test.ids.end(), dump.anomalous.ids.begin(), dump.anomalous.ids.end());
  dump.test.labels.insert(dump.test.labels.end(), dump.anomalous.labels.begin(), dump.anomalous.labels.end());
  dump.best = dumped_epoch(3, 0.9375, n, 2 * n);
  dump.last = dumped_epoch(7, 0.875, n, 2 * n);
  return dump;
}

/// The same with the epochs and AUROCs of a training that finished.
inline results::Dump of_training(results::Dump dump, const results::JobResult& result) {
  const results::EpochRecord& best = result.epochs.at(results::best_epoch(result.epochs).value());
  dump.best->epoch = best.epoch;
  dump.best->auroc = best.auc();
  dump.last.epoch = result.epochs.back().epoch;
  dump.last.auroc = result.epochs.back().auc();
  return dump;
}

}  // namespace samples
