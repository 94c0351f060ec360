// Checksums of rows: what a scan saw of them, for whoever reads them again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace workers {

/// Of a row's content (ScannedImage::crc32c) and its class together.
std::uint32_t checksum_with_class(std::uint32_t content, const std::string& class_name);

/// Eight lower-case hexadecimal digits each, one after another; and back, nothing for other text.
std::string hex_of(const std::vector<std::uint32_t>& checksums);
std::optional<std::vector<std::uint32_t>> checksums_of(std::string_view hex);

}  // namespace workers
