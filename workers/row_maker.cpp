// Batches of images, of features that another program computed, and the backbone between.
#include "workers/row_maker.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plume/backbone.hpp"
#include "plume/weights.hpp"
#include "storage/atomic_file.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "sweeps/backbones.hpp"
#include "sweeps/published_weights.hpp"
#include "workers/checksums.hpp"
#include "workers/feature_set.hpp"
#include "workers/kind_of_rows.hpp"
#include "workers/raw_images.hpp"
#include "workers/row_scan.hpp"

namespace workers {
namespace {

std::array<double, 3> three(const std::vector<double>& values) {
  return {values.at(0), values.at(1), values.at(2)};
}

/// Rows of a batch: all at once where the images have one size, else resized one by one.
at::Tensor preprocess_batch(const std::vector<datasets::Image>& images, const FeatureRecipe& recipe, int square) {
  const bool one_size = std::all_of(images.begin(), images.end(), [&](const auto& image) {
    return image.width == images[0].width && image.height == images[0].height;
  });
  std::vector<at::Tensor> tensors;
  for (const auto& image : images) tensors.push_back(as_tensor(image));
  const auto mean = three(recipe.mean);
  const auto std_dev = three(recipe.std_dev);
  if (one_size) return plume::preprocess(at::stack(tensors), mean, std_dev, square);
  for (auto& t : tensors) t = plume::preprocess(t.unsqueeze(0), mean, std_dev, square);
  return at::cat(tensors);
}

/// An image or a vector of features, the one that was scanned.
template <typename Rows>
auto read_as_scanned(const Rows& data, datasets::Split split, const RowToRead& row) {
  auto content = data.read(split, row.number);
  const auto& class_name = data.classes().at(static_cast<std::size_t>(data.label(split, row.number)));
  if (checksum_with_class(checksum_of(content), class_name) == row.checksum) return content;
  throw storage::Error(fmt::format("{} has changed since it was scanned; let the files alone and run again",
                                   data.row_id(split, row.number)));
}

AppendRows append_features(const datasets::Images& data, const plume::Backbone& backbone, const FeatureRecipe& recipe) {
  return [&](const std::vector<RowToRead>& batch, storage::Rows& rows) {
    std::vector<datasets::Image> images;
    for (const auto& row : batch) images.push_back(read_as_scanned(data, recipe.split, row));
    const int square = plume::backbone_input_size(recipe.backbone);
    const auto features = backbone.forward(preprocess_batch(images, recipe, square)).contiguous();
    const auto* values = features.const_data_ptr<float>();
    auto& numbers = std::get<std::vector<float>>(rows);
    numbers.insert(numbers.end(), values, values + features.numel());
  };
}

AppendRows append_images(const datasets::Images& data, datasets::Split split) {
  return [&data, split](const std::vector<RowToRead>& batch, storage::Rows& rows) {
    auto& bytes = std::get<std::vector<std::uint8_t>>(rows);
    for (const auto& row : batch) append_raw_image(read_as_scanned(data, split, row), data.first_square(), bytes);
  };
}

AppendRows append_vectors(const datasets::Vectors& data, datasets::Split split) {
  return [&data, split](const std::vector<RowToRead>& batch, storage::Rows& rows) {
    auto& numbers = std::get<std::vector<float>>(rows);
    for (const auto& row : batch) {
      const auto vector = read_as_scanned(data, split, row);
      numbers.insert(numbers.end(), vector.begin(), vector.end());
    }
  };
}

/// The backbone from just the bytes that the identity of the feature set speaks of: the coordinator hashed the file
/// when the run began, perhaps on another host.
std::unique_ptr<plume::Backbone> load_backbone(const FeatureRecipe& recipe, const std::string& identity) {
  if (sweeps::random_weights_seed(recipe.weights)) return plume::load_backbone(recipe.backbone, recipe.weights);
  const auto bytes = storage::read_file(recipe.weights);
  const auto found = storage::hex(storage::sha256(bytes));
  if (found != identity) {
    throw storage::Error(fmt::format(
        "{}: these are not the weights that the run began with: their SHA-256 begins with {}, not with {}; run again, "
        "and let the file alone meanwhile",
        recipe.weights, sweeps::short_name_of_weights(found), sweeps::short_name_of_weights(identity)));
  }
  return plume::make_backbone(recipe.backbone, plume::read_weights_from_bytes(bytes, recipe.weights), recipe.weights);
}

}  // namespace

RowMaker::RowMaker() = default;
RowMaker::~RowMaker() = default;

const plume::Backbone& RowMaker::load(const FeatureRecipe& recipe) {
  const auto identity = weights_of(recipe.identity);
  if (!backbone_ || backbone_name_ != recipe.backbone || weights_ != identity) {
    backbone_.reset();  // two of them need not fit into memory
    backbone_ = load_backbone(recipe, identity);
    backbone_name_ = recipe.backbone;
    weights_ = identity;
  }
  return *backbone_;
}

AppendRows RowMaker::rows_of(const FeatureRecipe& recipe, const datasets::Dataset& data) {
  const auto& id = recipe.data.spec.id;
  if (recipe.backbone == sweeps::kOwnFeatures) return append_vectors(as<datasets::Vectors>(data, id), recipe.split);
  const auto& images = as<datasets::Images>(data, id);
  if (recipe.backbone == sweeps::kRawImages) return append_images(images, recipe.split);
  return append_features(images, load(recipe), recipe);
}

}  // namespace workers
