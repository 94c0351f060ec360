// Merges scans, computes the statistics of method.md 1.2 and the identity of a feature set. Pure but for the kept scans
// at the end.
#include "workers/feature_set.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "storage/atomic_file.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "sweeps/backbones.hpp"
#include "workers/checksums.hpp"

namespace workers {
namespace {

struct ChannelSums {
  double pixels = 0;
  std::array<double, 3> sum{};
  std::array<double, 3> squares{};

  void add(const std::vector<double>& image_sum, const std::vector<double>& image_squares, double image_pixels) {
    if (image_sum.empty()) return;  // a row of features
    pixels += image_pixels;
    for (std::size_t c = 0; c < 3; ++c) {
      sum[c] += image_sum[c];
      squares[c] += image_squares[c];
    }
  }
  ChannelStatistics statistics(double unit) const {
    ChannelStatistics s;
    for (std::size_t c = 0; c < 3 && pixels > 0; ++c) {
      const double mean = sum[c] / pixels;
      s.mean[c] = mean / unit;
      s.std_dev[c] = std::sqrt(std::max(0.0, squares[c] / pixels - mean * mean)) / unit;
    }
    return s;
  }
};

bool all_of_one_size(const std::vector<ScannedImage>& images) {
  for (const auto& image : images) {
    if (image.width != images.front().width || image.height != images.front().height) return false;
  }
  return true;
}

std::string digest_of_content(const std::vector<std::string>& classes, const std::vector<int>& labels,
                              const std::vector<ScannedImage>& images) {
  storage::Sha256 sha;
  for (const auto& name : classes) sha.update(name).update(std::string_view("\0", 1));
  for (std::size_t i = 0; i < images.size(); ++i) {
    sha.update(fmt::format("{} {} {} {:08x}\n", labels[i], images[i].width, images[i].height, images[i].crc32c));
  }
  return storage::hex(sha.finish(), 16);
}

void write_three(storage::JsonWriter& json, std::string_view key, const std::array<double, 3>& values) {
  json.key(key).begin_array();
  for (double v : values) json.value(v);
  json.end_array();
}

std::array<double, 3> read_three(const storage::JsonValue& value) {
  const auto items = value.items();
  if (items.size() != 3) value.fail("expected three numbers");
  return {items[0].number(), items[1].number(), items[2].number()};
}

}  // namespace

SplitScan merge_scan(const std::vector<std::string>& classes, const std::vector<int>& labels,
                     const std::vector<ScannedImage>& images, int square) {
  if (labels.size() != images.size()) throw std::logic_error("merge_scan: one label per image");
  SplitScan scan;
  scan.one_size = images.empty() || all_of_one_size(images);
  std::vector<ChannelSums> sums(classes.size());
  scan.class_rows.assign(classes.size(), 0);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto& image = images[i];
    auto& of_class = sums.at(static_cast<std::size_t>(labels[i]));
    if (scan.one_size) {
      of_class.add(image.sums, image.squares, double(image.width) * image.height);
    } else {
      of_class.add(image.square_sums, image.square_squares, double(square) * square);
    }
    ++scan.class_rows[static_cast<std::size_t>(labels[i])];
    scan.checksums.push_back(image.crc32c);
  }
  for (const auto& s : sums) scan.class_statistics.push_back(s.statistics(scan.one_size ? 255.0 : 1.0));
  scan.content_digest = digest_of_content(classes, labels, images);
  return scan;
}

ChannelStatistics statistics_for(sweeps::Normalisation normalisation, const SplitScan& train,
                                 const std::vector<int>& normal_classes) {
  if (normalisation == sweeps::Normalisation::imagenet) return {{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
  if (normalisation == sweeps::Normalisation::normal_class) {
    return train.class_statistics.at(static_cast<std::size_t>(normal_classes.at(0)));
  }
  ChannelStatistics mean;
  double classes = 0;
  for (std::size_t k = 0; k < train.class_statistics.size(); ++k) {
    if (train.class_rows[k] == 0) continue;
    ++classes;
    for (std::size_t c = 0; c < 3; ++c) {
      mean.mean[c] += train.class_statistics[k].mean[c];
      mean.std_dev[c] += train.class_statistics[k].std_dev[c];
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    mean.mean[c] /= classes;
    mean.std_dev[c] /= classes;
  }
  return mean;
}

std::string identity_of(const SplitScan& split_scan, datasets::Split split, std::optional<std::int64_t> rows_per_class,
                        const std::string& backbone, const std::string& weights, sweeps::Normalisation normalisation,
                        const ChannelStatistics& statistics, int square) {
  storage::JsonWriter json;
  json.begin_object();
  json.member("backbone", backbone).member("content", split_scan.content_digest);
  json.member("format", kFeatureFormatVersion);
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
                             std::optional<std::int64_t> rows_per_class, const char* size_key, std::int64_t size) {
  storage::JsonWriter json;
  json.begin_object();
  json.member("backbone", backbone).member("content", scan.content_digest);
  json.member("format", kFeatureFormatVersion);
  if (std::string_view(size_key) < "rows_per_class") json.member(size_key, size);
  if (rows_per_class) json.member("rows_per_class", *rows_per_class);
  if (std::string_view(size_key) > "rows_per_class") json.member(size_key, size);
  json.member("split", datasets::name_of(split));
  json.end_object();
  return json.text();
}

}  // namespace

std::string identity_of_images(const SplitScan& split_scan, datasets::Split split,
                               std::optional<std::int64_t> rows_per_class) {
  return identity_of_rows(sweeps::kRawImages, split_scan, split, rows_per_class, "size",
                          sweeps::backbone_facts(sweeps::kRawImages).input_size);
}

std::string identity_of_features(const SplitScan& split_scan, datasets::Split split,
                                 std::optional<std::int64_t> rows_per_class, std::int64_t length) {
  return identity_of_rows(sweeps::kOwnFeatures, split_scan, split, rows_per_class, "length", length);
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

// ---- kept scans
// ----------------------------------------------------------------------------------------------------------------

namespace {

constexpr int kScanVersion = 2;  // 2: checksums of rows

std::filesystem::path scan_file(const std::filesystem::path& cache, const std::string& key) {
  return cache / "scan" / (key + ".json");
}

void write_split(storage::JsonWriter& json, const SplitScan& scan) {
  json.begin_object()
      .member("content", scan.content_digest)
      .member("one_size", scan.one_size)
      .member("checksums", hex_of(scan.checksums))
      .key("classes")
      .begin_array();
  for (std::size_t k = 0; k < scan.class_rows.size(); ++k) {
    json.begin_object().member("rows", scan.class_rows[k]);
    write_three(json, "mean", scan.class_statistics[k].mean);
    write_three(json, "std", scan.class_statistics[k].std_dev);
    json.end_object();
  }
  json.end_array().end_object();
}

SplitScan read_split(const storage::JsonValue& value) {
  SplitScan scan;
  scan.content_digest = value.at("content").string();
  scan.one_size = value.at("one_size").boolean();
  const auto checksums = checksums_of(value.at("checksums").string());
  if (!checksums) value.at("checksums").fail("expected hexadecimal digits");
  scan.checksums = *checksums;
  for (const auto& item : value.at("classes").items()) {
    scan.class_rows.push_back(item.at("rows").integer(0));
    scan.class_statistics.push_back({read_three(item.at("mean")), read_three(item.at("std"))});
  }
  return scan;
}

}  // namespace

std::optional<std::array<SplitScan, 2>> load_scan(const std::filesystem::path& cache, const std::string& scan_key) {
  const auto file = scan_file(cache, scan_key);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  try {
    const auto root = storage::read_json(file, storage::Blame::run);
    const std::string body = root.at("scan").text();
    if (root.at("v").integer() != kScanVersion || root.at("crc").string() != storage::crc32c_hex(body))
      return std::nullopt;
    const auto splits = root.at("scan").items();
    if (splits.size() != 2) return std::nullopt;
    return std::array<SplitScan, 2>{read_split(splits[0]), read_split(splits[1])};
  } catch (const storage::Error&) {
    return std::nullopt;  // a damaged kept scan costs only time: it is made again
  }
}

void save_scan(const std::filesystem::path& cache, const std::string& scan_key, const std::array<SplitScan, 2>& scans) {
  storage::JsonWriter body;
  body.begin_array();
  for (const auto& scan : scans) write_split(body, scan);
  body.end_array();
  // The checksum is over the sorted text, which is what a reader can make again.
  const std::string text = storage::parse_json(body.text(), "scan", storage::Blame::run).text();
  storage::JsonWriter json;
  json.begin_object()
      .member("v", kScanVersion)
      .key("scan")
      .raw(text)
      .member("crc", storage::crc32c_hex(text))
      .end_object();
  storage::write_atomically(scan_file(cache, scan_key), json.text());
}

}  // namespace workers
