// Convolutions with their BatchNorm folded in.
#include "plume/backbone_layers.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "storage/error.hpp"

namespace plume {

void append_entries(const ConvNormSpec& spec, std::vector<ParameterSpec>& entries) {
  entries.push_back({spec.convolution + ".weight", {spec.out, spec.in / spec.groups, spec.kernel, spec.kernel}});
  for (const char* name : {".weight", ".bias", ".running_mean", ".running_var"})
    entries.push_back({spec.norm + name, {spec.out}});
  entries.push_back({spec.norm + ".num_batches_tracked", {}});
}

Folded fold(const ConvNormSpec& spec, const Parameters& parameters, double eps, at::ScalarType dtype) {
  const auto norm = [&](const char* name) { return parameters.at(spec.norm + name).to(at::kDouble); };
  const at::Tensor scale = norm(".weight") / at::sqrt(norm(".running_var") + eps);
  const at::Tensor weight = parameters.at(spec.convolution + ".weight").to(at::kDouble) * scale.view({-1, 1, 1, 1});
  const at::Tensor bias = norm(".bias") - norm(".running_mean") * scale;
  return {weight.to(dtype), bias.to(dtype), {spec.stride, (spec.kernel - 1) / 2, spec.groups}};
}

void refuse_negative_variances(const Parameters& parameters, const std::string& origin) {
  for (const auto& [name, tensor] : parameters) {
    if (name.ends_with(".running_var") && tensor.lt(0).any().item<bool>())
      throw storage::Error(fmt::format("{}: {} has a negative variance", origin, name));
  }
}

void check_images(const at::Tensor& images, const std::string& backbone, std::int64_t least_side) {
  if (images.dim() == 4 && images.size(1) == 3 && images.size(2) >= least_side && images.size(3) >= least_side) return;
  throw storage::Error(fmt::format("{}: expected images [N, 3, H, W] with H and W at least {}, found [{}]", backbone,
                                   least_side, fmt::join(images.sizes(), ", ")));
}

}  // namespace plume
