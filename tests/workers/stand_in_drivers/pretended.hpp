// The GPUs that the stand-in drivers pretend to have, from the environment variable PRETEND_GPUS: entries with ';'
// between them, by PCI bus.
//   GPU-8932f937-d72c-4106-c12f-20bd9faed9f6=NVIDIA H100     a GPU
//   MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f@1/0=NVIDIA ...  an instance of the GPU before it, which is then in MIG
//   mode
//   +                                                        the GPU before it is in MIG mode
//   !4                                                       a GPU at which NVML answers with error 4
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace stand_in {

struct Device {
  std::string uuid, name;
  int error = 0;
  bool mig_mode = false;
  unsigned int gpu_instance = 0, compute_instance = 0;
  std::vector<Device> instances;
};

inline std::vector<std::string> pieces(const std::string& text, char separator) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find(separator, begin);
    all.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  return all;
}

inline Device device_of(const std::string& entry) {
  Device device;
  const auto equals = entry.find('='), at = entry.find('@');
  device.uuid = entry.substr(0, std::min(equals, at));
  device.name = entry.substr(equals + 1);
  if (at < equals) std::sscanf(entry.c_str() + at, "@%u/%u", &device.gpu_instance, &device.compute_instance);
  return device;
}

inline std::vector<Device> read_devices() {
  const char* text = std::getenv("PRETEND_GPUS");
  std::vector<Device> devices;
  for (const auto& entry : pieces(text == nullptr ? "" : text, ';')) {
    if (entry[0] == '!') {
      devices.emplace_back().error = std::atoi(entry.c_str() + 1);
    } else if (entry == "+") {
      devices.back().mig_mode = true;
    } else if (entry.starts_with("MIG-")) {
      devices.back().mig_mode = true;
      devices.back().instances.push_back(device_of(entry));
    } else {
      devices.push_back(device_of(entry));
    }
  }
  return devices;
}

/// The same list at every call: handles point into it.
inline std::vector<Device>& devices() {
  static std::vector<Device> all = read_devices();
  return all;
}

}  // namespace stand_in
