// Times one step, one look at the machine's limits, or what is around a training, for each line on standard input, and
// answers with a line of JSON. benchmarks/training.py lets several of these programs take turns.
#include <sys/resource.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/around_the_step.hpp"
#include "benchmarks/device_steps.hpp"
#include "benchmarks/machine_limits.hpp"
#include "benchmarks/next_task.hpp"
#include "benchmarks/training_steps.hpp"
#include "plume/vectors.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "workers/gpu_support.hpp"
#include "workers/trainer_device.hpp"
#include "workers/trainer_settings.hpp"

namespace {

using benchmarks::Product;
using Answer = std::function<void(storage::JsonWriter&)>;

constexpr const char* kUsage =
    "usage: benchmark_training WHAT THREADS DIMENSION BATCH [DEVICE]\n"
    "       WHAT: ours, adamw or fused (a step), limits (of the machine), around:ROWS:AUROC_ROWS, next:ROWS:FOLDER; "
    "DEVICE: cpu, cuda,\n"
    "       or cpu:portable, cpu:avx2, cpu:avx512 (a CPU without faster vectors than these)\n"
    "Then each line on standard input is answered by one of JSON.";

/// Of this process so far.
std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

Answer step(const std::string& way, std::int64_t dimension, std::int64_t batch, const plume::StepDevice* device) {
  constexpr int kBatches = 64;  // that a device is handed at once
  const std::shared_ptr<benchmarks::TimedStep> timed =
      way == "ours" && device != nullptr ? benchmarks::timed_steps_on(*device, dimension, batch, kBatches)
                                         : benchmarks::timed_step(way, dimension, batch, device);
  return [timed](storage::JsonWriter& json) {
    const auto seconds = timed->once();
    json.member("whole", seconds.whole).member("steps", seconds.steps).member("loss", seconds.loss);
    if (!seconds.parts) return;
    const auto& [forward, gradient, both, update] = *seconds.parts;
    json.member("forward", forward).member("gradient", gradient).member("both", both).member("update", update);
  };
}

/// So many different weights of a shape that they do not stay in a cache.
int weights_of(const benchmarks::LayerShape& layer) {
  constexpr std::int64_t kFloats = 30'000'000;
  return static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(16, kFloats / (layer.in * layer.out))));
}

/// Of each maker that has such a product.
void write_rates(storage::JsonWriter& json, const char* name, Product product, const benchmarks::LayerShape& layer,
                 std::int64_t batch, const plume::StepDevice* device) {
  using benchmarks::Maker;
  if (device != nullptr) {
    const double rate = benchmarks::product_rate(*device, product, batch, layer.in, layer.out, weights_of(layer));
    json.key(name).begin_object().member("libtorch", rate).end_object();
    return;
  }
  constexpr std::pair<const char*, Maker> kMakers[] = {
      {"libtorch", Maker::libtorch}, {"onednn", Maker::onednn}, {"own", Maker::own}};
  json.key(name).begin_object();
  for (const auto& [maker_name, maker] : kMakers) {
    const double rate = benchmarks::product_rate(maker, product, batch, layer.in, layer.out, weights_of(layer));
    if (rate > 0) json.member(maker_name, rate);
  }
  json.end_object();
}

void write_layer(storage::JsonWriter& json, const benchmarks::LayerShape& layer, std::int64_t batch,
                 const plume::StepDevice* device) {
  const auto [in, out, layers, passes, input_gradients] = layer;
  const int weights = weights_of(layer);
  json.begin_object().member("in", in).member("out", out).member("layers", layers).member("passes", passes);
  json.member("input_gradients", input_gradients).member("weights", weights);
  write_rates(json, "forward", Product::forward, layer, batch, device);
  write_rates(json, "input_gradient", Product::input_gradient, layer, batch, device);
  write_rates(json, "weight_gradient", Product::weight_gradient, layer, batch, device);
  const auto folded = [&, in = in, out = out](std::int64_t rows) {
    return device != nullptr ? benchmarks::folded_seconds(*device, rows, in, out, weights)
                             : benchmarks::folded_seconds(rows, in, out, weights);
  };
  json.member("folded_seconds", folded(batch)).member("folded_seconds_of_two_batches", folded(2 * batch));
  json.end_object();
}

Answer limits(std::int64_t dimension, std::int64_t batch, const plume::StepDevice* device) {
  return [=](storage::JsonWriter& json) {
    json.member("copy", device != nullptr ? benchmarks::copy_rate(*device) : benchmarks::copy_rate());
    if (device == nullptr) json.member("multiply_add", benchmarks::multiply_add_rate());
    json.key("layers").begin_array();
    for (const auto& layer : benchmarks::layers_of(dimension)) write_layer(json, layer, batch, device);
    json.end_array();
  };
}

Answer around(const std::string& what, std::int64_t dimension, std::int64_t batch, const plume::StepDevice* device) {
  const auto first = what.find(':'), second = what.find(':', first + 1);
  if (second == std::string::npos) throw storage::UsageError(kUsage);
  const std::int64_t rows = std::stoll(what.substr(first + 1)), rows_of_auroc = std::stoll(what.substr(second + 1));
  return [=](storage::JsonWriter& json) {
    for (const auto& [name, seconds] : benchmarks::around_the_step(dimension, batch, rows, rows_of_auroc, device))
      json.member(name, seconds);
  };
}

/// The folder's files are written before the first line is answered.
Answer next(const std::string& what, std::int64_t dimension, std::int64_t batch, int threads,
            const plume::StepDevice* device) {
  const auto first = what.find(':'), second = what.find(':', first + 1);
  if (second == std::string::npos) throw storage::UsageError(kUsage);
  const benchmarks::TwoFeatureSets sets(dimension, batch, std::stoll(what.substr(first + 1)), what.substr(second + 1));
  const int epochs = device != nullptr ? 100 : 1;  // some seconds of either
  return [=](storage::JsonWriter& json) {
    for (const auto& [name, seconds] : sets.seconds_between(threads, epochs)) json.member(name, seconds);
  };
}

void hold_to(const std::string& kind) {
  try {
    plume::hold_vectors_to(kind);
  } catch (const std::invalid_argument& none) {
    throw storage::UsageError(std::string(none.what()) + "\n" + kUsage);
  }
}

/// What is computed on; null: the CPU.
const plume::StepDevice* device_called(const std::string& name) {
  constexpr std::string_view kHeld = "cpu:";
  if (name.starts_with(kHeld)) hold_to(name.substr(kHeld.size()));
  if (name == "cpu" || name.starts_with(kHeld)) return nullptr;
  if (name != "cuda") throw storage::UsageError(kUsage);
  workers::use_gpu();
  if (workers::step_device() == nullptr) throw storage::UsageError("cuda: " + workers::why_gpus_idle());
  return workers::step_device();
}

Answer parse(int argc, char** argv) {
  if (argc != 5 && argc != 6) throw storage::UsageError(kUsage);
  try {
    const std::string what = argv[1];
    const std::int64_t dimension = std::stoll(argv[3]), batch = std::stoll(argv[4]);
    workers::set_up_computation(std::stoi(argv[2]));
    const auto* device = device_called(argc == 6 ? argv[5] : "cpu");
    if (what == "limits") return limits(dimension, batch, device);
    if (what.starts_with("next:")) return next(what, dimension, batch, std::stoi(argv[2]), device);
    if (what.starts_with("around:")) return around(what, dimension, batch, device);
    return step(what, dimension, batch, device);
  } catch (const std::logic_error&) {
    throw storage::UsageError(kUsage);
  }
}

void answer_all(const Answer& answer) {
  std::printf("{\"libtorch\":\"%s\"}\n", TORCH_VERSION);
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    storage::JsonWriter json;
    json.begin_object();
    answer(json);
    json.member("peak_bytes", peak_bytes());
    if (workers::step_device() != nullptr) json.member("peak_device_bytes", workers::peak_device_bytes());
    json.end_object();
    std::printf("%s\n", json.text().c_str());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    answer_all(parse(argc, argv));
    return 0;
  } catch (const storage::UsageError& error) {
    std::fprintf(stderr, "benchmark_training: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark_training: %s\n", error.what());
    return 1;
  }
}
