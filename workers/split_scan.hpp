// The scan of one split: what identifies its content, and the sums behind the statistics that normalise its images.
// Knows no LibTorch: the coordinator uses it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"
#include "sweeps/job.hpp"
#include "workers/messages.hpp"
#include "workers/scan_facts.hpp"

namespace workers {

struct ChannelStatistics {
  std::array<double, 3> mean{};     ///< of pixel values in [0, 1]
  std::array<double, 3> std_dev{};  ///< population
  bool operator==(const ChannelStatistics&) const = default;
};

/// Which sums of a data set's images its statistics are made of, and how.
struct ScanRule {
  int square = 224;     ///< side of the images that sums after a resize are of
  bool resize = false;  ///< always of those: there is a first square. Else only where images differ in size
  datasets::Averaging averaging = datasets::Averaging::classes;
};
/// `backbone_square`: the backbones' input.
ScanRule scan_rule_of(const datasets::Dataset& dataset, int backbone_square);

/// What both kinds of statistics of a class are made of.
struct ClassSums {
  double pixels = 0;                      ///< of all images
  std::array<double, 3> sums{};           ///< of v over all pixels
  std::array<double, 3> squares{};        ///< of v^2
  std::array<double, 3> image_means{};    ///< of each image's mean, in [0, 1], over the images
  std::array<double, 3> image_spreads{};  ///< of each image's population standard deviation
  bool operator==(const ClassSums&) const = default;
};

struct SkippedRow {
  std::int64_t row = 0;
  std::string fault;  ///< one line
  bool operator==(const SkippedRow&) const = default;
};

/// The scan of one split, merged in row order. A row that cannot be read is in `skipped` and in nothing else.
struct SplitScan {
  std::string content_digest;  ///< SHA-256 (32 hex digits) over class names, labels, row ids' order and image checksums
  datasets::Averaging averaging = datasets::Averaging::classes;
  bool resized = false;               ///< v is in [0, 1], after the resize to ScanRule::square; else a byte as stored
  std::vector<ClassSums> class_sums;  ///< per class; zeros for features
  std::vector<std::int64_t> class_rows;  ///< per class
  std::vector<std::uint32_t> checksums;  ///< of each row, ScannedImage::crc32c: extraction must find the same
  std::vector<SkippedRow> skipped;       ///< in row order
  ScanFacts facts;
  std::int64_t row_count() const { return static_cast<std::int64_t>(checksums.size() + skipped.size()); }
  bool operator==(const SplitScan&) const = default;
};

/// Merges slices, in image order, so that the outcome does not depend on how the split was cut. `labels` has one entry
/// per image.
SplitScan merge_scan(const std::vector<std::string>& classes, const std::vector<int>& labels,
                     const std::vector<ScannedImage>& images, const ScanRule& rule);

/// Of the images of some classes together, zeros where they have none: over all their pixels, or means over their
/// images (the split's Averaging). Example: images of the pixels {0, 0} and {0, 1, 1, 1}: mean 1/2 over the pixels,
/// 3/8 over the images.
ChannelStatistics statistics_of(const SplitScan& scan, const std::vector<int>& classes);

/// method.md 1.2: `dataset` = mean over classes of the per-class means and stds (classes without rows left out), or
/// where the split averages images, statistics_of all classes; `normal_class` = statistics_of the normal classes;
/// `imagenet` = fixed.
ChannelStatistics statistics_for(sweeps::Normalisation normalisation, const SplitScan& train,
                                 const std::vector<int>& normal_classes);

}  // namespace workers
