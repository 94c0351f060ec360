// Talks to libcuda.so.1 with declarations of our own: no CUDA header is needed to build.
#include "workers/cuda_driver.hpp"

#include <fmt/format.h>

#include <array>

#include "storage/error.hpp"
#include "workers/gpu.hpp"
#include "workers/shared_library.hpp"

namespace workers {
namespace {

// From CUDA's driver API (cuda.h): CUresult and CUdevice are ints, CUuuid is 16 bytes.
using Result = int;
using Device = int;
using Uuid = std::array<unsigned char, 16>;
static_assert(sizeof(Uuid) == 16);
constexpr Result kSuccess = 0;
constexpr Result kNoDevice = 100;

class CudaDriver {
 public:
  CudaDriver() : library_("libcuda.so.1") {
    if (!library_.is_open()) throw storage::Error("libcuda.so.1 cannot be loaded, though NVML lists GPUs");
    library_.keep();  // LibTorch goes on with it
  }

  std::vector<std::string> devices(const std::string& like) const {
    const Result started = call<Result(unsigned int)>("cuInit", 0U);
    if (started == kNoDevice) return {};
    check("cuInit", started);
    int count = 0;
    check("cuDeviceGetCount", call<Result(int*)>("cuDeviceGetCount", &count));
    std::vector<std::string> uuids;
    for (int i = 0; i < count; ++i) {
      Device device = 0;
      check("cuDeviceGet", call<Result(Device*, int)>("cuDeviceGet", &device, i));
      uuids.push_back(uuid_of(device, like));
    }
    return uuids;
  }

 private:
  template <typename Function, typename... Arguments>
  Result call(const char* name, Arguments... arguments) const {
    auto* function = library_.function<Function>(name);
    if (function == nullptr) throw storage::Error(fmt::format("libcuda.so.1 has no {}", name));
    return function(arguments...);
  }

  void check(const char* what, Result result) const {
    if (result == kSuccess) return;
    const char* name = nullptr;
    using GetErrorName = Result(Result, const char**);
    if (auto* get_name = library_.function<GetErrorName>("cuGetErrorName")) get_name(result, &name);
    throw storage::Error(fmt::format("CUDA cannot be used: {} returns {} (error {})", what,
                                     name == nullptr ? "an unknown error" : name, result));
  }

  /// cuDeviceGetUuid_v2 (CUDA 11.4) tells the instances of a GPU in MIG mode apart; the one before it gives their
  /// GPU's.
  std::string uuid_of(Device device, const std::string& like) const {
    using GetUuid = Result(Uuid*, Device);
    const bool of_gpu = like.starts_with("MIG-GPU-");
    const bool has_v2 = library_.function<GetUuid>("cuDeviceGetUuid_v2") != nullptr;
    const char* name = of_gpu || !has_v2 ? "cuDeviceGetUuid" : "cuDeviceGetUuid_v2";
    Uuid bytes{};
    check(name, call<GetUuid>(name, &bytes, device));
    std::string text = of_gpu ? "MIG-GPU-" : like.starts_with("MIG-") ? "MIG-" : "GPU-";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
      text += fmt::format("{:02x}", bytes[i]);
    }
    return text;
  }

  SharedLibrary library_;
};

}  // namespace

std::vector<std::string> cuda_devices(const std::string& like) {
  return CudaDriver().devices(like);
}

void check_only_gpu(const std::string& uuid) {
  const auto shown = cuda_devices(uuid);
  // The UUID of an old driver's instance ends in its numbers, which CUDA does not give.
  if (shown.size() == 1 && shown.front() == uuid.substr(0, uuid.find('/'))) return;
  std::string what = "no device";
  if (shown.size() == 1) what = shown.front();
  if (shown.size() > 1) what = fmt::format("{} devices, the first {}", shown.size(), shown.front());
  throw storage::Error(fmt::format("this trainer was given {}, but CUDA shows {}", uuid, what));
}

}  // namespace workers
