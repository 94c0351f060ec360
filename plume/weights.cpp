// Tells the format of a weight file from its content and hands it to that format's reader.
#include "plume/weights.hpp"

#include <algorithm>
#include <array>

#include "plume/weights_formats.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace plume {

namespace {

struct DtypeFacts {
  std::string_view name;
  std::size_t size;
};

/// In the order of Dtype.
constexpr std::array<DtypeFacts, 10> kDtypes = {{{"float32", 4},
                                                 {"float64", 8},
                                                 {"float16", 2},
                                                 {"bfloat16", 2},
                                                 {"int64", 8},
                                                 {"int32", 4},
                                                 {"int16", 2},
                                                 {"int8", 1},
                                                 {"uint8", 1},
                                                 {"bool", 1}}};

bool begins_with(std::string_view bytes, std::string_view prefix) {
  return bytes.substr(0, prefix.size()) == prefix;
}

/// What a foreign file is, where that helps.
std::string describe_foreign(std::string_view bytes) {
  const std::size_t ink = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  if (bytes.empty()) return "an empty file";
  if (begins_with(bytes, "version https://git-lfs")) return "a Git LFS pointer, not the file itself (run git lfs pull)";
  if (begins_with(bytes.substr(ink), "<"))
    return "an HTML or XML page saved in place of the weights (download them again)";
  if (bytes.size() > 262 && bytes.substr(257, 5) == "ustar")
    return "the tar format of PyTorch before 0.1.10 (load it there and torch.save it again)";
  if (begins_with(bytes, "\x80")) return "a Python pickle, but not one of torch.save";
  if (begins_with(bytes, "\x89HDF")) return "an HDF5 file";
  return "not a weight file";
}

}  // namespace

std::string_view name_of(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].name;
}
std::size_t size_of(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].size;
}

std::string_view name_of(WeightsFormat format) {
  constexpr std::string_view kNames[] = {"PyTorch zip", "PyTorch legacy", "safetensors"};
  return kNames[static_cast<std::size_t>(format)];
}

WeightsFormat format_of(std::string_view bytes, const std::string& origin) {
  if (is_legacy(bytes)) return WeightsFormat::legacy;
  if (begins_with(bytes, "PK\x03\x04")) return WeightsFormat::zip;
  if (bytes.size() > 8 && bytes[8] == '{') return WeightsFormat::safetensors;
  refuse(origin, describe_foreign(bytes) + "; expected a PyTorch state dict (.pth, .pt) or a .safetensors file");
}

std::vector<WeightTensor> read_weights_from_bytes(std::string_view bytes, const std::string& origin) {
  switch (format_of(bytes, origin)) {
    case WeightsFormat::legacy:
      return read_legacy(bytes, origin);
    case WeightsFormat::zip:
      return read_zip(bytes, origin);
    case WeightsFormat::safetensors:
      break;
  }
  return read_safetensors(bytes, origin);
}

std::vector<WeightTensor> read_weights(const std::filesystem::path& file) {
  return read_weights_from_bytes(storage::read_file(file), file.string());
}

}  // namespace plume
