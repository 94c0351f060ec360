// Checksums: CRC-32C against damage, SHA-256 (OpenSSL's) for identities.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace storage {

/// CRC-32C (Castagnoli, RFC 3720): crc32c("123456789") == 0xE3069283. `seed` continues an earlier value over more
/// bytes.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0);
/// Eight lower-case hexadecimal digits.
std::string crc32c_hex(std::string_view bytes);

using Sha256Digest = std::array<std::uint8_t, 32>;

/// SHA-256 over pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  Sha256& update(std::string_view bytes);
  Sha256& update(const void* bytes, std::size_t count);
  Sha256Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Sha256Digest sha256(std::string_view bytes);
/// SHA-256 of a file's bytes, read in pieces. Throws Error naming the file.
Sha256Digest sha256_of_file(const std::filesystem::path& file);
/// The first `bytes` bytes in lower-case hexadecimal.
std::string hex(const Sha256Digest& digest, std::size_t bytes = 32);

}  // namespace storage
