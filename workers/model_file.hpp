// The facts of a saved detector, as the metadata of its file: which training it is of, which epoch, what its rows were
// made with. Everything read is checked. Knows no LibTorch and no files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sweeps/job.hpp"

namespace workers {

inline constexpr int kModelFormatVersion = 1;
/// Engines from this one on compute the same scores of the same tensors. Raised by a change of scoring alone: a change
/// of how detectors are trained leaves those that are saved as good as they were.
inline constexpr int kOldestScoringEngine = 6;

struct ModelFacts {
  sweeps::Job job;                          ///< plume or plad
  std::string which;                        ///< "best" or "last"
  int epoch = 0;                            ///< whose tensors these are, from 0
  std::optional<double> auroc;              ///< of that epoch, in [0, 1]; absent where the test split ranks nothing
  std::optional<double> threshold;          ///< of results::EpochRecord: on the sigmoid, in [0, 1]
  std::string features_identity;            ///< of the training feature set (workers/feature_set.hpp)
  std::int64_t row_length = 0;              ///< L of its rows; 3072 for plad
  std::vector<std::string> classes;         ///< of the data set, in index order
  std::vector<std::string> normal_classes;  ///< of them, those that it was trained on, in index order
  std::vector<double> mean, std_dev;  ///< plad: 3 each, what its images are normalised with, in [0, 1]. Else empty
  std::string contents;               ///< "classifier" (what scores), or "all" (the perturbator besides)
  int engine_version = sweeps::kEngineVersion;  ///< of the program that trained it
  bool operator==(const ModelFacts&) const = default;
};

/// Named texts, sorted by name.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// Throws storage::Error for metadata that are not of a model file of this version.
void expect_our_format(const Metadata& metadata, const std::string& origin);
/// Throws std::logic_error for facts that decode_facts would refuse.
Metadata encode_facts(const ModelFacts& facts);
/// Throws storage::Error "<origin>: <what>; <what to do>": no metadata of ours, another version, an engine whose scores
/// would be others, and facts that cannot be.
ModelFacts decode_facts(const Metadata& metadata, const std::string& origin);

}  // namespace workers
