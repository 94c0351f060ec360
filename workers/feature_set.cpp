// Writes identities as JSON. Pure.
#include "workers/feature_set.hpp"

#include <algorithm>
#include <string_view>

#include "storage/digest.hpp"
#include "storage/foreign_arrays.hpp"
#include "storage/json.hpp"
#include "sweeps/backbones.hpp"

namespace workers {
namespace {

void write_three(storage::JsonWriter& json, std::string_view key, const std::array<double, 3>& values) {
  json.key(key).begin_array();
  for (double v : values) json.value(v);
  json.end_array();
}

constexpr std::int64_t kLargestSquare = 1024;

std::vector<double> read_three(const storage::JsonValue& value) {
  const auto items = value.items(3);
  if (items.size() != 3) value.fail("expected three numbers");
  return {items[0].number(), items[1].number(), items[2].number()};
}

/// What every identity begins with; keys are sorted.
void begin_identity(storage::JsonWriter& json, std::string_view backbone, const SplitScan& scan, int first_square) {
  json.begin_object();
  json.member("backbone", backbone).member("content", scan.content_digest);
  if (first_square > 0) json.member("first_square", first_square);
  json.member("format", kFeatureFormatVersion);
}

}  // namespace

std::string identity_of(const SplitScan& split_scan, datasets::Split split, std::optional<std::int64_t> rows_per_class,
                        const std::string& backbone, const std::string& weights, sweeps::Normalisation normalisation,
                        const ChannelStatistics& statistics, int square, int first_square) {
  storage::JsonWriter json;
  begin_identity(json, backbone, split_scan, first_square);
  write_three(json, "mean", statistics.mean);
  json.member("normalisation", sweeps::name_of(normalisation));
  if (rows_per_class) json.member("rows_per_class", *rows_per_class);
  json.member("size", square).member("split", datasets::name_of(split));
  write_three(json, "std", statistics.std_dev);
  json.member("weights", weights);
  json.end_object();
  return json.text();
}

namespace {

/// Of rows that no backbone computes; `size_key` says what `size` is.
std::string identity_of_rows(const char* backbone, const SplitScan& scan, datasets::Split split,
                             std::optional<std::int64_t> rows_per_class, const char* size_key, std::int64_t size,
                             int first_square) {
  storage::JsonWriter json;
  begin_identity(json, backbone, scan, first_square);
  if (std::string_view(size_key) < "rows_per_class") json.member(size_key, size);
  if (rows_per_class) json.member("rows_per_class", *rows_per_class);
  if (std::string_view(size_key) > "rows_per_class") json.member(size_key, size);
  json.member("split", datasets::name_of(split));
  json.end_object();
  return json.text();
}

}  // namespace

std::string identity_of_images(const SplitScan& split_scan, datasets::Split split,
                               std::optional<std::int64_t> rows_per_class, int first_square) {
  return identity_of_rows(sweeps::kRawImages, split_scan, split, rows_per_class, "size",
                          sweeps::backbone_facts(sweeps::kRawImages).input_size, first_square);
}

std::string identity_of_features(const SplitScan& split_scan, datasets::Split split,
                                 std::optional<std::int64_t> rows_per_class, std::int64_t length) {
  return identity_of_rows(sweeps::kOwnFeatures, split_scan, split, rows_per_class, "length", length, 0);
}

std::string weights_of(const std::string& identity) {
  const auto weights = storage::parse_json(identity, "identity of a feature set", storage::Blame::run).find("weights");
  return weights ? weights->string() : "";
}

RowSource row_source_of(const std::string& identity, const std::string& origin) {
  const auto value = storage::parse_json(identity, origin, storage::Blame::run);
  value.allow_only({"backbone", "content", "first_square", "format", "length", "mean", "normalisation",
                    "rows_per_class", "size", "split", "std", "weights"});
  if (value.at("format").integer() != kFeatureFormatVersion) {
    value.at("format").fail("expected " + std::to_string(kFeatureFormatVersion));
  }
  RowSource source;
  source.backbone = value.at("backbone").string();
  const auto names = sweeps::backbone_names();
  const bool through_network = std::find(names.begin(), names.end(), source.backbone) != names.end();
  if (!through_network && source.backbone != sweeps::kRawImages && source.backbone != sweeps::kOwnFeatures) {
    value.at("backbone").fail("is none that this program knows");
  }
  if (source.backbone == sweeps::kOwnFeatures) {
    source.length = value.at("length").integer(1, storage::kLongestArrayRow);
    return source;
  }
  source.size = static_cast<int>(value.at("size").integer(1, kLargestSquare));
  if (const auto first = value.find("first_square")) {
    source.first_square = static_cast<int>(first->integer(1, kLargestSquare));
  }
  if (!through_network) return source;
  source.mean = read_three(value.at("mean"));
  source.std_dev = read_three(value.at("std"));
  source.weights = value.at("weights").string();
  return source;
}

storage::RowKind row_kind_of(const std::string& backbone) {
  return backbone == sweeps::kRawImages ? storage::RowKind::images : storage::RowKind::features;
}

std::string feature_set_id(const std::string& identity) {
  return storage::hex(storage::sha256(identity), 16);
}

std::filesystem::path feature_file(const std::filesystem::path& cache, const std::string& id) {
  return cache / (id + ".h5");
}

std::filesystem::path part_file(const std::filesystem::path& cache, const std::string& id, std::int64_t part) {
  return cache / (id + ".parts") / (std::to_string(part) + ".h5");
}

}  // namespace workers
