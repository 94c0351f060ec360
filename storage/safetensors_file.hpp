// Writes float32 tensors in the safetensors format, sealed: u64 header length, a JSON object padded with spaces to a
// multiple of 8 bytes, then the tensors' bytes without holes. Knows neither networks nor LibTorch; plume/weights reads
// the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace storage {

struct Float32Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< row-major, little-endian, 4 a number
};

/// In the metadata, the SHA-256 (64 lower-case hexadecimal digits) of the whole file with zeros in place of these
/// digits.
inline constexpr std::string_view kSeal = "sha256";

/// Tensors in the order given; `metadata` are texts by name, to which the seal is added. Straight from the tensors'
/// memory. The old file or the new one, whole; the same input gives the same bytes. Throws Error naming the file
/// (DiskFull where no room is left), std::logic_error for bytes that do not fit a shape and for metadata with a seal.
void write_safetensors(const std::filesystem::path& target, std::vector<std::pair<std::string, std::string>> metadata,
                       const std::vector<Float32Tensor>& tensors);

/// Whether `file`, all its bytes, has a seal and is what was sealed.
bool is_sealed(std::string_view file);

}  // namespace storage
