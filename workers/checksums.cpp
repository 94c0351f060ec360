// CRC-32C and its text.
#include "workers/checksums.hpp"

#include "storage/digest.hpp"

namespace workers {

namespace {

constexpr std::size_t kDigits = 8;
constexpr std::string_view kHex = "0123456789abcdef";

}  // namespace

std::uint32_t checksum_with_class(std::uint32_t content, const std::string& class_name) {
  return storage::crc32c(class_name, content);
}

std::string hex_of(const std::vector<std::uint32_t>& checksums) {
  std::string hex;
  hex.reserve(kDigits * checksums.size());
  for (const std::uint32_t checksum : checksums) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += kHex[checksum >> shift & 15];
  }
  return hex;
}

std::optional<std::vector<std::uint32_t>> checksums_of(std::string_view hex) {
  if (hex.size() % kDigits != 0) return std::nullopt;
  std::vector<std::uint32_t> checksums(hex.size() / kDigits, 0);
  for (std::size_t i = 0; i < hex.size(); ++i) {
    const std::size_t digit = kHex.find(hex[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    checksums[i / kDigits] = checksums[i / kDigits] << 4 | static_cast<std::uint32_t>(digit);
  }
  return checksums;
}

}  // namespace workers
