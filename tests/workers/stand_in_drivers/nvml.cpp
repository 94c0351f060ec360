// Stands in for libnvidia-ml.so.1. PRETEND_NVML=N: nvmlInit_v2 answers with error N.
#include <cstring>

#include "tests/workers/stand_in_drivers/pretended.hpp"

using stand_in::Device;

namespace {

constexpr int kNotSupported = 3, kNotFound = 6, kInsufficientSize = 7;

int give(const std::string& text, char* buffer, unsigned int size) {
  if (text.size() >= size) return kInsufficientSize;
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  const char* error = std::getenv("PRETEND_NVML");
  return error == nullptr ? 0 : std::atoi(error);
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int error) {
  return error == 18 ? "Driver/library version mismatch" : "Pretended Error";
}
int nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = static_cast<unsigned int>(stand_in::devices().size());
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, Device** device) {
  *device = &stand_in::devices().at(index);
  return (*device)->error;
}
int nvmlDeviceGetUUID(const Device* device, char* buffer, unsigned int size) {
  return give(device->uuid, buffer, size);
}
int nvmlDeviceGetName(const Device* device, char* buffer, unsigned int size) {
  return give(device->name, buffer, size);
}
int nvmlDeviceGetMemoryInfo(const Device*, unsigned long long* total_free_used) {
  total_free_used[0] = 85899345920ULL;
  total_free_used[1] = total_free_used[2] = 42949672960ULL;
  return 0;
}
int nvmlDeviceGetMigMode(const Device* device, unsigned int* current, unsigned int* pending) {
  *current = *pending = device->mig_mode ? 1 : 0;
  return device->name.find("H100") == std::string::npos ? kNotSupported * (device->mig_mode ? 0 : 1) : 0;
}
int nvmlDeviceGetMaxMigDeviceCount(const Device*, unsigned int* count) {
  *count = 7;
  return 0;
}
/// Only every other place is taken.
int nvmlDeviceGetMigDeviceHandleByIndex(Device* device, unsigned int index, Device** instance) {
  if (index % 2 == 0 || index / 2 >= device->instances.size()) return kNotFound;
  *instance = &device->instances[index / 2];
  return 0;
}
int nvmlDeviceGetGpuInstanceId(const Device* instance, unsigned int* id) {
  *id = instance->gpu_instance;
  return 0;
}
int nvmlDeviceGetComputeInstanceId(const Device* instance, unsigned int* id) {
  *id = instance->compute_instance;
  return 0;
}

}  // extern "C"
