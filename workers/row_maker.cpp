// Batches of images, of features that another program computed, and the backbone between.
#include "workers/row_maker.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "plume/backbone.hpp"
#include "plume/step_device.hpp"
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
#include "workers/trainer_device.hpp"

namespace workers {
namespace {

std::array<double, 3> three(const std::vector<double>& values) {
  return {values.at(0), values.at(1), values.at(2)};
}

using Size = std::pair<int, int>;

/// Positions in the batch, by size of the image.
std::map<Size, std::vector<std::int64_t>> positions_by_size(const std::vector<ReadRow>& batch) {
  std::map<Size, std::vector<std::int64_t>> positions;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto& image = std::get<datasets::Image>(batch[i]);
    positions[{image.width, image.height}].push_back(static_cast<std::int64_t>(i));
  }
  return positions;
}

/// Where backbones compute.
at::Device backbone_device() {
  const auto* device = step_device();
  return device != nullptr ? device->device() : at::Device(at::kCPU);
}

/// One resize for each size in the batch, on that device. An image's numbers and the tensor's memory format are the
/// same as if each had been resized alone.
at::Tensor preprocess_batch(const std::vector<ReadRow>& batch, const FeatureRecipe& recipe, int square,
                            int first_square) {
  const auto positions = positions_by_size(batch);
  std::vector<at::Tensor> resized;
  for (const auto& [size, of_size] : positions) {
    std::vector<at::Tensor> images;
    for (const std::int64_t i : of_size) {
      images.push_back(as_tensor(std::get<datasets::Image>(batch[static_cast<std::size_t>(i)])));
    }
    resized.push_back(plume::preprocess(at::stack(images).to(backbone_device()), three(recipe.mean),
                                        three(recipe.std_dev), square, first_square));
  }
  if (resized.size() == 1) return resized[0];
  const auto format = resized[0].suggest_memory_format();
  const bool agree = std::all_of(resized.begin(), resized.end(),
                                 [&](const at::Tensor& t) { return t.suggest_memory_format() == format; });
  const auto rows = static_cast<std::int64_t>(batch.size());
  at::Tensor all = at::empty({rows, 3, square, square},
                             resized[0].options().memory_format(agree ? format : at::MemoryFormat::Contiguous));
  std::size_t next = 0;
  for (const auto& [size, of_size] : positions) {
    all.index_copy_(0, at::tensor(of_size, at::kLong).to(all.device()), resized[next++]);
  }
  return all;
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

RowSteps through_backbone(const datasets::Images& data, const plume::Backbone& backbone, const FeatureRecipe& recipe) {
  const auto read = [&data, &recipe](const RowToRead& row) { return read_as_scanned(data, recipe.split, row); };
  const auto append = [&](const std::vector<ReadRow>& batch, storage::Rows& rows) {
    const int square = plume::backbone_input_size(recipe.backbone);
    const auto features =
        backbone.forward(preprocess_batch(batch, recipe, square, data.first_square())).cpu().contiguous();
    const auto* values = features.const_data_ptr<float>();
    auto& numbers = std::get<std::vector<float>>(rows);
    numbers.insert(numbers.end(), values, values + features.numel());
  };
  return {read, append};
}

/// Rows that are in the set as they were read.
template <typename Number>
void append_as_read(const std::vector<ReadRow>& batch, storage::Rows& rows) {
  auto& numbers = std::get<std::vector<Number>>(rows);
  for (const auto& row : batch) {
    const auto& more = std::get<std::vector<Number>>(row);
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
}

RowSteps as_raw_images(const datasets::Images& data, datasets::Split split) {
  const auto read = [&data, split](const RowToRead& row) {
    std::vector<std::uint8_t> bytes;
    append_raw_image(read_as_scanned(data, split, row), data.first_square(), bytes);
    return bytes;
  };
  return {read, append_as_read<std::uint8_t>};
}

RowSteps as_they_are(const datasets::Vectors& data, datasets::Split split) {
  return {[&data, split](const RowToRead& row) { return read_as_scanned(data, split, row); }, append_as_read<float>};
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
    if (const auto* device = step_device()) backbone_->to(device->device());
    backbone_name_ = recipe.backbone;
    weights_ = identity;
  }
  return *backbone_;
}

RowSteps RowMaker::steps_of(const FeatureRecipe& recipe, const datasets::Dataset& data) {
  const auto& id = recipe.data.spec.id;
  if (recipe.backbone == sweeps::kOwnFeatures) return as_they_are(as<datasets::Vectors>(data, id), recipe.split);
  const auto& images = as<datasets::Images>(data, id);
  if (recipe.backbone == sweeps::kRawImages) return as_raw_images(images, recipe.split);
  return through_backbone(images, load(recipe), recipe);
}

std::size_t bytes_of(const ReadRow& row) {
  if (const auto* image = std::get_if<datasets::Image>(&row)) return image->rgb.size();
  if (const auto* numbers = std::get_if<std::vector<float>>(&row)) return numbers->size() * sizeof(float);
  return std::get<std::vector<std::uint8_t>>(row).size();
}

}  // namespace workers
