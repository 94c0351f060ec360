// How GPUs are named, in environments and in lines for people.
#include "workers/gpu.hpp"

#include <algorithm>

namespace workers {
namespace {

constexpr std::size_t kLongestUuid = 96;  // NVML's own limit
constexpr std::size_t kShownDigits = 8;

bool is_uuid_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '/';
}

}  // namespace

bool is_gpu_uuid(std::string_view text) {
  const bool prefix = text.starts_with("GPU-") || text.starts_with("MIG-");
  return prefix && text.size() > 4 && text.size() <= kLongestUuid &&
         std::all_of(text.begin(), text.end(), is_uuid_character);
}

std::string short_uuid(const std::string& uuid) {
  const auto digits = uuid.starts_with("MIG-GPU-") ? 8U : 4U;
  const std::string shown = uuid.substr(0, digits + kShownDigits);
  const auto instance = uuid.find('/');  // of an old driver: two instances of one GPU differ only here
  return instance == std::string::npos ? shown : shown + uuid.substr(instance);
}

std::string text_of(const Gpu& gpu) {
  return gpu.name.empty() ? short_uuid(gpu.uuid) : short_uuid(gpu.uuid) + " (" + gpu.name + ")";
}

}  // namespace workers
