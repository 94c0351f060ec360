// Frozen backbones: normalised images in, feature rows out (method.md section 1).
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "plume/weights.hpp"

namespace plume {

/// Names that load_backbone knows, and what is known of each without its weights.
std::vector<std::string> backbone_names();
int backbone_input_size(const std::string& name);            ///< side of its square input, pixels: 224
std::int64_t backbone_row_length(const std::string& name);   ///< L, e.g. 1280
std::string backbone_weights_file(const std::string& name);  ///< the published file's name

/// A network in evaluation mode without gradients.
class Backbone {
 public:
  virtual ~Backbone() = default;
  /// images [N, 3, H, W] float32 (or float64 after to(at::kDouble)), normalised -> [N, L].
  virtual at::Tensor forward(const at::Tensor& images) const = 0;
  virtual void to(at::ScalarType dtype) = 0;
  /// Float32 in the memory of `device`, where images are to be as well.
  virtual void to(at::Device device) = 0;
};

/// From a weights file, or untrained from `random:SEED` (random_weights.hpp). Throws storage::UsageError for an unknown
/// name, storage::Error naming the file and at most ten missing, unexpected or misshapen tensors with their total.
std::unique_ptr<Backbone> load_backbone(const std::string& name, const std::filesystem::path& weights);

/// The two steps of load_backbone. The tensors of `random:SEED`, whole as in a published file:
std::vector<WeightTensor> random_backbone_weights(const std::string& name, std::uint32_t seed);
/// From the tensors of a file, which errors call `origin`.
std::unique_ptr<Backbone> make_backbone(const std::string& name, const std::vector<WeightTensor>& tensors,
                                        const std::string& origin);

/// How many tensors of a file a backbone reads. The counts make sense of tensors that make_backbone takes.
struct WeightsUsage {
  std::size_t used = 0;
  std::size_t classifier = 0;  ///< passed over: of the classifier
  std::size_t counters = 0;    ///< passed over: *.num_batches_tracked
};
WeightsUsage usage_of(const std::string& name, const std::vector<WeightTensor>& tensors);

/// bytes [N, H, W, 3] uint8 -> [N, 3, S, S] float32: / 255, (v - mean) / std, then bilinear resize, align_corners =
/// false, no antialias (method.md 1.1). mean and std in units of [0, 1]. With a `first_square` the images in [0, 1] are
/// resized to that one before they are normalised. An image's numbers do not depend on the others beside it.
/// Where the images are.
at::Tensor preprocess(const at::Tensor& images, const std::array<double, 3>& mean, const std::array<double, 3>& std_dev,
                      int square, int first_square = 0);

}  // namespace plume
