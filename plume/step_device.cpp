// The rehearsal of a step, which leaves no trace.
#include "plume/step_device.hpp"

#include <ATen/ATen.h>

namespace plume {

void rehearse(const std::function<void()>& step, const std::vector<at::Tensor>& state, int times) {
  std::vector<at::Tensor> before;
  for (const at::Tensor& tensor : state) before.push_back(tensor.detach().clone());
  for (int i = 0; i < times; ++i) {
    step();
    const at::NoGradGuard no_grad;
    for (std::size_t k = 0; k < state.size(); ++k) at::Tensor(state[k]).copy_(before[k]);
  }
}

}  // namespace plume
