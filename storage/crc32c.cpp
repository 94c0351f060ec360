// CRC-32C (Castagnoli), reflected polynomial 0x82F63B78: eight tables, or one instruction. Knows no files.
#include "storage/crc32c.hpp"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include "storage/digest.hpp"

namespace storage {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as little-endian");

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// tables[0][b] is the CRC of byte b; tables[k][b] that of b followed by k zero bytes.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0x82F63B78u : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

}  // namespace

std::uint32_t crc32c_by_tables(std::string_view bytes, std::uint32_t seed) {
  std::uint32_t crc = ~seed;
  while (bytes.size() >= 8) {
    const std::uint64_t word = word_at(bytes.data()) ^ crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xFF];
    bytes.remove_prefix(8);
  }
  for (const char c : bytes) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
}

#if defined(__x86_64__)
bool has_crc32c_instruction() {
  return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(std::string_view bytes, std::uint32_t seed) {
  std::uint64_t crc = ~seed;
  while (bytes.size() >= 8) {
    crc = _mm_crc32_u64(crc, word_at(bytes.data()));
    bytes.remove_prefix(8);
  }
  auto low = static_cast<std::uint32_t>(crc);
  for (const char c : bytes) low = _mm_crc32_u8(low, static_cast<unsigned char>(c));
  return ~low;
}
#else
bool has_crc32c_instruction() {
  return false;
}
std::uint32_t crc32c_by_instruction(std::string_view bytes, std::uint32_t seed) {
  return crc32c_by_tables(bytes, seed);
}
#endif

std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed) {
  static const bool fast = has_crc32c_instruction();
  return fast ? crc32c_by_instruction(bytes, seed) : crc32c_by_tables(bytes, seed);
}

std::string crc32c_hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  const std::uint32_t crc = crc32c(bytes);
  std::string text(8, '0');
  for (int i = 0; i < 8; ++i) text[static_cast<std::size_t>(i)] = kDigits[(crc >> (28 - 4 * i)) & 0xF];
  return text;
}

}  // namespace storage
