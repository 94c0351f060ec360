// Kernels on LibTorch's current stream, and steps as CUDA graphs.
#include "plume/cuda/cuda_device.hpp"

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "plume/cuda/launches.hpp"
#include "storage/error.hpp"

namespace plume {
namespace {

constexpr int kRehearsals = 3;  // cuBLAS, the allocator and autograd settle

cudaStream_t current_stream() {
  return c10::cuda::getCurrentCUDAStream().stream();
}

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// A moment on LibTorch's current stream. (LibTorch's own class needs headers that a toolkit for nvcc alone lacks.)
class Moment {
 public:
  Moment() {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    const cudaError_t recorded = cudaEventRecord(event_, current_stream());
    if (recorded != cudaSuccess) cudaEventDestroy(event_);
    check(recorded, "cudaEventRecord");
  }
  ~Moment() { cudaEventDestroy(event_); }
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;
  void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }

 private:
  cudaEvent_t event_ = nullptr;
};

StepControl* control_in(const at::Tensor& words) {
  return static_cast<StepControl*>(words.data_ptr());
}

class CudaKernels : public StepKernels {
 public:
  void draw(const NoiseKey& key, const at::Tensor& control, at::Tensor& out) const override {
    cuda::draw(key[0], key[1], control_in(control), out.data_ptr<float>(), out.numel(), current_stream());
  }
  void draw_weight(const NoiseKey& key, double bound, at::Tensor& out) const override {
    cuda::draw_weight(key[0], key[1], static_cast<float>(bound), out.data_ptr<float>(), out.numel(), current_stream());
  }
  void decide(const at::Tensor& control, const at::Tensor& losses, const at::Tensor& schedule, double weight_decay,
              const at::Tensor& kept) const override {
    cuda::decide(control_in(control), losses.const_data_ptr<float>(),
                 static_cast<const SchedulePoint*>(schedule.const_data_ptr()), weight_decay, kept.data_ptr<double>(),
                 current_stream());
  }
  void update(const at::Tensor& control, const ParameterTensors& of, const Gradient& gradient) const override {
    const WeightState state{of.parameter.data_ptr<float>(), of.first_moment.data_ptr<float>(),
                            of.second_moment.data_ptr<float>()};
    if (const auto* folded = std::get_if<FoldedGradient>(&gradient)) {
      update_folded(control, state, *folded, of.parameter);
      return;
    }
    const at::Tensor whole = std::get<at::Tensor>(gradient).contiguous();
    cuda::update(control_in(control), state, whole.const_data_ptr<float>(), whole.numel(), current_stream());
  }
  void advance(const at::Tensor& control) const override { cuda::advance(control_in(control), current_stream()); }

 private:
  static void update_folded(const at::Tensor& control, const WeightState& state, const FoldedGradient& gradient,
                            const at::Tensor& weight) {
    std::vector<at::Tensor> kept;  // contiguous, until the launch; the allocator knows the stream's order
    cuda::Passes passes;
    TORCH_INTERNAL_ASSERT(gradient.passes.size() <= cuda::kMostPasses);
    for (const auto& pass : gradient.passes) {
      const at::Tensor dy = kept.emplace_back(pass.output_gradient.contiguous());
      const at::Tensor x = kept.emplace_back(pass.input.contiguous());
      passes.pass[passes.count++] = {dy.const_data_ptr<float>(), x.const_data_ptr<float>(), x.size(0)};
    }
    cuda::update_folded(control_in(control), state, passes, weight.size(0), weight.size(1), current_stream());
  }
};

std::atomic<bool> a_capture_did_not_end = false;

/// A step for each size of batch. Each graph has a stream of its own: graphs of one stream share cuBLAS's workspace,
/// which ends with the first of them (pytorch#193402).
class GraphRunner : public StepRunner {
 public:
  void run(std::int64_t rows, const std::function<void()>& step, const std::vector<at::Tensor>& state) override {
    auto& graph = graphs_[rows];
    if (!graph) graph = captured(step, state);
    graph->replay();
  }

 private:
  static std::unique_ptr<at::cuda::CUDAGraph> captured(const std::function<void()>& step,
                                                       const std::vector<at::Tensor>& state) {
    const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
    c10::cuda::device_synchronize();
    const c10::cuda::CUDAStreamGuard guard(stream);
    rehearse(step, state, kRehearsals);
    c10::cuda::device_synchronize();
    // A capture takes fresh memory, and while it is under way none of the cache is given back for it: what earlier
    // graphs had, and the rehearsal's copy of the state, which only this stream could use again.
    c10::cuda::CUDACachingAllocator::emptyCache();
    auto graph = std::make_unique<at::cuda::CUDAGraph>();
    graph->capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    try {
      step();
    } catch (...) {
      abandon(*graph);
      throw;
    }
    graph->capture_end();
    return graph;
  }

  /// Ends a capture that failed, so that the stream and the allocator are as before; where that fails, too, nobody
  /// knows what state they are in.
  static void abandon(at::cuda::CUDAGraph& graph) {
    try {
      graph.capture_end();
    } catch (...) {  // what went wrong is on its way already
      cudaGetLastError();
      a_capture_did_not_end = true;
    }
  }

  std::map<std::int64_t, std::unique_ptr<at::cuda::CUDAGraph>> graphs_;
};

class CudaDevice : public StepDevice {
 public:
  at::Device device() const override { return {at::kCUDA, 0}; }
  const StepKernels& kernels() const override { return kernels_; }
  std::unique_ptr<StepRunner> runner() const override { return std::make_unique<GraphRunner>(); }
  std::function<at::Tensor()> fetch(const at::Tensor& of) const override {
    const at::Tensor host = at::empty(of.sizes(), of.options().device(at::kCPU).pinned_memory(true));
    at::Tensor(host).copy_(of, /*non_blocking=*/true);
    return [host, copied = std::make_shared<Moment>()] {
      copied->wait();
      return host;
    };
  }

 private:
  CudaKernels kernels_;
};

}  // namespace

std::unique_ptr<StepDevice> cuda_device() {
  if (c10::cuda::device_count() == 0) throw storage::Error("LibTorch sees no GPU, though one was given to this worker");
  c10::cuda::set_device(0);
  c10::cuda::device_synchronize();
  return std::make_unique<CudaDevice>();
}

bool cuda_is_lost() {
  cudaGetLastError();  // one that is not sticky ends here
  return a_capture_did_not_end || cudaDeviceSynchronize() != cudaSuccess;
}

void cuda_free_unused() {
  c10::cuda::CUDACachingAllocator::emptyCache();
}

std::int64_t cuda_peak_bytes() {
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return c10::cuda::CUDACachingAllocator::getDeviceStats(0).allocated_bytes[kAll].peak;
}

}  // namespace plume
