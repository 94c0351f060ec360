// A file of one JSON header and one large body, each sealed by a CRC-32C: written in one pass piece by piece, the old
// file or the new one, whole; read back with every size checked before memory is asked for. Must not know what is in
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "storage/atomic_file.hpp"
#include "storage/descriptor.hpp"

namespace storage {

/// No header is longer, in bytes.
inline constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{64} << 20;

/// Called after every piece of a few megabytes that is on disk or was read: for whoever watches whether anything moves.
using OnPiece = std::function<void()>;

class SealedFileWriter {
 public:
  /// The body will have `body_bytes`. Nothing is begun where the file system has too little room for it (DiskFull).
  /// This and all that follows throw Error naming `target`; the old file is then untouched and nothing stays behind.
  SealedFileWriter(const std::filesystem::path& target, std::string_view header, std::uint64_t body_bytes,
                   OnPiece on_piece);
  /// The next bytes of the body.
  void append(std::string_view bytes);
  /// All of the body was given: makes it durable and replaces `target`. Returns the file's size.
  std::uint64_t publish();

 private:
  void write_piece(std::string_view bytes);

  std::filesystem::path target_;
  OnPiece on_piece_;
  ReplacingFile file_;
  std::uint64_t left_ = 0;      ///< of the body
  std::uint64_t written_ = 0;   ///< of the file
  std::uint64_t unsynced_ = 0;  ///< of what was written
  std::uint32_t checksum_ = 0;  ///< of the body so far
};

class SealedFileReader {
 public:
  /// Checks all but the body's bytes: kind of file, version, the sizes against the file's, the header's checksum. Never
  /// waits for a pipe. This and all that follows throw Error naming the file and what is wrong with it.
  explicit SealedFileReader(const std::filesystem::path& file);

  const std::string& header() const { return header_; }
  std::uint64_t body_bytes() const { return body_bytes_; }

  /// The next `count` bytes of the body.
  void read(void* into, std::uint64_t count, const OnPiece& on_piece);
  /// The body was read to its end: checks its seal. Only now may it be believed.
  void check();

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void read_whole(void* into, std::uint64_t count);

  std::filesystem::path file_;
  Descriptor descriptor_;
  std::string header_;
  std::uint64_t body_bytes_ = 0;
  std::uint64_t left_ = 0;
  std::uint32_t checksum_ = 0;
};

}  // namespace storage
