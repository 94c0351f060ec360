// Pictures of shapes on noise, drawn from counters: a data set that needs no files.
#pragma once

#include <memory>

#include "datasets/dataset.hpp"

namespace datasets {

/// 32x32 RGB; rows alternate between the classes (row i has class i % class_count). A row depends on nothing but seed,
/// split, class and number within its class, and has the same bytes on every machine. Throws UsageError for a class
/// count outside 2 to 8.
std::unique_ptr<Images> open_synthetic(const sweeps::DatasetSpec& spec);

}  // namespace datasets
