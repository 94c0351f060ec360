// How long a worker's computing rests between two trainings, by what the next one needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace benchmarks {

/// Where two feature sets lie, made-up ones: 5 x `rows` rows to train on and `rows` to be tested on.
class TwoFeatureSets {
 public:
  /// Writes them into `folder`, which is there.
  TwoFeatureSets(std::int64_t dimension, std::int64_t batch, std::int64_t rows, const std::filesystem::path& folder);

  /// Seconds from the end of one training to the end of the first step of the next, by name: on the same features; on
  /// others that are read then; on others that were read while the first one trained. Then how long the first one took,
  /// without and with that. Files are read from the disk, if it is one: what the kernel has of them is dropped before.
  /// `epochs`: of the first training; long enough to read the others.
  std::vector<std::pair<std::string, double>> seconds_between(int threads, int epochs) const;

 private:
  std::int64_t dimension_, batch_, rows_;
  std::filesystem::path folder_;
};

}  // namespace benchmarks
