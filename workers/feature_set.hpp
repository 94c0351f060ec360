// What identifies a feature set, and the statistics that normalise its images. Knows no LibTorch: the coordinator uses
// it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "storage/feature_file.hpp"
#include "sweeps/job.hpp"
#include "workers/messages.hpp"

namespace workers {

/// Of what the rows mean, not of how their file looks.
inline constexpr int kFeatureFormatVersion = 1;

struct ChannelStatistics {
  std::array<double, 3> mean{};     ///< of pixel values in [0, 1]
  std::array<double, 3> std_dev{};  ///< population
  bool operator==(const ChannelStatistics&) const = default;
};

/// The scan of one split, merged in row order.
struct SplitScan {
  std::string content_digest;  ///< SHA-256 (32 hex digits) over class names, labels, row ids' order and image checksums
  std::vector<ChannelStatistics> class_statistics;  ///< per class, pooled over its pixels; as stored where all images
                                                    ///< have one size, else after the resize; zeros for features
  std::vector<std::int64_t> class_rows;
  std::vector<std::uint32_t> checksums;  ///< of each row, ScannedImage::crc32c: extraction must find the same
  bool one_size = true;
  bool operator==(const SplitScan&) const = default;
};

/// Merges slices, in image order, so that the outcome does not depend on how the split was cut. `labels` has one entry
/// per image.
SplitScan merge_scan(const std::vector<std::string>& classes, const std::vector<int>& labels,
                     const std::vector<ScannedImage>& images, int square);

/// method.md 1.2: `dataset` = mean over classes of the per-class means and stds (classes without rows left out);
/// `normal_class` = those of one class; `imagenet` = fixed.
ChannelStatistics statistics_for(sweeps::Normalisation normalisation, const SplitScan& train,
                                 const std::vector<int>& normal_classes);

/// Canonical JSON text: format version, content digest, split, rows per class, backbone, SHA-256 of its weights
/// (or random:SEED), normalisation and its numbers, size.
std::string identity_of(const SplitScan& split_scan, datasets::Split split, std::optional<std::int64_t> rows_per_class,
                        const std::string& backbone, const std::string& weights, sweeps::Normalisation normalisation,
                        const ChannelStatistics& statistics, int square);
/// The same of the images themselves (sweeps::kRawImages): format version, content digest, split, rows per class,
/// "raw32", size.
std::string identity_of_images(const SplitScan& split_scan, datasets::Split split,
                               std::optional<std::int64_t> rows_per_class);
/// The same of features that another program computed (sweeps::kOwnFeatures), `length` = L: format version, content
/// digest, split, rows per class, "features", length.
std::string identity_of_features(const SplitScan& split_scan, datasets::Split split,
                                 std::optional<std::int64_t> rows_per_class, std::int64_t length);
/// What an identity says of weights: SHA-256 or random:SEED, "" for rows made without any.
std::string weights_of(const std::string& identity);
/// What the rows of a set through `backbone` are.
storage::RowKind row_kind_of(const std::string& backbone);
/// The first 16 bytes of the SHA-256 of the identity, as 32 hexadecimal digits.
std::string feature_set_id(const std::string& identity);

std::filesystem::path feature_file(const std::filesystem::path& cache, const std::string& id);
std::filesystem::path part_file(const std::filesystem::path& cache, const std::string& id, std::int64_t part);

/// CACHE/scan/<key>.json, key from the data set's spec and stamp: a scan is reused while every file's path, size and
/// time agree.
std::optional<std::array<SplitScan, 2>> load_scan(const std::filesystem::path& cache, const std::string& scan_key);
void save_scan(const std::filesystem::path& cache, const std::string& scan_key, const std::array<SplitScan, 2>& scans);

}  // namespace workers
