// Draws whose initial weights a device makes in its own memory, so that a training begins without a copy of them.
#pragma once

#include "plume/draws.hpp"
#include "plume/step_device.hpp"

namespace plume {

class DeviceDraws : public Draws {
 public:
  /// `draws` have keys; both outlive this.
  DeviceDraws(const Draws& draws, const StepDevice& device) : draws_(draws), device_(device) {}

  /// In the device's memory, the bits of `draws`.
  at::Tensor initial_weight(const std::string& name, at::IntArrayRef shape, double bound) const override;
  std::vector<std::int64_t> permutation(int epoch, std::int64_t n) const override;
  at::Tensor noise(int epoch, std::int64_t batch, std::int64_t rows, std::int64_t length) const override;
  std::optional<NoiseKey> noise_key() const override { return draws_.noise_key(); }
  std::optional<NoiseKey> weight_key(const std::string& name) const override { return draws_.weight_key(name); }

 private:
  const Draws& draws_;
  const StepDevice& device_;
};

}  // namespace plume
