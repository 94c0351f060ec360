#include "benchmarks/machine_limits.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <tuple>
#include <vector>

#include "plume/adamw.hpp"
#include "plume/skinny_linear.hpp"
#include "plume/step_control.hpp"
#include "plume/step_device.hpp"
#include "plume/torch_threads.hpp"
#include "plume/vectors.hpp"

namespace benchmarks {
namespace {

template <typename Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr std::int64_t kRounds = 20'000'000;
constexpr int kSums = 12;  // enough to hide the latency of two units

/// kRounds times kSums multiply-adds of one vector.
template <typename Vector>
[[gnu::always_inline]] inline void multiply_add() {
  std::array<Vector, kSums> sums{};
  Vector factor = Vector{} + 0.999F;
  for (std::int64_t i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) {
      sum = sum * factor + factor;
      asm volatile("" : "+x"(sum));  // each is done
    }
  }
}

void multiply_add_portable() {
  multiply_add<plume::Vector4>();
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void multiply_add_avx2() {
  multiply_add<plume::Vector8>();
}
[[gnu::target("avx512f")]] void multiply_add_avx512() {
  multiply_add<plume::Vector16>();
}
#endif

/// Copies past the caches: what is overwritten is not read before, as a plain copy does. (glibc's memcpy does so too,
/// but at some distances of the two it is four times slower.) `count` is a multiple of 4, addresses of 16 bytes.
void stream(const float* from, float* to, std::int64_t count) {
#if defined(__x86_64__)
  for (std::int64_t i = 0; i < count; i += 4) _mm_stream_ps(to + i, _mm_load_ps(from + i));
  _mm_sfence();
#else
  std::copy_n(from, count, to);
#endif
}

struct Layer {
  at::Tensor weight, x, dy, result;
};

std::vector<Layer> layers(std::int64_t batch, std::int64_t in, std::int64_t out, int weights,
                          at::Device where = at::kCPU) {
  std::vector<Layer> made;
  for (int i = 0; i < weights; ++i) {
    made.push_back({at::ones({out, in}, where), at::ones({batch, in}, where), at::ones({batch, out}, where),
                    at::empty({0}, where)});
  }
  return made;
}

void by_libtorch(Product product, Layer& layer) {
  auto& [weight, x, dy, result] = layer;
  if (product == Product::forward) at::mm_out(result, x, weight.t());
  if (product == Product::input_gradient) at::mm_out(result, dy, weight);
  if (product == Product::weight_gradient) at::mm_out(result, dy.t(), x);
}

/// Rows and results in oneDNN's own tensors, the weight as it lies in memory.
void by_onednn(Product product, Layer& layer) {
  auto& [weight, x, dy, result] = layer;
  if (product == Product::forward) result = at::mkldnn_linear(x, weight);
  if (product == Product::input_gradient) result = at::mkldnn_linear_backward_input(x.sizes(), dy, weight);
  if (product == Product::weight_gradient)
    result = std::get<0>(at::mkldnn_linear_backward_weights(dy, x, weight, /*bias_defined=*/false));
}

void by_ours(Product product, Layer& layer) {
  auto& [weight, x, dy, result] = layer;
  if (product == Product::forward) result = plume::skinny_linear(x, weight, {});
  if (product == Product::input_gradient) result = plume::skinny_input_gradient(dy, weight);
}

/// Of one run of `work` among kRepeated that the device makes one after another, waited for at the end; the first run
/// of all is not counted. As steps of a training are, they are recorded once: a small product takes less time than the
/// host needs to ask for it.
template <typename Work>
double seconds_on(const plume::StepDevice& device, const Work& work) {
  constexpr int kRepeated = 20;
  const at::Tensor any = at::zeros({1}, device.device());
  const auto runner = device.runner();
  runner->run(1, work, {});
  device.fetch(any)();
  return seconds_of([&] {
           for (int i = 0; i < kRepeated; ++i) runner->run(1, work, {});
           device.fetch(any)();
         }) /
         kRepeated;
}

double operations(std::int64_t batch, std::int64_t in, std::int64_t out, int weights) {
  return 2.0 * static_cast<double>(batch * in * out) * weights;
}

}  // namespace

double copy_rate() {
  constexpr std::int64_t kPiece = std::int64_t{1} << 18, kPieces = 1 << 8;
  static const at::Tensor from = at::ones({kPiece * kPieces}), to = at::ones({kPiece * kPieces});
  const auto copy = [](std::int64_t begin, std::int64_t end) {
    stream(from.const_data_ptr<float>() + begin * kPiece, to.data_ptr<float>() + begin * kPiece,
           (end - begin) * kPiece);
  };
  const auto change = [](std::int64_t begin, std::int64_t end) {
    auto* const values = to.data_ptr<float>();
    for (std::int64_t i = begin * kPiece; i < end * kPiece; ++i) values[i] *= 0.999F;
  };
  const double least = std::min(seconds_of([&] { plume::share_out(kPieces, copy); }),
                                seconds_of([&] { plume::share_out(kPieces, change); }));
  return 2.0 * static_cast<double>(from.nbytes()) / least;
}

double multiply_add_rate() {
  const auto kind = plume::vector_kinds().back();
  void (*work)() = multiply_add_portable;
  double lanes = 4;
#if defined(__x86_64__)
  if (kind == "avx2") {
    work = multiply_add_avx2;
    lanes = 8;
  }
  if (kind == "avx512") {
    work = multiply_add_avx512;
    lanes = 16;
  }
#endif
  const int threads = at::get_num_threads();
  const double seconds = seconds_of([&] { plume::share_out(threads, [&](auto, auto) { work(); }); });
  return 2 * lanes * static_cast<double>(kRounds) * kSums * threads / seconds;
}

double product_rate(Maker maker, Product product, std::int64_t batch, std::int64_t in, std::int64_t out, int weights) {
  const at::NoGradGuard no_grad;
  auto all = layers(batch, in, out, weights);
  if (maker == Maker::onednn && !at::hasMKLDNN()) return 0;
  if (maker == Maker::own && (product == Product::weight_gradient || !plume::is_skinny(all[0].x, all[0].weight)))
    return 0;
  const auto make = maker == Maker::libtorch ? by_libtorch : maker == Maker::onednn ? by_onednn : by_ours;
  if (maker == Maker::onednn) {
    for (auto& layer : all) layer = {layer.weight, layer.x.to_mkldnn(), layer.dy.to_mkldnn(), layer.result};
  }
  const auto once = [&] {
    for (auto& layer : all) make(product, layer);
  };
  once();
  return operations(batch, in, out, weights) / seconds_of(once);
}

double folded_seconds(std::int64_t batch, std::int64_t in, std::int64_t out, int weights) {
  std::vector<at::Tensor> parameters;
  std::vector<plume::Gradient> gradients;
  for (const auto& [weight, x, dy, result] : layers(batch, in, out, weights)) {
    parameters.push_back(weight);
    gradients.emplace_back(plume::FoldedGradient{{{dy, x}}});
  }
  plume::AdamW optimiser(parameters, 0.01);
  const auto once = [&] { optimiser.step(gradients, 1e-5, 0.9); };
  once();
  return seconds_of(once);
}

double copy_rate(const plume::StepDevice& device) {
  const at::Tensor from = at::ones({std::int64_t{1} << 28}, device.device()), to = at::empty_like(from);
  return 2.0 * static_cast<double>(from.nbytes()) / seconds_on(device, [&] { at::Tensor(to).copy_(from); });
}

double product_rate(const plume::StepDevice& device, Product product, std::int64_t batch, std::int64_t in,
                    std::int64_t out, int weights) {
  const at::NoGradGuard no_grad;
  auto all = layers(batch, in, out, weights, device.device());
  const double seconds = seconds_on(device, [&] {
    for (auto& layer : all) by_libtorch(product, layer);
  });
  return operations(batch, in, out, weights) / seconds;
}

double folded_seconds(const plume::StepDevice& device, std::int64_t batch, std::int64_t in, std::int64_t out,
                      int weights) {
  const at::NoGradGuard no_grad;
  plume::StepControl control;
  control.is_updated = 1;
  control.adamw = plume::adamw_step(1e-5, 0.9, 0.01, 1);
  at::Tensor words = at::empty({plume::kControlWords}, at::kLong);
  std::memcpy(words.data_ptr(), &control, sizeof(control));
  words = words.to(device.device());
  const auto all = layers(batch, in, out, weights, device.device());
  std::vector<plume::ParameterTensors> parameters;
  for (const auto& layer : all) {
    parameters.push_back({layer.weight, at::zeros_like(layer.weight), at::zeros_like(layer.weight)});
  }
  return seconds_on(device, [&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      device.kernels().update(words, parameters[i], plume::FoldedGradient{{{all[i].dy, all[i].x}}});
    }
  });
}

}  // namespace benchmarks
