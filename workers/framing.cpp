// Frames over a socket: 4 bytes little-endian length, then the message. Knows nothing of what the messages say.
#include "workers/framing.hpp"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <vector>

#include "storage/error.hpp"
#include "workers/messages.hpp"

namespace workers {
namespace {

constexpr std::size_t kPrefixBytes = 4;

std::size_t length_at(const char* bytes) {
  std::size_t length = 0;
  for (std::size_t i = kPrefixBytes; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

void check_length(std::size_t length) {
  if (length > kMaxMessageBytes) {
    throw storage::Error("a message of " + std::to_string(length) + " bytes was announced; at most " +
                         std::to_string(kMaxMessageBytes) +
                         " are allowed, so the other end does not speak this protocol");
  }
}

void wait_for(int descriptor, short events) {
  pollfd waiting{descriptor, events, 0};
  poll(&waiting, 1, -1);  // EINTR or an error: the next send or recv tells
}

}  // namespace

void FrameReader::append(std::string_view bytes) {
  if (begin_ > 0 && begin_ >= buffer_.size() / 2) {  // moves at most as many bytes as have been given out
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  buffer_.append(bytes);
}

std::optional<std::string> FrameReader::next() {
  const std::size_t there = buffer_.size() - begin_;
  if (there < kPrefixBytes) {
    return std::nullopt;
  }
  const std::size_t length = length_at(buffer_.data() + begin_);
  check_length(length);
  if (there - kPrefixBytes < length) {
    return std::nullopt;
  }
  std::string message = buffer_.substr(begin_ + kPrefixBytes, length);
  begin_ += kPrefixBytes + length;
  return message;
}

std::string frame(std::string_view message) {
  check_length(message.size());
  std::string bytes;
  bytes.reserve(kPrefixBytes + message.size());
  for (std::size_t i = 0; i < kPrefixBytes; ++i) {
    bytes.push_back(static_cast<char>(message.size() >> (8 * i) & 0xff));
  }
  return bytes.append(message);
}

bool write_frame(int descriptor, std::string_view message) {
  const std::string bytes = frame(message);
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = send(descriptor, bytes.data() + written, bytes.size() - written, MSG_NOSIGNAL);
    if (n >= 0) {
      written += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      wait_for(descriptor, POLLOUT);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::optional<std::string> read_frame_if_there(int descriptor, FrameReader& reader) {
  std::array<char, 65536> piece;
  while (true) {
    if (auto message = reader.next()) {
      return message;
    }
    const ssize_t n = recv(descriptor, piece.data(), piece.size(), MSG_DONTWAIT);
    if (n > 0) {
      reader.append({piece.data(), static_cast<std::size_t>(n)});
    } else if (n == 0 || errno != EINTR) {
      return std::nullopt;  // nothing yet, or the end, which the next waiting read tells
    }
  }
}

std::optional<std::string> read_frame(int descriptor, FrameReader& reader) {
  std::array<char, 65536> piece;
  while (true) {
    if (auto message = reader.next()) {
      return message;
    }
    const ssize_t n = recv(descriptor, piece.data(), piece.size(), 0);
    if (n > 0) {
      reader.append({piece.data(), static_cast<std::size_t>(n)});
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      wait_for(descriptor, POLLIN);
    } else if (n == 0 || errno != EINTR) {
      return std::nullopt;
    }
  }
}

}  // namespace workers
