// Talks to libnvidia-ml.so.1 with declarations of our own: no NVIDIA header is needed to build.
#include "workers/nvml.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "workers/one_line.hpp"
#include "workers/shared_library.hpp"

namespace workers {
namespace {

// From NVML's API reference; all unchanged since 2013, MIG since 2020.
using Result = int;
using Device = void*;
constexpr Result kSuccess = 0;
constexpr Result kNoPermission = 4;
constexpr Result kDriverNotLoaded = 9;
struct Memory {
  unsigned long long total, free, used;
};
constexpr unsigned int kTextSize = 96;

class Nvml {
 public:
  Nvml() : library_("libnvidia-ml.so.1") {}

  InstalledGpus list() {
    InstalledGpus found;
    if (!library_.is_open()) return found;
    const Result started = call<Result()>("nvmlInit_v2");
    found.driver = started != kDriverNotLoaded;
    if (started == kDriverNotLoaded) return found;
    if (started != kSuccess) {
      found.notes.push_back(failure("", started));
      return found;
    }
    unsigned int count = 0;
    const Result counted = call<Result(unsigned int*)>("nvmlDeviceGetCount_v2", &count);
    if (counted != kSuccess) found.notes.push_back(failure("", counted));
    for (unsigned int i = 0; i < count && i < kMostGpus; ++i) add(found, i);
    call<Result()>("nvmlShutdown");
    return found;
  }

 private:
  static constexpr Result kNoSuchFunction = 13;  // NVML's own code for a driver older than the question

  template <typename Function, typename... Arguments>
  Result call(const char* name, Arguments... arguments) const {
    auto* function = library_.function<Function>(name);
    return function == nullptr ? kNoSuchFunction : function(arguments...);
  }

  std::string failure(const std::string& where, Result result) const {
    using ErrorString = const char*(Result);
    auto* error_string = library_.function<ErrorString>("nvmlErrorString");
    const char* text = error_string == nullptr ? nullptr : error_string(result);
    return one_line(fmt::format("the NVIDIA driver fails{}: {} (NVML error {}); no GPU is used {}", where,
                                text == nullptr ? "" : text, result, where.empty() ? "" : "there"));
  }

  void add(InstalledGpus& found, unsigned int index) const {
    Device device = nullptr;
    const Result opened = call<Result(unsigned int, Device*)>("nvmlDeviceGetHandleByIndex_v2", index, &device);
    if (opened == kNoPermission) return;  // it is another job's
    InstalledGpu installed;
    const Result described = opened == kSuccess ? describe(device, installed.gpu) : opened;
    if (described != kSuccess) {
      found.notes.push_back(failure(fmt::format(" at GPU {}", index), described));
      return;
    }
    unsigned int mode = 0, pending = 0;
    const Result asked =
        call<Result(Device, unsigned int*, unsigned int*)>("nvmlDeviceGetMigMode", device, &mode, &pending);
    installed.mig_mode = asked == kSuccess && mode == 1;
    if (installed.mig_mode) add_instances(device, installed);
    found.gpus.push_back(installed);
  }

  Result describe(Device device, Gpu& gpu) const {
    std::array<char, kTextSize> text{};
    const Result identified =
        call<Result(Device, char*, unsigned int)>("nvmlDeviceGetUUID", device, text.data(), kTextSize);
    if (identified != kSuccess) return identified;
    gpu.uuid = text.data();
    text = {};
    if (call<Result(Device, char*, unsigned int)>("nvmlDeviceGetName", device, text.data(), kTextSize) == kSuccess) {
      gpu.name = text.data();
    }
    Memory memory{};
    if (call<Result(Device, Memory*)>("nvmlDeviceGetMemoryInfo", device, &memory) == kSuccess) {
      gpu.memory_bytes = static_cast<std::int64_t>(memory.total);
    }
    constexpr Result kUnknown = 999;
    return is_gpu_uuid(gpu.uuid) ? kSuccess : kUnknown;
  }

  void add_instances(Device device, InstalledGpu& installed) const {
    unsigned int most = 0;
    call<Result(Device, unsigned int*)>("nvmlDeviceGetMaxMigDeviceCount", device, &most);
    for (unsigned int i = 0; i < most; ++i) {
      Device handle = nullptr;
      // Not every place is taken, and some may be another job's.
      if (call<Result(Device, unsigned int, Device*)>("nvmlDeviceGetMigDeviceHandleByIndex", device, i, &handle) !=
          kSuccess) {
        continue;
      }
      MigInstance instance;
      if (describe(handle, instance.gpu) != kSuccess) continue;
      instance.gpu.is_mig = true;
      instance.gpu_instance = number(handle, "nvmlDeviceGetGpuInstanceId");
      instance.compute_instance = number(handle, "nvmlDeviceGetComputeInstanceId");
      installed.instances.push_back(instance);
    }
  }

  int number(Device handle, const char* function) const {
    unsigned int value = 0;
    return call<Result(Device, unsigned int*)>(function, handle, &value) == kSuccess ? static_cast<int>(value) : -1;
  }

  SharedLibrary library_;
};

}  // namespace

InstalledGpus installed_gpus() {
  return Nvml().list();
}

}  // namespace workers
