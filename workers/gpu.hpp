// A GPU as plain values: what workers tell the coordinator, and how people read it. Knows no driver.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace workers {

/// A GPU, or an instance of one in MIG mode, which is a device of its own.
struct Gpu {
  std::string
      uuid;  ///< as CUDA_VISIBLE_DEVICES takes it: "GPU-8932f937-...", "MIG-...", of old drivers "MIG-GPU-.../1/0"
  std::string name;  ///< "NVIDIA H100 80GB HBM3"
  bool is_mig = false;
  std::int64_t memory_bytes = 0;  ///< 0: not known
  bool operator==(const Gpu&) const = default;
};

/// What a process may use of its host's GPUs.
struct VisibleGpus {
  std::vector<Gpu> gpus;           ///< none twice
  std::vector<std::string> notes;  ///< for people, one line each: a driver that fails, devices that are passed over
  std::string refusal;             ///< why nothing may be computed until a setting is mended, one line; "" as a rule
  bool operator==(const VisibleGpus&) const = default;
};

/// The most GPUs that one host is believed to have.
inline constexpr std::size_t kMostGpus = 1024;

/// "GPU-" or "MIG-", then letters, digits, '-' and '/', at most 96 bytes: nothing else becomes part of an environment.
bool is_gpu_uuid(std::string_view text);

/// "GPU-8932f937", the form that people compare.
std::string short_uuid(const std::string& uuid);
/// "GPU-8932f937 (NVIDIA H100 80GB HBM3)"
std::string text_of(const Gpu& gpu);

}  // namespace workers
