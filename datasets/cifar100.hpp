// CIFAR-100 by its 20 superclasses, in its official layouts, binary and Python.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"

namespace datasets {

/// The 20 superclasses, in official order.
const std::vector<std::string>& cifar100_classes();

/// `root` holds train.bin and test.bin, itself or in its folder cifar-100-binary; or the Python version, train and
/// test, itself or in cifar-100-python, of which nothing is run. Where it holds both, the binary version is taken. The
/// rows of both are the same; a row's id names its file. A class is a superclass (coarse label) of five of the 100 fine
/// classes: 2,500 training rows each. Throws UsageError naming a file that is missing, of the wrong size or damaged, a
/// wrong label, a fine label of another superclass, or names in coarse_label_names.txt that are not the official ones.
std::unique_ptr<Images> open_cifar100(const std::string& id, const std::filesystem::path& root);

}  // namespace datasets
