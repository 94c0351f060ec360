// A folder of one's own images: train/<class>/* and test/<class>/*, or <class>/* with a split that is drawn.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "datasets/dataset.hpp"

namespace datasets {

/// Classes are the folders below train/ and test/ together, or with `spec.split` those of `root` itself, sorted by name
/// (bytes); rows are sorted by path. With `spec.split` each class's test rows are drawn from its stream
/// (split_by_share.hpp), so that the same files split the same everywhere and a class more changes no other. Hidden
/// files are left out; anything else but .jpg, .jpeg and .png files, an empty class folder, a missing split and a class
/// of one image that is to be split are UsageErrors that name it.
std::unique_ptr<Images> open_image_folder(const sweeps::DatasetSpec& spec, const std::filesystem::path& root);

}  // namespace datasets
