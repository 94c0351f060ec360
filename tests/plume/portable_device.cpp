// Plain loops in the place of kernels.
#include "tests/plume/portable_device.hpp"

#include <ATen/ATen.h>

#include <set>

#include "plume/step_control.hpp"
#include "sweeps/stream_words.hpp"

namespace tests {
namespace {

plume::StepControl& control_in(const at::Tensor& words) {
  return *static_cast<plume::StepControl*>(words.data_ptr());
}

at::Tensor whole(const plume::Gradient& gradient) {
  if (const auto* tensor = std::get_if<at::Tensor>(&gradient)) return tensor->contiguous();
  at::Tensor sum;
  for (const auto& pass : std::get<plume::FoldedGradient>(gradient).passes) {
    const at::Tensor part = at::mm(pass.output_gradient.t(), pass.input);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

/// What a captured step would need: it runs nothing but what it was given for the size.
class RehearsingRunner : public plume::StepRunner {
 public:
  explicit RehearsingRunner(std::vector<std::int64_t>& rehearsed) : rehearsed_(rehearsed) {}
  void run(std::int64_t rows, const std::function<void()>& step, const std::vector<at::Tensor>& state) override {
    if (known_.insert(rows).second) {
      plume::rehearse(step, state, 3);
      rehearsed_.push_back(rows);
    }
    step();
  }

 private:
  std::set<std::int64_t> known_;
  std::vector<std::int64_t>& rehearsed_;
};

}  // namespace

void PortableKernels::draw(const plume::NoiseKey& key, const at::Tensor& control, at::Tensor& out) const {
  const auto& at = control_in(control);
  auto* values = out.data_ptr<float>();
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    const auto words = sweeps::stream_words(key[0], key[1], static_cast<std::uint32_t>(at.epoch),
                                            static_cast<std::uint32_t>(at.batch), static_cast<std::uint64_t>(i / 4));
    const auto two =
        i % 4 < 2 ? sweeps::box_muller(words.word[0], words.word[1]) : sweeps::box_muller(words.word[2], words.word[3]);
    values[i] = i % 2 == 0 ? two.first : two.second;
  }
}

void PortableKernels::draw_weight(const plume::NoiseKey& key, double bound, at::Tensor& out) const {
  auto* values = out.data_ptr<float>();
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    const auto words = sweeps::stream_words(key[0], key[1], 0, 0, static_cast<std::uint64_t>(i / 4));
    values[i] = sweeps::uniform_of(words.word[i % 4], static_cast<float>(-bound), static_cast<float>(bound));
  }
}

void PortableKernels::decide(const at::Tensor& control, const at::Tensor& losses, const at::Tensor& schedule,
                             double weight_decay, const at::Tensor& kept) const {
  plume::decide(control_in(control), losses.const_data_ptr<float>(),
                static_cast<const plume::SchedulePoint*>(schedule.const_data_ptr()), weight_decay,
                kept.data_ptr<double>());
}

void PortableKernels::update(const at::Tensor& control, const plume::ParameterTensors& of,
                             const plume::Gradient& gradient) const {
  const auto& at = control_in(control);
  if (at.is_updated == 0) return;
  const at::Tensor g = whole(gradient);
  auto *p = of.parameter.data_ptr<float>(), *m = of.first_moment.data_ptr<float>(),
       *v = of.second_moment.data_ptr<float>();
  const auto* values = g.const_data_ptr<float>();
  for (std::int64_t i = 0, count = g.numel(); i < count; ++i) {
    plume::adamw_update(at.adamw, values[i], p[i], m[i], v[i]);
  }
}

void PortableKernels::advance(const at::Tensor& control) const {
  ++control_in(control).batch;
}

std::unique_ptr<plume::StepRunner> PortableDevice::runner() const {
  return std::make_unique<RehearsingRunner>(rehearsed_);
}

std::function<at::Tensor()> PortableDevice::fetch(const at::Tensor& of) const {
  return [copy = of.clone()] { return copy; };
}

}  // namespace tests
