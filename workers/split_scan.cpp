// Merges scans and computes the statistics of method.md 1.2. Pure.
#include "workers/split_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "storage/digest.hpp"

namespace workers {
namespace {

constexpr double kByteUnit = 255;

/// Population statistics in [0, 1] from sums over pixels whose white is `unit`.
ChannelStatistics pooled(double pixels, const double* sums, const double* squares, double unit) {
  ChannelStatistics s;
  for (std::size_t c = 0; c < 3 && pixels > 0; ++c) {
    const double mean = sums[c] / pixels;
    s.mean[c] = mean / unit;
    s.std_dev[c] = std::sqrt(std::max(0.0, squares[c] / pixels - mean * mean)) / unit;
  }
  return s;
}

void add(std::array<double, 3>& to, const double* more) {
  for (std::size_t c = 0; c < 3; ++c) to[c] += more[c];
}

void add_image(ClassSums& to, const ScannedImage& image, bool resized, int square) {
  const auto& sums = resized ? image.square_sums : image.sums;
  const auto& squares = resized ? image.square_squares : image.squares;
  if (sums.empty()) return;  // a row of features
  const double pixels = resized ? double(square) * square : double(image.width) * image.height;
  const ChannelStatistics own = pooled(pixels, sums.data(), squares.data(), resized ? 1 : kByteUnit);
  to.pixels += pixels;
  add(to.sums, sums.data());
  add(to.squares, squares.data());
  add(to.image_means, own.mean.data());
  add(to.image_spreads, own.std_dev.data());
}

bool differ_in_size(const std::vector<ScannedImage>& images) {
  const ScannedImage* first = nullptr;
  for (const auto& image : images) {
    if (!image.fault.empty()) continue;
    if (first == nullptr) first = &image;
    if (image.width != first->width || image.height != first->height) return true;
  }
  return false;
}

std::string digest_of_content(const std::vector<std::string>& classes, const std::vector<int>& labels,
                              const std::vector<ScannedImage>& images) {
  storage::Sha256 sha;
  for (const auto& name : classes) sha.update(name).update(std::string_view("\0", 1));
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (!images[i].fault.empty()) continue;
    sha.update(fmt::format("{} {} {} {:08x}\n", labels[i], images[i].width, images[i].height, images[i].crc32c));
  }
  return storage::hex(sha.finish(), 16);
}

/// Mean over the classes that have rows.
ChannelStatistics mean_over_classes(const SplitScan& scan) {
  ChannelStatistics mean;
  double classes = 0;
  for (std::size_t k = 0; k < scan.class_rows.size(); ++k) {
    if (scan.class_rows[k] == 0) continue;
    ++classes;
    const ChannelStatistics of_class = statistics_of(scan, {static_cast<int>(k)});
    add(mean.mean, of_class.mean.data());
    add(mean.std_dev, of_class.std_dev.data());
  }
  for (std::size_t c = 0; c < 3; ++c) {
    mean.mean[c] /= classes;
    mean.std_dev[c] /= classes;
  }
  return mean;
}

}  // namespace

ScanRule scan_rule_of(const datasets::Dataset& dataset, int backbone_square) {
  const auto* images = dynamic_cast<const datasets::Images*>(&dataset);
  if (images == nullptr) return {backbone_square, false, datasets::Averaging::classes};
  const int first = images->first_square();
  return {first > 0 ? first : backbone_square, first > 0, images->averaging()};
}

SplitScan merge_scan(const std::vector<std::string>& classes, const std::vector<int>& labels,
                     const std::vector<ScannedImage>& images, const ScanRule& rule) {
  if (labels.size() != images.size()) throw std::logic_error("merge_scan: one label per image");
  SplitScan scan;
  scan.averaging = rule.averaging;
  scan.resized = rule.resize || differ_in_size(images);
  scan.class_sums.resize(classes.size());
  scan.class_rows.assign(classes.size(), 0);
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (!images[i].fault.empty()) {
      scan.skipped.push_back({static_cast<std::int64_t>(i), images[i].fault});
      continue;
    }
    const auto k = static_cast<std::size_t>(labels[i]);
    add_image(scan.class_sums.at(k), images[i], scan.resized, rule.square);
    ++scan.class_rows[k];
    scan.checksums.push_back(images[i].crc32c);
  }
  scan.content_digest = digest_of_content(classes, labels, images);
  scan.facts = facts_of(images);
  return scan;
}

ChannelStatistics statistics_of(const SplitScan& scan, const std::vector<int>& classes) {
  ClassSums all;
  double rows = 0;
  for (const int k : classes) {
    const ClassSums& one = scan.class_sums.at(static_cast<std::size_t>(k));
    all.pixels += one.pixels;
    add(all.sums, one.sums.data());
    add(all.squares, one.squares.data());
    add(all.image_means, one.image_means.data());
    add(all.image_spreads, one.image_spreads.data());
    rows += static_cast<double>(scan.class_rows.at(static_cast<std::size_t>(k)));
  }
  if (scan.averaging == datasets::Averaging::classes) {
    return pooled(all.pixels, all.sums.data(), all.squares.data(), scan.resized ? 1 : kByteUnit);
  }
  ChannelStatistics mean;
  for (std::size_t c = 0; c < 3 && rows > 0; ++c) {
    mean.mean[c] = all.image_means[c] / rows;
    mean.std_dev[c] = all.image_spreads[c] / rows;
  }
  return mean;
}

ChannelStatistics statistics_for(sweeps::Normalisation normalisation, const SplitScan& train,
                                 const std::vector<int>& normal_classes) {
  if (normalisation == sweeps::Normalisation::imagenet) return {{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
  if (normalisation == sweeps::Normalisation::normal_class) return statistics_of(train, normal_classes);
  if (train.averaging == datasets::Averaging::classes) return mean_over_classes(train);
  std::vector<int> all(train.class_rows.size());
  std::iota(all.begin(), all.end(), 0);
  return statistics_of(train, all);
}

}  // namespace workers
