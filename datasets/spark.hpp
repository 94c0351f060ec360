// What the data sets of the SPARK challenges share: labels with boxes in CSV files, images in folders.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"

namespace datasets {

struct SparkSplit {
  std::filesystem::path labels;  ///< below the root: "train_labels.csv"
  std::filesystem::path images;  ///< below the root: "train/train_rgb"
};

struct SparkLayout {
  std::vector<std::string> classes;  ///< official names, in official order
  std::string debris;                ///< the one that is never trained on
  std::string image_column;          ///< whose fields are file names
  bool has_class_folders = false;    ///< <images>/<class>/<file>, else <images>/<file>
  std::array<SparkSplit, 2> splits;  ///< train, test
};

/// The one of `places` (relative to `root`) where something lies. A UsageError names all of them where there is none or
/// more than one.
std::filesystem::path find_place(const sweeps::DatasetSpec& spec, const std::filesystem::path& root,
                                 const std::vector<std::string>& places);

/// Rows are those of the CSV files, in their order, the test split's from the validation file. An image is cropped to
/// its box, as far as that lies inside; with spec.size 32 it is then what the released code packs: resized to 512x512,
/// to 32x32, cut to bytes (method.md section 6). Row ids are the same in every layout: "train_rgb/Aura/1.png".
/// UsageErrors name CSV file and line: an unknown class, a wrong file name, a wrong or empty box, a missing image, an
/// image named twice. With spec.skip above 0 an empty box and a missing image are Errors of `read` instead, as a box
/// outside of its image always is: who scans counts them.
/// All classes but the one that is never trained on, together.
sweeps::NormalSet satellites(const std::string& debris);

std::unique_ptr<Images> open_spark(const sweeps::DatasetSpec& spec, const std::filesystem::path& root,
                                   SparkLayout layout);

}  // namespace datasets
