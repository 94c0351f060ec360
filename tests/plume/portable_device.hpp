// A device whose memory is the CPU's: the kernels of a GPU as plain loops over the same functions, and a runner that
// rehearses each size of batch as the capture of a graph does. For tests of everything around the kernels.
#pragma once

#include <map>
#include <vector>

#include "plume/step_device.hpp"

namespace tests {

struct PortableKernels : plume::StepKernels {
  void draw(const plume::NoiseKey& key, const at::Tensor& control, at::Tensor& out) const override;
  void draw_weight(const plume::NoiseKey& key, double bound, at::Tensor& out) const override;
  void decide(const at::Tensor& control, const at::Tensor& losses, const at::Tensor& schedule, double weight_decay,
              const at::Tensor& kept) const override;
  void update(const at::Tensor& control, const plume::ParameterTensors& of,
              const plume::Gradient& gradient) const override;
  void advance(const at::Tensor& control) const override;
};

class PortableDevice : public plume::StepDevice {
 public:
  at::Device device() const override { return at::kCPU; }
  const plume::StepKernels& kernels() const override { return kernels_; }
  std::unique_ptr<plume::StepRunner> runner() const override;
  std::function<at::Tensor()> fetch(const at::Tensor& of) const override;

  /// Rows of each batch that a runner of this device ran for the first time.
  const std::vector<std::int64_t>& rehearsed() const { return rehearsed_; }

 private:
  PortableKernels kernels_;
  mutable std::vector<std::int64_t> rehearsed_;
};

}  // namespace tests
