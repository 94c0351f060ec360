// Opens a data set by its kind, and what is common to all kinds. Knows no file format.
#include "datasets/dataset.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "datasets/cifar10.hpp"
#include "datasets/cifar100.hpp"
#include "datasets/feature_vectors.hpp"
#include "datasets/image_folder.hpp"
#include "datasets/spark2021.hpp"
#include "datasets/spark2022.hpp"
#include "datasets/synthetic.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/nearest.hpp"

namespace datasets {
namespace {

/// A folder that is there, or a UsageError that says how to give one.
void expect_folder(const sweeps::DatasetSpec& spec, const std::filesystem::path& root) {
  const std::string how = "give its folder with --data " + spec.id + "=PATH";
  if (root.empty()) throw storage::UsageError("data set " + spec.id + " (" + spec.kind + "): no folder known: " + how);
  const std::filesystem::file_status status = std::filesystem::status(root);
  if (std::filesystem::is_directory(status)) return;
  const std::string found =
      std::filesystem::exists(status) ? "is a file, expected a folder (unpack an archive first)" : "no such folder";
  throw storage::UsageError(root.string() + ": " + found + " for data set " + spec.id + ": " + how);
}

}  // namespace

std::string_view name_of(Split split) {
  return split == Split::train ? "train" : "test";
}

std::unique_ptr<Images> open_images(const sweeps::DatasetSpec& spec, const std::filesystem::path& root) {
  if (spec.kind == "synthetic") return open_synthetic(spec);
  if (spec.kind == "cifar10") {
    expect_folder(spec, root);
    return open_cifar10(spec.id, root);
  }
  if (spec.kind == "cifar100") {
    expect_folder(spec, root);
    return open_cifar100(spec.id, root);
  }
  if (spec.kind == "image-folder") {
    expect_folder(spec, root);
    return open_image_folder(spec, root);
  }
  if (spec.kind == "spark2021" || spec.kind == "spark2022") {
    expect_folder(spec, root);
    return spec.kind == "spark2021" ? open_spark2021(spec, root) : open_spark2022(spec, root);
  }
  throw std::logic_error("data set " + spec.id + ": kind \"" + spec.kind + "\" has no images");
}

std::unique_ptr<Dataset> open_dataset(const sweeps::DatasetSpec& spec, const std::filesystem::path& root) {
  if (spec.kind == "features") return open_feature_vectors(spec.id, root);
  const auto& kinds = sweeps::dataset_kinds();
  if (std::find(kinds.begin(), kinds.end(), spec.kind) != kinds.end()) return open_images(spec, root);
  throw storage::UsageError("data set " + spec.id + ": unknown kind " + storage::in_quotes(spec.kind) +
                            storage::suggestion(spec.kind, kinds));
}

std::vector<std::int64_t> rows_of_classes(const Dataset& dataset, Split split) {
  std::vector<std::int64_t> rows(dataset.classes().size(), 0);
  for (std::int64_t i = 0; i < dataset.size(split); ++i) ++rows[static_cast<std::size_t>(dataset.label(split, i))];
  return rows;
}

std::vector<std::int64_t> first_of_each_class(const Dataset& dataset, Split split, std::optional<std::int64_t> limit,
                                              const std::vector<std::int64_t>& skipped) {
  std::vector<std::int64_t> rows;
  std::map<int, std::int64_t> taken;
  for (std::int64_t i = 0; i < dataset.size(split); ++i) {
    if (std::binary_search(skipped.begin(), skipped.end(), i)) continue;
    std::int64_t& count = taken[dataset.label(split, i)];
    if (limit && count >= *limit) continue;
    ++count;
    rows.push_back(i);
  }
  return rows;
}

}  // namespace datasets
