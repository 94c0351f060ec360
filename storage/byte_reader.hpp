// Walks over the bytes of a file without ever leaving them. Knows no format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace storage {

/// Reads little-endian values from front to back. Every read is checked against the end and throws storage::Error
/// naming the origin and the position. Give it the whole file from its begin, so that positions are those of the file.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, const std::string& origin, std::size_t position = 0);

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }
  std::size_t size() const { return bytes_.size(); }
  const std::string& origin() const { return origin_; }

  /// The next `count` bytes. `what` completes "<origin>: ends in the middle of <what>".
  std::string_view take(std::uint64_t count, const char* what);
  /// Up to the next newline, which is passed over. At most `most` bytes.
  std::string_view take_line(std::size_t most, const char* what);
  std::uint8_t u8(const char* what) { return static_cast<std::uint8_t>(little_endian(1, what)); }
  std::uint16_t u16(const char* what) { return static_cast<std::uint16_t>(little_endian(2, what)); }
  std::uint32_t u32(const char* what) { return static_cast<std::uint32_t>(little_endian(4, what)); }
  std::uint64_t u64(const char* what) { return little_endian(8, what); }
  std::int64_t i64(const char* what) { return static_cast<std::int64_t>(u64(what)); }

  /// Throws storage::Error "<origin>: <what> (near byte <position>)".
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::uint64_t little_endian(int count, const char* what);

  std::string_view bytes_;
  const std::string& origin_;
  std::size_t position_ = 0;
};

/// Throws storage::Error "<origin>: <what>".
[[noreturn]] void refuse(const std::string& origin, const std::string& what);

/// `text` in double quotes for a message of one line: what is not printable ASCII becomes "?", more than 80 bytes are
/// cut.
std::string shown(std::string_view text);

}  // namespace storage
