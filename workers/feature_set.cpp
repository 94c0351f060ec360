// Writes identities as JSON. Pure.
#include "workers/feature_set.hpp"

#include <string_view>

#include "storage/digest.hpp"
#include "storage/json.hpp"
#include "sweeps/backbones.hpp"

namespace workers {
namespace {

void write_three(storage::JsonWriter& json, std::string_view key, const std::array<double, 3>& values) {
  json.key(key).begin_array();
  for (double v : values) json.value(v);
  json.end_array();
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
