// A decoded image as a tensor of LibTorch, without a copy.
#pragma once

#include <ATen/ATen.h>

#include "datasets/dataset.hpp"

namespace workers {

/// [H, W, 3] uint8; lives as long as `image`, and must not be written to.
inline at::Tensor as_tensor(const datasets::Image& image) {
  return at::from_blob(const_cast<std::uint8_t*>(image.rgb.data()), {image.height, image.width, 3}, at::kByte);
}

}  // namespace workers
