// The HDF5 file of one feature set, or of one part of it while it grows. The only folder that includes <hdf5.h>.
// Layout (version 1): datasets `rows` [N, L] float32 contiguous, `labels` [N] int32, `ids` [N] fixed-length strings,
// `classes` [C] fixed-length strings; root attributes `format` "plume-bench features", `version` 1, `identity`
// (canonical JSON text), `checksum`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace storage {

struct FeatureTable {
  std::string identity;              ///< canonical JSON text of what the rows are; see workers/feature_set.hpp
  std::int64_t row_count = 0;        ///< N >= 0
  std::int64_t row_length = 0;       ///< L >= 1
  std::vector<float> rows;           ///< N * L, row-major
  std::vector<std::int32_t> labels;  ///< N, index into classes
  std::vector<std::string> ids;      ///< N, where each row came from (relative path, or file#index)
  std::vector<std::string> classes;  ///< official names, in index order
};

/// 32 hexadecimal digits: the first 16 bytes of the SHA-256 over N, L, rows, labels, ids and classes.
std::string payload_checksum(const FeatureTable& table);

/// Writes `table` to `target` atomically; the first complete file wins (see Publish). Returns the payload checksum of
/// the file that is there afterwards. Throws Error naming file and reason (disk full, unwritable folder), leaving no
/// temporary.
std::string write_feature_file(const std::filesystem::path& target, const FeatureTable& table);

/// Reads and checks everything: format, version, layout (contiguous, no filters, no external files), sizes against the
/// file's length before allocating, labels within classes, checksum; and that the identity is `expected_identity`.
/// Throws Error naming the file and what is wrong. Opens read-only with HDF5's file locking off.
FeatureTable read_feature_file(const std::filesystem::path& file, const std::string& expected_identity);

struct FeatureHeader {
  std::string identity;
  std::string checksum;
  std::int64_t row_count = 0;
  std::int64_t row_length = 0;
};
/// Only the attributes and sizes; the payload is not checked.
FeatureHeader read_feature_header(const std::filesystem::path& file);

}  // namespace storage
