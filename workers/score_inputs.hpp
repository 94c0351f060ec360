// Which files a detector is to score: images, and the folders that hold them. Knows no LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"

namespace workers {

struct ScoreInputs {
  std::vector<std::string> files;  ///< as given, or below a folder that was given
  std::int64_t passed_over = 0;    ///< files in folders that neither are JPEG or PNG nor bear such a name
};

/// Files that are given, in their order, and in the place of a folder its images and those of all folders below it,
/// sorted by path (bytes). Of a folder's files those count that begin as a JPEG or PNG does and those that are called
/// so; hidden ones are left out, and so is a folder that leads back to one above it. Throws UsageError naming a path
/// that is not there or is neither file nor folder, and a folder without images.
ScoreInputs images_in(const std::vector<std::string>& paths);

/// The files as a data set, for what makes rows of one. Its images' sides may differ.
class ListedImages : public datasets::Images {
 public:
  ListedImages(std::vector<std::string> files, int first_square)
      : files_(std::move(files)), first_square_(first_square) {}

  const std::vector<std::string>& classes() const override { return classes_; }
  std::int64_t size(datasets::Split) const override { return static_cast<std::int64_t>(files_.size()); }
  int label(datasets::Split, std::int64_t) const override { return 0; }
  std::string row_id(datasets::Split, std::int64_t i) const override { return files_.at(static_cast<std::size_t>(i)); }
  std::string stamp() const override { return ""; }
  datasets::Image read(datasets::Split, std::int64_t i) const override;
  bool may_differ_in_size() const override { return true; }
  int first_square() const override { return first_square_; }

 private:
  std::vector<std::string> files_;
  std::vector<std::string> classes_ = {"unseen"};
  int first_square_;
};

/// Decodes an image file. Throws storage::Error naming it.
datasets::Image read_image_file(const std::string& file);

}  // namespace workers
