// The layout, in bytes: a line that says what it is (kMagic), header length and body length (8 each, little-endian),
// CRC-32C of all that and the header (4), the header, the body, CRC-32C of the body (4).
#include "storage/sealed_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "storage/digest.hpp"
#include "storage/error.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKind = "plume-bench sealed file ";
constexpr std::string_view kMagic = "plume-bench sealed file 1\n";
constexpr std::size_t kLengthsAt = kMagic.size();
constexpr std::size_t kChecksumAt = kLengthsAt + 16;
constexpr std::size_t kHeaderAt = kChecksumAt + 4;
constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20;
/// So much lies in memory before the disk is waited for: one wait at the end might take minutes without a sign of life.
constexpr std::uint64_t kSyncBytes = std::uint64_t{64} << 20;

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return text;
}

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::uint32_t seal_of_header(std::string_view prefix, std::string_view header) {
  return crc32c(header, crc32c(prefix));
}

/// A file that fills its disk to the last byte takes the room of all others. Where nobody knows, the write will tell.
void check_room(const fs::path& target, std::uint64_t bytes) {
  struct statvfs disk {};
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (::statvfs(folder.c_str(), &disk) != 0) return;
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  if (free < bytes + bytes / 8) {
    fail_with_errno(
        target, "cannot write " + std::to_string(bytes) + " bytes where " + std::to_string(free) + " are free", ENOSPC);
  }
}

}  // namespace

// ---- writing
// -----------------------------------------------------------------------------------------------------------------

SealedFileWriter::SealedFileWriter(const fs::path& target, std::string_view header, std::uint64_t body_bytes,
                                   OnPiece on_piece)
    : target_(target), on_piece_(std::move(on_piece)), file_(target), left_(body_bytes) {
  if (header.size() > kMostHeaderBytes) throw Error(target.string() + ": its header would be too long");
  check_room(target, kHeaderAt + header.size() + body_bytes + 4);
  const std::string prefix = std::string(kMagic) + little_endian(header.size(), 8) + little_endian(body_bytes, 8);
  write_piece(prefix + little_endian(seal_of_header(prefix, header), 4));
  write_piece(header);
}

void SealedFileWriter::append(std::string_view bytes) {
  if (bytes.size() > left_) throw std::logic_error(target_.string() + ": more was appended than was announced");
  left_ -= bytes.size();
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    bytes.remove_prefix(piece.size());
    checksum_ = crc32c(piece, checksum_);
    write_piece(piece);
    on_piece_();
  }
}

std::uint64_t SealedFileWriter::publish() {
  if (left_ != 0) throw std::logic_error(target_.string() + ": less was appended than was announced");
  write_piece(little_endian(checksum_, 4));
  file_.publish();
  on_piece_();
  return written_;
}

void SealedFileWriter::write_piece(std::string_view bytes) {
  file_.append(bytes);
  written_ += bytes.size();
  unsynced_ += bytes.size();
  if (unsynced_ < kSyncBytes) return;
  file_.sync();
  unsynced_ = 0;
}

// ---- reading
// -----------------------------------------------------------------------------------------------------------------

SealedFileReader::SealedFileReader(const fs::path& file)
    : file_(file), descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_.get() < 0) fail_with_errno(file, "cannot open", errno);
  struct stat about {};
  if (::fstat(descriptor_.get(), &about) != 0) fail_with_errno(file, "cannot read", errno);
  if (!S_ISREG(about.st_mode)) refuse("expected a file, found a folder, pipe or device");
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (size < kHeaderAt + 4) refuse("cut off: " + std::to_string(size) + " bytes");

  std::string prefix(kHeaderAt, '\0');
  read_whole(prefix.data(), prefix.size());
  const std::string_view view = prefix;
  if (!view.starts_with(kMagic)) {
    refuse(view.starts_with(kKind) ? "another version of its format" : "not a file of this kind");
  }
  const std::uint64_t header_bytes = from_little_endian(view.substr(kLengthsAt, 8));
  body_bytes_ = from_little_endian(view.substr(kLengthsAt + 8, 8));
  if (header_bytes > kMostHeaderBytes || header_bytes > size - kHeaderAt - 4 ||
      body_bytes_ != size - kHeaderAt - 4 - header_bytes) {
    refuse("cut off or damaged: its lengths are not those of its " + std::to_string(size) + " bytes");
  }
  header_.resize(header_bytes);
  read_whole(header_.data(), header_bytes);
  if (seal_of_header(view.substr(0, kChecksumAt), header_) != from_little_endian(view.substr(kChecksumAt))) {
    refuse("damaged: the checksum of its header is wrong");
  }
  left_ = body_bytes_;
}

void SealedFileReader::read(void* into, std::uint64_t count, const OnPiece& on_piece) {
  if (count > left_) refuse("its body is too short for what its header announces");
  left_ -= count;
  auto* next = static_cast<char*>(into);
  while (count > 0) {
    const std::uint64_t piece = std::min(count, kPieceBytes);
    read_whole(next, piece);
    checksum_ = crc32c({next, piece}, checksum_);
    next += piece;
    count -= piece;
    on_piece();
  }
}

void SealedFileReader::check() {
  if (left_ != 0) refuse("its body is longer than what its header announces");
  std::string seal(4, '\0');
  read_whole(seal.data(), seal.size());
  if (from_little_endian(seal) != checksum_) refuse("damaged: the checksum of its body is wrong");
}

void SealedFileReader::refuse(const std::string& why) const {
  throw Error(file_.string() + ": " + why);
}

void SealedFileReader::read_whole(void* into, std::uint64_t count) {
  auto* next = static_cast<char*>(into);
  while (count > 0) {
    const ssize_t n = ::read(descriptor_.get(), next, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_with_errno(file_, "cannot read", errno);
    if (n == 0) refuse("cut off while it was read");
    next += n;
    count -= static_cast<std::uint64_t>(n);
  }
}

}  // namespace storage
