// What CIFAR-10 and CIFAR-100 have in common: small square images in a few large files, in a binary and a Python
// layout.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/cifar_batch.hpp"
#include "datasets/dataset.hpp"

namespace datasets {

/// A value for the train split and one for the test split.
template <typename T>
using BySplit = std::array<T, 2>;

struct CifarLayout {
  std::string folder;                           ///< that its archive makes: "cifar-10-batches-bin"
  std::string archive;                          ///< "cifar-10-binary.tar.gz"
  BySplit<std::vector<std::string>> files;      ///< in the order of the rows
  std::string names_file;                       ///< the class names, one a line; empty: no file. It may be missing.
  decltype(&read_binary_batch) read = nullptr;  ///< reads one file
};

struct CifarKind {
  std::string id;  ///< of the kind: "cifar10"
  CifarFormat format;
  BySplit<std::size_t> records;  ///< of each file
  CifarLayout binary;
  CifarLayout python;
};

/// Finds a layout in `root` or in the folder that its archive makes there, the binary one before the other, and opens
/// it. Throws UsageError naming what is missing, of the wrong size, damaged, or has other class names.
std::unique_ptr<Images> open_cifar(const CifarKind& kind, const std::string& dataset_id,
                                   const std::filesystem::path& root);

}  // namespace datasets
