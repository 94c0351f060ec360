// Initial weights by the device's own kernel.
#include "plume/device_draws.hpp"

#include <ATen/ATen.h>

namespace plume {

at::Tensor DeviceDraws::initial_weight(const std::string& name, at::IntArrayRef shape, double bound) const {
  at::Tensor weight = at::empty(shape, at::TensorOptions(device_.device()).dtype(at::kFloat));
  device_.kernels().draw_weight(draws_.weight_key(name).value(), bound, weight);
  return weight;
}

std::vector<std::int64_t> DeviceDraws::permutation(int epoch, std::int64_t n) const {
  return draws_.permutation(epoch, n);
}

at::Tensor DeviceDraws::noise(int epoch, std::int64_t batch, std::int64_t rows, std::int64_t length) const {
  return draws_.noise(epoch, batch, rows, length);
}

}  // namespace plume
