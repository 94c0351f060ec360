// SPARK 2022, stream 1: ten satellites and debris.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"

namespace datasets {

/// In official order, debris among them.
const std::vector<std::string>& spark2022_classes();
inline constexpr char kDebrisOf2022[] = "debris";

/// train.csv and val.csv in `root` with columns filename, class and bbox among others; images at train/<filename> and
/// val/<filename>. What rows are and which errors there are, open_spark says.
std::unique_ptr<Images> open_spark2022(const sweeps::DatasetSpec& spec, const std::filesystem::path& root);

}  // namespace datasets
