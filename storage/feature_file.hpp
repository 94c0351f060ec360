// The HDF5 file of one feature set, or of one part of it while it grows. The only folder that includes <hdf5.h>.
// Layout (version 2): datasets `rows` contiguous, either features [N, L] float32 or images [N, 3, 32, 32] uint8,
// `labels` [N] int32, `ids` [N] fixed-length strings, `classes` [C] fixed-length strings; root attributes `format`
// "plume-bench features", `version` 2, `identity` (canonical JSON text), `checksum`. Files of version 1 hold features
// and are read as well.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace storage {

/// Sides of the images that a file can hold, channels first.
inline constexpr std::int64_t kImageChannels = 3;
inline constexpr std::int64_t kImageSide = 32;
inline constexpr std::int64_t kImageLength = kImageChannels * kImageSide * kImageSide;

/// What the rows are: a backbone's features or images. In the order of Rows.
enum class RowKind { features, images };
/// All rows one after another: N * L floats, or N * kImageLength bytes.
using Rows = std::variant<std::vector<float>, std::vector<std::uint8_t>>;

struct FeatureTable {
  std::string identity;              ///< canonical JSON text of what the rows are; see workers/feature_set.hpp
  std::int64_t row_count = 0;        ///< N >= 0
  std::int64_t row_length = 0;       ///< L >= 1, numbers of a row; kImageLength for images
  Rows rows;                         ///< row-major
  std::vector<std::int32_t> labels;  ///< N, index into classes
  std::vector<std::string> ids;      ///< N, where each row came from (relative path, or file#index)
  std::vector<std::string> classes;  ///< official names, in index order
  std::string checksum = {};         ///< payload_checksum, of a table that was read; else empty

  RowKind kind() const;
  /// The rows as what they are known to be; throws std::bad_variant_access where they are not.
  const std::vector<float>& features() const { return std::get<std::vector<float>>(rows); }
  const std::vector<std::uint8_t>& images() const { return std::get<std::vector<std::uint8_t>>(rows); }
};

/// 32 hexadecimal digits: the first 16 bytes of the SHA-256 over N, L (images: 3, 32, 32), rows, labels, ids and
/// classes.
std::string payload_checksum(const FeatureTable& table);

/// Writes `table` to `target` atomically; the first complete file wins (see Publish). Returns the payload checksum of
/// the file that is there afterwards. Throws Error naming file and reason (disk full, unwritable folder), leaving no
/// temporary.
std::string write_feature_file(const std::filesystem::path& target, const FeatureTable& table);

/// Reads and checks everything: format, version, layout (contiguous, no filters, no external files), sizes against the
/// file's length before allocating, labels within classes, checksum; and that the rows are of the kind and the identity
/// that are expected. Throws Error naming the file and what is wrong. Opens read-only with HDF5's file locking off.
FeatureTable read_feature_file(const std::filesystem::path& file, RowKind expected_kind,
                               const std::string& expected_identity);

struct FeatureHeader {
  std::string identity;
  std::string checksum;
  RowKind kind = RowKind::features;
  std::int64_t row_count = 0;
  std::int64_t row_length = 0;
};
/// Only the attributes and sizes; the payload is not checked.
FeatureHeader read_feature_header(const std::filesystem::path& file);

}  // namespace storage
