// DIR/dumps/<key>.h5: rows of one training as its classifier saw them, and its scores of the whole test split. The
// layout is described in results/README.md. Knows no tensor and no picture.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "sweeps/job.hpp"

namespace results {

inline constexpr std::int64_t kDumpVersion = 1;

/// n rows of one kind at one epoch.
struct DumpedRows {
  std::vector<float> features;    ///< [n, D] the classifier's input: rows after the feature batch norm; plad: images
  std::vector<float> embeddings;  ///< [n, E] after f1, where the guidance acts
  std::vector<double> scores;     ///< [n] logits
  bool operator==(const DumpedRows&) const = default;
};

struct DumpedEpoch {
  int epoch = 0;                ///< from 0
  std::optional<double> auroc;  ///< in [0, 1], on the test split
  DumpedRows normal, pseudo, anomalous;
  std::vector<double> test_scores;  ///< of all test rows, in the set's order
  bool operator==(const DumpedEpoch&) const = default;
};

struct RowNames {
  std::vector<std::string> ids;      ///< where each row came from
  std::vector<std::int64_t> labels;  ///< index into Dump::classes
  bool operator==(const RowNames&) const = default;
};

struct Dump {
  std::string job;                            ///< canonical text
  std::string key;                            ///< the job's, which is a digest of the text
  std::int64_t dimension = 0, embedding = 0;  ///< D >= 1, E >= 0
  std::vector<std::string> classes;           ///< of the data set, official names in index order
  std::vector<std::string> normal_classes;    ///< some of them
  RowNames normal, anomalous, test;  ///< pseudo row i was made from normal row i; normal, anomalous are test rows
  std::optional<DumpedEpoch> best;   ///< absent where no epoch has an AUROC
  DumpedEpoch last;
  bool operator==(const Dump&) const = default;
};

/// DIR/dumps/<key>.h5.
std::filesystem::path dump_file(const std::filesystem::path& directory, const sweeps::JobKey& key);

/// 32 hexadecimal digits: the first 16 bytes of the SHA-256 over all that a dump holds.
std::string checksum_of(const Dump& dump);

/// What was to be dumped cannot be: a number that is not finite, sizes that do not fit each other.
class DumpRefused : public storage::Error {
 public:
  using storage::Error::Error;
};

/// Replaces `target` atomically; the same dump makes the same bytes. Makes missing parent folders. Throws
/// DumpRefused naming `target` and the reason: sizes that do not fit each other, a number that is not finite, a label
/// without a class; storage::Error where it cannot be written (storage::DiskFull where no room is left).
void write_dump(const std::filesystem::path& target, const Dump& dump);

/// Reads a dump and checks everything that write_dump holds to, version and checksum besides. Throws storage::Error
/// naming the file and what is wrong.
Dump read_dump(const std::filesystem::path& file);

}  // namespace results
