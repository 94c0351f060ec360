// The user's own features, computed by any backbone of any framework: .npy files in a folder, or one HDF5 file.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "datasets/dataset.hpp"

namespace datasets {

/// `root` is a folder with train.npy and test.npy ([N, L] floats), train_labels.npy and test_labels.npy ([N] whole
/// numbers or texts) and, where labels are numbers that stand for names, classes.txt (line k names label k); or an HDF5
/// file with train/features, train/labels, test/features, test/labels and, like classes.txt, classes.
/// Classes are, in this order: those of classes.txt or `classes`; else the distinct labels of both splits, numbers by
/// value, texts by bytes. Throws UsageError naming what is missing or misshapen and what to write in numpy or h5py
/// instead.
std::unique_ptr<Vectors> open_feature_vectors(const std::string& id, const std::filesystem::path& root);

}  // namespace datasets
