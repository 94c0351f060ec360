// SPARK 2021: ten satellites and debris.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"

namespace datasets {

/// In official order, debris among them.
const std::vector<std::string>& spark2021_classes();
inline constexpr char kDebrisOf2021[] = "Debris";

/// train_labels.csv and validate_labels.csv, in `root` or in folders train and validate, with columns class, image and
/// bbox among others; images at <split>_rgb/<class>/<image> or <split>/<split>_rgb/<class>/<image>. What rows are and
/// which errors there are, open_spark says.
std::unique_ptr<Images> open_spark2021(const sweeps::DatasetSpec& spec, const std::filesystem::path& root);

}  // namespace datasets
