// The header of a checkpoint: whose it is, how far the training was, which tensors follow. As JSON; everything read is
// checked. Knows no LibTorch and no files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/result.hpp"
#include "sweeps/job.hpp"

namespace workers {

inline constexpr int kCheckpointVersion = 1;

/// What must be the same for a training to go on and come to the same bits.
struct CheckpointIdentity {
  std::string key;  ///< of the job, engine version included
  int engine_version = sweeps::kEngineVersion;
  std::string device;  ///< kind, e.g. "cpu"
  int threads = 1;
  results::FeatureUse train, test;
  bool operator==(const CheckpointIdentity&) const = default;
};
/// What differs first, in words: "it is of 2 thread(s), where 1 compute(s)"; "" where nothing does.
std::string difference(const CheckpointIdentity& found, const CheckpointIdentity& wanted);

struct TensorEntry {
  std::string name;
  std::string dtype;  ///< "float32"
  std::vector<std::int64_t> shape;
  bool operator==(const TensorEntry&) const = default;
};

struct CheckpointHeader {
  CheckpointIdentity identity;
  int attempt = 1;      ///< that wrote it
  std::string written;  ///< UTC
  std::string started;  ///< UTC: when the first of the attempts that it is the work of began
  double seconds = 0;   ///< of training in it, of all these attempts
  int epoch = 0;        ///< plume::TrainingState and plume::EpochProgress
  std::int64_t batches = 0;
  results::LossTerms sums;
  double learning_rate = 0;
  std::optional<double> found_learning_rate;
  std::vector<results::EpochRecord> epochs;
  std::vector<TensorEntry> tensors;  ///< in the order of the body
  bool operator==(const CheckpointHeader&) const = default;
};

std::string encode(const CheckpointHeader& header);
/// Throws storage::Error "<origin>: <key>: expected ..., found ..." for another version and for whatever cannot be.
CheckpointHeader decode_checkpoint_header(std::string_view text, const std::string& origin);

/// Bytes of a tensor in the body; float32 only. Shapes of decoded headers do not overflow.
std::uint64_t bytes_of(const TensorEntry& tensor);

}  // namespace workers
