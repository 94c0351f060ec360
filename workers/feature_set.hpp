// What identifies a feature set, and where it lies in the cache. Knows no LibTorch: the coordinator uses it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "storage/feature_file.hpp"
#include "sweeps/job.hpp"
#include "workers/split_scan.hpp"

namespace workers {

/// Of what the rows mean, not of how their file looks.
inline constexpr int kFeatureFormatVersion = 1;

/// Canonical JSON text: format version, content digest, split, rows per class, backbone, SHA-256 of its weights
/// (or random:SEED), normalisation and its numbers, size, the data set's first square where it has one.
std::string identity_of(const SplitScan& split_scan, datasets::Split split, std::optional<std::int64_t> rows_per_class,
                        const std::string& backbone, const std::string& weights, sweeps::Normalisation normalisation,
                        const ChannelStatistics& statistics, int square, int first_square = 0);
/// The same of the images themselves (sweeps::kRawImages): format version, content digest, split, rows per class,
/// "raw32", size, first square.
std::string identity_of_images(const SplitScan& split_scan, datasets::Split split,
                               std::optional<std::int64_t> rows_per_class, int first_square = 0);
/// The same of features that another program computed (sweeps::kOwnFeatures), `length` = L: format version, content
/// digest, split, rows per class, "features", length.
std::string identity_of_features(const SplitScan& split_scan, datasets::Split split,
                                 std::optional<std::int64_t> rows_per_class, std::int64_t length);
/// What an identity says of weights: SHA-256 or random:SEED, "" for rows made without any.
std::string weights_of(const std::string& identity);
/// What an identity says of how its rows are made.
struct RowSource {
  std::string backbone;               ///< sweeps::kRawImages and kOwnFeatures among them
  std::string weights;                ///< as weights_of
  std::vector<double> mean, std_dev;  ///< 3 each; empty without a backbone that has weights
  int size = 0;                       ///< side of the square that rows are made of; 0 for features
  int first_square = 0;               ///< 0: none
  std::int64_t length = 0;            ///< L of features that another program computed; else 0
};
/// Throws storage::Error "<origin>: ..." for what is no identity of a known backbone.
RowSource row_source_of(const std::string& identity, const std::string& origin);
/// What the rows of a set through `backbone` are.
storage::RowKind row_kind_of(const std::string& backbone);
/// The first 16 bytes of the SHA-256 of the identity, as 32 hexadecimal digits.
std::string feature_set_id(const std::string& identity);

std::filesystem::path feature_file(const std::filesystem::path& cache, const std::string& id);
std::filesystem::path part_file(const std::filesystem::path& cache, const std::string& id, std::int64_t part);

}  // namespace workers
