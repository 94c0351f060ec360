// CIFAR-10 in its official binary layout.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "datasets/dataset.hpp"

namespace datasets {

/// `root` holds data_batch_1.bin to data_batch_5.bin and test_batch.bin, itself or in its folder cifar-10-batches-bin.
/// Throws UsageError naming a missing or wrongly sized file, a wrong label and the Python version of the data set.
std::unique_ptr<Images> open_cifar10(const std::string& id, const std::filesystem::path& root);

}  // namespace datasets
