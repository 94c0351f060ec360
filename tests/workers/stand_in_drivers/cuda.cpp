// Stands in for libcuda.so.1: shows the devices that CUDA_VISIBLE_DEVICES names by UUID or index, as CUDA does, or
// lies.
//   PRETEND_CUDA=all     whatever the variable says, every device
//   PRETEND_CUDA=others  those that it does not name
//   PRETEND_CUDA=N       cuInit answers with error N
#include <algorithm>
#include <optional>

#include "tests/workers/stand_in_drivers/pretended.hpp"

namespace {

struct Shown {
  std::string uuid;
  std::string of_gpu;  // of the GPU that an instance is part of
};

std::vector<Shown> everything() {
  std::vector<Shown> all;
  for (const auto& device : stand_in::devices()) {
    if (!device.mig_mode && device.error == 0) all.push_back({device.uuid, device.uuid});
    for (const auto& instance : device.instances) all.push_back({instance.uuid, device.uuid});
  }
  return all;
}

std::vector<Shown> named(const std::vector<Shown>& all) {
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) return all;
  std::vector<Shown> shown;
  for (const auto& entry : stand_in::pieces(list, ',')) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& device) { return device.uuid == entry; });
    if (found == all.end()) break;
    shown.push_back(*found);
  }
  return shown;
}

const std::vector<Shown>& shown() {
  static const std::vector<Shown> devices = [] {
    const auto all = everything();
    const std::string lie = std::getenv("PRETEND_CUDA") == nullptr ? "" : std::getenv("PRETEND_CUDA");
    if (lie == "all") return all;
    auto told = named(all);
    if (lie != "others") return told;
    std::vector<Shown> others;
    std::copy_if(all.begin(), all.end(), std::back_inserter(others), [&](const auto& device) {
      return std::none_of(told.begin(), told.end(), [&](const auto& one) { return one.uuid == device.uuid; });
    });
    return others;
  }();
  return devices;
}

void give(const std::string& uuid, unsigned char* bytes) {
  std::string digits;
  for (const char c : uuid.substr(4)) {
    if (c != '-') digits += c;
  }
  for (std::size_t i = 0; i < 16; ++i) {
    bytes[i] = static_cast<unsigned char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  }
}

}  // namespace

extern "C" {

int cuInit(unsigned int) {
  const char* lie = std::getenv("PRETEND_CUDA");
  if (lie != nullptr && std::atoi(lie) != 0) return std::atoi(lie);
  return shown().empty() ? 100 : 0;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == 803 ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" : "CUDA_ERROR_PRETENDED";
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = static_cast<int>(shown().size());
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = 100 + ordinal;  // a handle is no index
  return 0;
}
int cuDeviceGetUuid(unsigned char* bytes, int device) {
  give(shown().at(static_cast<std::size_t>(device) - 100).of_gpu, bytes);
  return 0;
}
int cuDeviceGetUuid_v2(unsigned char* bytes, int device) {
  give(shown().at(static_cast<std::size_t>(device) - 100).uuid, bytes);
  return 0;
}

}  // extern "C"
