// Which images: bytes in, bytes out. Knows no LibTorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/sweep.hpp"

namespace datasets {

enum class Split { train, test };
std::string_view name_of(Split split);

/// 8-bit RGB, row-major, 3 bytes a pixel.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
};

/// The rows of each split, in their fixed order: the order of the file(s), or sorted by path. What a row is, Images and
/// Vectors say. Rows may be read by several threads at a time, mostly in order.
class Dataset {
 public:
  virtual ~Dataset() = default;
  /// Official class names, in index order.
  virtual const std::vector<std::string>& classes() const = 0;
  virtual std::int64_t size(Split split) const = 0;
  /// Class index of row i.
  virtual int label(Split split, std::int64_t i) const = 0;
  /// Where row i comes from, e.g. "train/airplane/0001.jpg" or "data_batch_1.bin#17". Stable over machines.
  virtual std::string row_id(Split split, std::int64_t i) const = 0;
  /// A digest that changes when any file's path, size or time of change does: lets a scan be reused.
  virtual std::string stamp() const = 0;
  /// Sets of classes that this kind trains on together besides those of the sweep: the satellites of SPARK.
  virtual std::vector<sweeps::NormalSet> normal_sets() const { return {}; }
  /// Classes that are never trained on, only anomalies: SPARK's debris.
  virtual std::vector<std::string> only_anomalies() const { return {}; }
};

/// What `normalisation: dataset` averages (method.md 1.2).
enum class Averaging {
  classes,  ///< over classes the mean and the deviation of all pixels of a class
  images,   ///< over the training images the mean and the deviation of each (SPARK)
};

/// Rows are images, for a backbone or for a method that reads them as they are.
class Images : public Dataset {
 public:
  /// Decodes row i. Throws storage::Error naming the file and what is wrong with it.
  virtual Image read(Split split, std::int64_t i) const = 0;
  /// Statistics are pooled over the pixels as stored (cifar10, synthetic), or after the resize to the backbone's square
  /// when images differ in size (image-folder).
  virtual bool may_differ_in_size() const = 0;
  /// Side of a square to which every image goes first, before the backbone's own; its pixels are what statistics are
  /// of. 0: none.
  virtual int first_square() const { return 0; }
  virtual Averaging averaging() const { return Averaging::classes; }
};

/// Rows are features that another program computed (kind "features").
class Vectors : public Dataset {
 public:
  /// L, the same in both splits.
  virtual std::int64_t row_length() const = 0;
  /// Row i, L finite numbers. Throws storage::Error naming the file, the row and what is wrong with it.
  virtual std::vector<float> read(Split split, std::int64_t i) const = 0;
};

/// Opens a data set: lists it and checks its layout, decodes nothing. `root` is ignored by "synthetic". Throws
/// UsageError for a missing or misshapen folder or file: names it, what was expected there and how to give another
/// (--data ID=PATH).
std::unique_ptr<Dataset> open_dataset(const sweeps::DatasetSpec& spec, const std::filesystem::path& root);
/// The same for a kind whose rows are images; std::logic_error for another.
std::unique_ptr<Images> open_images(const sweeps::DatasetSpec& spec, const std::filesystem::path& root);

/// How many rows each class has.
std::vector<std::int64_t> rows_of_classes(const Dataset& dataset, Split split);

/// Row numbers of the first `limit` of each class (all: absent), in the split's order: what `train_rows` and
/// `test_rows` mean. `skipped` rows, increasing, are as if they were not there.
std::vector<std::int64_t> first_of_each_class(const Dataset& dataset, Split split, std::optional<std::int64_t> limit,
                                              const std::vector<std::int64_t>& skipped = {});

}  // namespace datasets
