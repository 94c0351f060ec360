// What several backbones are made of: a convolution with its BatchNorm, and the check of what comes in. Knows no
// network.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "plume/backbone_parameters.hpp"
#include "plume/convolution.hpp"

namespace plume {

/// A square convolution without bias and the BatchNorm after it.
struct ConvNormSpec {
  std::string convolution;  ///< name prefix, e.g. "layer1.0.conv2"
  std::string norm;         ///< name prefix, e.g. "layer1.0.bn2"
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
};

/// Appends its entries as a state dict lists them: the convolution's weight, the norm's weight, bias, running mean,
/// running variance and counter.
void append_entries(const ConvNormSpec& spec, std::vector<ParameterSpec>& entries);

/// In evaluation mode a BatchNorm is an affine map: folded into its convolution, in double, then cast.
struct Folded {
  at::Tensor weight, bias;
  ConvolutionShape shape;  ///< padded by (kernel - 1) / 2
};
Folded fold(const ConvNormSpec& spec, const Parameters& parameters, double eps, at::ScalarType dtype);

/// Throws storage::Error naming `origin` for a running variance below zero.
void refuse_negative_variances(const Parameters& parameters, const std::string& origin);

/// Throws storage::Error unless `images` are [N, 3, H, W] with H and W at least `least_side`.
void check_images(const at::Tensor& images, const std::string& backbone, std::int64_t least_side);

}  // namespace plume
