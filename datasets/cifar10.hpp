// CIFAR-10 in its official layouts, binary and Python.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"

namespace datasets {

/// In official order.
const std::vector<std::string>& cifar10_classes();

/// `root` holds data_batch_1.bin to data_batch_5.bin and test_batch.bin, itself or in its folder cifar-10-batches-bin;
/// or the Python version, data_batch_1 to data_batch_5 and test_batch, itself or in cifar-10-batches-py, of which
/// nothing is run. Where it holds both, the binary version is taken. The rows of both are the same; a row's id names
/// its file. Throws UsageError naming a file that is missing, of the wrong size or damaged, a wrong label, or class
/// names in batches.meta.txt that are not the official ones.
std::unique_ptr<Images> open_cifar10(const std::string& id, const std::filesystem::path& root);

}  // namespace datasets
