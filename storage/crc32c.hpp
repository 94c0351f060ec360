// The two ways to compute a CRC-32C; storage/digest.hpp picks one. Apart, so that a test can compare them.
#pragma once

#include <cstdint>
#include <string_view>

namespace storage {

/// Slicing-by-8: any processor.
std::uint32_t crc32c_by_tables(std::string_view bytes, std::uint32_t seed);

/// Whether this processor has the crc32 instruction.
bool has_crc32c_instruction();
/// With the crc32 instruction of SSE4.2; only where has_crc32c_instruction().
std::uint32_t crc32c_by_instruction(std::string_view bytes, std::uint32_t seed);

}  // namespace storage
