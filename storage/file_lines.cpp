// Reads a megabyte at a time; a longer line makes the buffer grow.
#include "storage/file_lines.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace storage {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

FileLines::FileLines(const std::filesystem::path& file, std::uintmax_t from, std::size_t longest_line)
    : file_(file), descriptor_(open_plain_file(file)), longest_line_(longest_line), given_out_(from) {
  if (::lseek(descriptor_.get(), static_cast<off_t>(from), SEEK_SET) < 0) fail_with_errno(file, "cannot read", errno);
}

/// False at the end of the file.
bool FileLines::read_more() {
  bytes_.erase(0, at_);
  at_ = 0;
  const std::size_t filled = bytes_.size();
  bytes_.resize(filled + kPiece);
  ssize_t count = 0;
  do {
    count = ::read(descriptor_.get(), bytes_.data() + filled, kPiece);
  } while (count < 0 && errno == EINTR);
  if (count < 0) fail_with_errno(file_, "cannot read", errno);
  bytes_.resize(filled + static_cast<std::size_t>(count));
  return count > 0;
}

std::optional<FileLines::Line> FileLines::next() {
  std::size_t searched = 0;  // of the line, from at_ on
  std::size_t newline = std::string::npos;
  bool ended = false;
  while (true) {
    newline = bytes_.find('\n', at_ + searched);
    // The line after it, or the end of the file, must be in sight: whether this is the last line depends on it.
    if (newline != std::string::npos && newline + 1 < bytes_.size()) break;
    if (ended) break;
    searched = newline != std::string::npos ? newline - at_ : bytes_.size() - at_;
    if (searched > longest_line_) {
      throw Error(fmt::format("{}: expected a line of text, found more than {} bytes without a newline from byte {} on",
                              file_.string(), longest_line_, given_out_));
    }
    ended = !read_more();
  }
  if (at_ == bytes_.size()) return std::nullopt;
  Line line;
  line.has_newline = newline != std::string::npos;
  const std::size_t stop = line.has_newline ? newline : bytes_.size();
  line.text = std::string_view(bytes_).substr(at_, stop - at_);
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  const std::size_t after = line.has_newline ? stop + 1 : stop;
  given_out_ += after - at_;
  at_ = after;
  line.end = given_out_;
  line.is_last = at_ == bytes_.size();
  return line;
}

}  // namespace storage
