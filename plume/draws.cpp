// StreamDraws: the draws of a job from counter-based streams. Keeps no generator state.
#include "plume/draws.hpp"

#include <ATen/ATen.h>

#include <span>
#include <utility>

#include "sweeps/random_stream.hpp"

namespace plume {
namespace {

std::span<float> floats_of(at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace

StreamDraws::StreamDraws(const sweeps::Job& job, std::string prefix)
    : seed_(job.seed), dataset_(job.dataset), normal_class_(job.normal_class), prefix_(std::move(prefix)) {}

at::Tensor StreamDraws::initial_weight(const std::string& name, at::IntArrayRef shape, double bound) const {
  const sweeps::RandomStream stream(seed_, dataset_, normal_class_, prefix_ + "init/" + name);
  at::Tensor weight = at::empty(shape, at::kFloat);
  stream.fill_uniform(0, 0, static_cast<float>(-bound), static_cast<float>(bound), floats_of(weight));
  return weight;
}

std::vector<std::int64_t> StreamDraws::permutation(int epoch, std::int64_t n) const {
  const sweeps::RandomStream stream(seed_, dataset_, normal_class_, prefix_ + "shuffle");
  return stream.permutation(static_cast<std::uint32_t>(epoch), n);
}

at::Tensor StreamDraws::noise(int epoch, std::int64_t batch, std::int64_t rows, std::int64_t length) const {
  const sweeps::RandomStream stream(seed_, dataset_, normal_class_, prefix_ + "noise");
  at::Tensor eps = at::empty({rows, length}, at::kFloat);
  stream.fill_normal(static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(batch), floats_of(eps));
  return eps;
}

}  // namespace plume
