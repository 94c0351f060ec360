// A folder of one's own images: train/<class>/*.jpg, test/<class>/*.jpg.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "datasets/dataset.hpp"

namespace datasets {

/// Classes are the folders below train/ and test/ together, sorted by name (bytes); rows are sorted by path. Hidden
/// files are left out; anything else but .jpg and .jpeg files, an empty class folder and a missing split are
/// UsageErrors that name it.
std::unique_ptr<Images> open_image_folder(const std::string& id, const std::filesystem::path& root);

}  // namespace datasets
