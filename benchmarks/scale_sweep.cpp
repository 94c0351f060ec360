// Writes the sweep's files; draws numbers for records.
#include "benchmarks/scale_sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "storage/atomic_file.hpp"

namespace benchmarks {
namespace {

namespace fs = std::filesystem;

constexpr int kTrainPerClass = 8, kTestPerClass = 4;
constexpr int kLength = 12;

static_assert(std::endian::native == std::endian::little, "a .npy file of \"<f4\"");

/// The bytes of a .npy file, version 1.0.
template <typename Number>
std::string npy(const char* type, const std::string& shape, const std::vector<Number>& numbers) {
  const auto header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}\n", type, shape);
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  return bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

void write_split(const fs::path& folder, const std::string& name, int per_class) {
  std::mt19937 generator(static_cast<std::uint32_t>(per_class));
  std::normal_distribution<float> normal;
  std::vector<float> rows;
  std::vector<std::int64_t> labels;
  for (int row = 0; row < per_class * kClasses; ++row) {
    labels.push_back(row % kClasses);
    for (int i = 0; i < kLength; ++i) rows.push_back(normal(generator) + static_cast<float>(i == row % kClasses));
  }
  storage::write_atomically(folder / (name + ".npy"),
                            npy("<f4", fmt::format("({}, {})", labels.size(), kLength), rows));
  storage::write_atomically(folder / (name + "_labels.npy"), npy("<i8", fmt::format("({},)", labels.size()), labels));
}

/// 1, 2, ..., most: as many values of lambda as divide the jobs evenly enough.
std::vector<int> lambdas_for(std::int64_t jobs) {
  constexpr std::int64_t kMost = 100;
  const auto count = std::clamp<std::int64_t>(jobs / kClasses / 10, 1, kMost);
  std::vector<int> lambdas;
  for (int k = 1; k <= count; ++k) lambdas.push_back(k);
  return lambdas;
}

/// In (0, 1), with all digits that a double has.
double fraction(std::mt19937_64& generator) {
  return (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53;
}

}  // namespace

std::int64_t write_scale_sweep(const fs::path& folder, std::int64_t jobs, int epochs) {
  write_split(folder / kDataset, "train", kTrainPerClass);
  write_split(folder / kDataset, "test", kTestPerClass);
  std::string classes;
  for (int k = 0; k < kClasses; ++k) classes += fmt::format("class-{}\n", k);
  storage::write_atomically(folder / kDataset / "classes.txt", classes);

  const auto lambdas = lambdas_for(jobs);
  const auto each = static_cast<std::int64_t>(lambdas.size()) * kClasses;
  const auto seeds = (jobs + each - 1) / each;
  std::vector<std::string> rows;
  for (const int lambda : lambdas) {
    rows.push_back(fmt::format(R"({{"name": "lambda {0}", "where": {{"lambda": {0}}}}})", lambda));
  }
  storage::write_atomically(
      folder / "sweep.json",
      fmt::format(R"({{"version": 1, "name": "scale", "datasets": {{"{0}": {{"kind": "features"}}}},
 "blocks": [{{"dataset": "{0}", "perturbation": "linear-map", "guidance": "full", "lambda": [{1}], "seeds": {2},
             "dimension": 6, "lr": 0.001, "epochs": {3}}}],
 "tables": [{{"id": "scale", "rows": [{4}]}}]}}
)",
                  kDataset, fmt::join(lambdas, ", "), seeds, epochs, fmt::join(rows, ",\n  ")));
  return each * seeds;
}

results::EpochRecord plausible_epoch(int epoch, std::uint64_t draw) {
  std::mt19937_64 generator(draw * 1'000'003 + static_cast<std::uint64_t>(epoch));
  results::EpochRecord record;
  record.epoch = epoch;
  record.ranking = results::Ranking{fraction(generator), fraction(generator), fraction(generator), fraction(generator),
                                    fraction(generator) / 100};
  record.losses = results::LossTerms{fraction(generator), fraction(generator), fraction(generator), fraction(generator),
                                     fraction(generator)};
  record.learning_rate = fraction(generator) / 1000;
  record.threshold = fraction(generator);
  for (int k = 0; k < kClasses; ++k) record.shares.emplace_back(std::round(fraction(generator) * 1000) / 1000);
  return record;
}

results::JobResult plausible_result(int epochs, std::uint64_t draw, const results::FeatureUse& train,
                                    const results::FeatureUse& test) {
  results::JobResult result;
  for (int epoch = 0; epoch < epochs; ++epoch) result.epochs.push_back(plausible_epoch(epoch, draw));
  for (int k = 0; k < kClasses; ++k) result.classes.push_back(fmt::format("class-{}", k));
  result.train = train;
  result.test = test;
  result.train_rows = kTrainPerClass;
  result.test_rows = kTestPerClass * kClasses;
  result.device = "cpu";
  return result;
}

}  // namespace benchmarks
