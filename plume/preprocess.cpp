// From decoded bytes to a backbone's input: normalise first, resize second (method.md 1.1); before both, where a data
// set has one, the resize to its first square (method.md section 6).
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plume/backbone.hpp"
#include "storage/error.hpp"

namespace plume {

namespace {

/// Three numbers to be spread over [N, 3, H, W].
at::Tensor channels(const std::array<double, 3>& values) {
  at::Tensor tensor = at::empty({1, 3, 1, 1}, at::kFloat);
  for (std::size_t c = 0; c < 3; ++c) tensor.data_ptr<float>()[c] = static_cast<float>(values[c]);
  return tensor;
}

at::Tensor resize(const at::Tensor& images, int square) {
  return at::upsample_bilinear2d(images, {square, square}, false);
}

}  // namespace

at::Tensor preprocess(const at::Tensor& images, const std::array<double, 3>& mean, const std::array<double, 3>& std_dev,
                      int square, int first_square) {
  if (images.scalar_type() != at::kByte || images.dim() != 4 || images.size(3) != 3 || images.numel() == 0) {
    throw storage::Error(
        fmt::format("preprocess: expected images [N, H, W, 3] uint8, found [{}]", fmt::join(images.sizes(), ", ")));
  }
  for (const double value : std_dev) {
    if (!(value > 0))
      throw storage::Error(
          fmt::format("preprocess: a channel's standard deviation is {}, expected more than 0", value));
  }
  const at::NoGradGuard no_gradients;
  const auto there = [&](const std::array<double, 3>& values) { return channels(values).to(images.device()); };
  at::Tensor x = images.permute({0, 3, 1, 2}).to(at::kFloat).div_(255);
  if (first_square > 0) x = resize(x, first_square);
  return resize(x.sub_(there(mean)).div_(there(std_dev)), square);
}

}  // namespace plume
