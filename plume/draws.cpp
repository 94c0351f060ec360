// StreamDraws: the draws of a job from counter-based streams. Keeps no generator state.
#include "plume/draws.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <span>
#include <utility>

#include "plume/torch_threads.hpp"
#include "sweeps/random_stream.hpp"

namespace plume {
namespace {

constexpr std::int64_t kBlocksAtOnce = 1024;  // of a thread: 4,096 numbers

/// Has threads fill a new tensor; which of them fills what changes no number. `fill(out, first_block)`.
template <typename Fill>
at::Tensor filled(at::IntArrayRef shape, const Fill& fill) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  const std::span<float> all(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel()));
  const std::int64_t share = 4 * kBlocksAtOnce;
  share_out((tensor.numel() + share - 1) / share, [&](std::int64_t begin, std::int64_t end) {
    const auto from = static_cast<std::size_t>(begin * share);
    const auto to = std::min(static_cast<std::size_t>(end * share), all.size());
    fill(all.subspan(from, to - from), static_cast<std::uint64_t>(begin * kBlocksAtOnce));
  });
  return tensor;
}

}  // namespace

StreamDraws::StreamDraws(const sweeps::Job& job, std::string prefix)
    : seed_(job.seed), dataset_(job.dataset), normal_class_(job.normal_class), prefix_(std::move(prefix)) {}

at::Tensor StreamDraws::initial_weight(const std::string& name, at::IntArrayRef shape, double bound) const {
  const sweeps::RandomStream stream(seed_, dataset_, normal_class_, prefix_ + "init/" + name);
  return filled(shape, [&](std::span<float> out, std::uint64_t first_block) {
    stream.fill_uniform(0, 0, static_cast<float>(-bound), static_cast<float>(bound), out, first_block);
  });
}

std::vector<std::int64_t> StreamDraws::permutation(int epoch, std::int64_t n) const {
  const sweeps::RandomStream stream(seed_, dataset_, normal_class_, prefix_ + "shuffle");
  return stream.permutation(static_cast<std::uint32_t>(epoch), n);
}

at::Tensor StreamDraws::noise(int epoch, std::int64_t batch, std::int64_t rows, std::int64_t length) const {
  const sweeps::RandomStream stream(seed_, dataset_, normal_class_, prefix_ + "noise");
  return filled({rows, length}, [&](std::span<float> out, std::uint64_t first_block) {
    stream.fill_normal(static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(batch), out, first_block);
  });
}

std::optional<NoiseKey> StreamDraws::weight_key(const std::string& name) const {
  return sweeps::RandomStream(seed_, dataset_, normal_class_, prefix_ + "init/" + name).key();
}

std::optional<NoiseKey> StreamDraws::noise_key() const {
  return sweeps::RandomStream(seed_, dataset_, normal_class_, prefix_ + "noise").key();
}

}  // namespace plume
