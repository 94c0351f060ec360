// Scans and their slices as JSON files, each with a version and a checksum.
#include "workers/kept_scan.hpp"

#include <algorithm>
#include <system_error>

#include "storage/atomic_file.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "workers/checksums.hpp"
#include "workers/messages_tasks.hpp"

namespace workers {
namespace {

namespace fs = std::filesystem;
using storage::JsonValue;
using storage::JsonWriter;

constexpr int kScanVersion = 4;  // 2: checksums of rows; 3: sums instead of statistics, skipped rows; 4: facts
constexpr int kSliceVersion = 1;

fs::path scan_file(const fs::path& cache, const std::string& key) {
  return cache / "scan" / (key + ".json");
}

fs::path slices_folder(const fs::path& cache, const std::string& key) {
  return cache / "scan" / (key + ".parts");
}

fs::path slice_file(const fs::path& cache, const ScanSlice& slice) {
  return slices_folder(cache, slice.scan_key) /
         (std::string(datasets::name_of(slice.split)) + "-" + std::to_string(slice.first) + ".json");
}

/// {"v", "scan", "crc"}: the checksum is over the body's sorted text, which is what a reader can make again.
void write_checked(const fs::path& file, int version, const std::string& body) {
  const std::string text = storage::parse_json(body, "scan", storage::Blame::run).text();
  JsonWriter json;
  json.begin_object().member("v", version).key("scan").raw(text).member("crc", storage::crc32c_hex(text)).end_object();
  storage::write_atomically(file, json.text());
}

/// The body; nothing for another version or damage that the checksum shows. Throws storage::Error for what is not JSON.
std::optional<JsonValue> read_checked(const fs::path& file, int version) {
  const JsonValue root = storage::read_json(file, storage::Blame::run);
  if (root.at("v").integer() != version) return std::nullopt;
  const JsonValue body = root.at("scan");
  if (root.at("crc").string() != storage::crc32c_hex(body.text())) return std::nullopt;
  return body;
}

/// A file, that is: to open a pipe would be to wait for its other end.
bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

void write_three(JsonWriter& json, std::string_view key, const std::array<double, 3>& values) {
  json.key(key).begin_array();
  for (const double v : values) json.value(v);
  json.end_array();
}

std::array<double, 3> read_three(const JsonValue& value) {
  const auto items = value.items();
  if (items.size() != 3) value.fail("expected three numbers");
  return {items[0].number(), items[1].number(), items[2].number()};
}

void write_class(JsonWriter& json, std::int64_t rows, const ClassSums& sums) {
  json.begin_object().member("rows", rows).member("pixels", sums.pixels);
  write_three(json, "sums", sums.sums);
  write_three(json, "squares", sums.squares);
  write_three(json, "image_means", sums.image_means);
  write_three(json, "image_spreads", sums.image_spreads);
  json.end_object();
}

void write_split(JsonWriter& json, const SplitScan& scan) {
  json.begin_object()
      .member("content", scan.content_digest)
      .member("by_image", scan.averaging == datasets::Averaging::images)
      .member("resized", scan.resized)
      .member("checksums", hex_of(scan.checksums))
      .key("skipped")
      .begin_array();
  for (const SkippedRow& row : scan.skipped) {
    json.begin_object().member("row", row.row).member("fault", row.fault).end_object();
  }
  json.end_array().key("classes").begin_array();
  for (std::size_t k = 0; k < scan.class_rows.size(); ++k) write_class(json, scan.class_rows[k], scan.class_sums[k]);
  json.end_array().key("facts");
  write_facts(json, scan.facts);
  json.end_object();
}

SplitScan read_split(const JsonValue& value) {
  SplitScan scan;
  scan.content_digest = value.at("content").string();
  scan.averaging = value.at("by_image").boolean() ? datasets::Averaging::images : datasets::Averaging::classes;
  scan.resized = value.at("resized").boolean();
  const auto checksums = checksums_of(value.at("checksums").string());
  if (!checksums) value.at("checksums").fail("expected hexadecimal digits");
  scan.checksums = *checksums;
  for (const JsonValue& item : value.at("skipped").items()) {
    const std::int64_t least = scan.skipped.empty() ? 0 : scan.skipped.back().row + 1;
    scan.skipped.push_back({item.at("row").integer(least, INT64_MAX - 1), item.at("fault").string()});
  }
  for (const JsonValue& item : value.at("classes").items()) {
    scan.class_rows.push_back(item.at("rows").integer(0));
    scan.class_sums.push_back({item.at("pixels").number(), read_three(item.at("sums")), read_three(item.at("squares")),
                               read_three(item.at("image_means")), read_three(item.at("image_spreads"))});
  }
  scan.facts = read_facts(value.at("facts"), scan.row_count());
  return scan;
}

}  // namespace

std::optional<std::array<SplitScan, 2>> load_scan(const fs::path& cache, const std::string& scan_key) {
  const fs::path file = scan_file(cache, scan_key);
  if (!is_there(file)) return std::nullopt;
  try {
    const auto body = read_checked(file, kScanVersion);
    if (!body) return std::nullopt;
    const auto splits = body->items();
    if (splits.size() != 2) return std::nullopt;
    return std::array<SplitScan, 2>{read_split(splits[0]), read_split(splits[1])};
  } catch (const storage::Error&) {
    return std::nullopt;  // it is made again
  }
}

void save_scan(const fs::path& cache, const std::string& scan_key, const std::array<SplitScan, 2>& scans) {
  JsonWriter body;
  body.begin_array();
  for (const auto& scan : scans) write_split(body, scan);
  body.end_array();
  write_checked(scan_file(cache, scan_key), kScanVersion, body.text());
}

std::optional<Scanned> load_slice(const fs::path& cache, const ScanSlice& slice) {
  const fs::path file = slice_file(cache, slice);
  if (!is_there(file)) return std::nullopt;
  try {
    const auto body = read_checked(file, kSliceVersion);
    if (!body || body->at("key").string() != slice.scan_key || body->at("first").integer() != slice.first ||
        body->at("split").string() != datasets::name_of(slice.split)) {
      return std::nullopt;
    }
    const TaskOutput output = read_output(body->at("outcome"));
    const auto* scanned = std::get_if<Scanned>(&output);
    if (scanned == nullptr || static_cast<std::int64_t>(scanned->images.size()) != slice.count) return std::nullopt;
    return *scanned;
  } catch (const storage::Error&) {
    return std::nullopt;
  }
}

void keep_slice(const fs::path& cache, const ScanSlice& slice, const Scanned& scanned) {
  JsonWriter body;
  body.begin_object()
      .member("key", slice.scan_key)
      .member("split", datasets::name_of(slice.split))
      .member("first", slice.first)
      .key("outcome");
  write(body, TaskOutput{scanned});
  body.end_object();
  try {
    write_checked(slice_file(cache, slice), kSliceVersion, body.text());
  } catch (const storage::DiskFull&) {
    throw;  // rather now than at the end of the scan
  } catch (const storage::Error&) {
  }
}

void remove_slices(const fs::path& cache, const std::string& scan_key) {
  std::error_code ignored;  // another run may be at work in the same folder
  fs::remove_all(slices_folder(cache, scan_key), ignored);
}

}  // namespace workers
