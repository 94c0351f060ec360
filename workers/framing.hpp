// Length-prefixed messages over a socket: 4 bytes little-endian length, then that many bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace workers {

/// Collects bytes and gives back whole messages. Throws storage::Error on a length above kMaxMessageBytes, before
/// allocating for it.
class FrameReader {
 public:
  void append(std::string_view bytes);
  std::optional<std::string> next();

 private:
  std::string buffer_;
  std::size_t begin_ = 0;
};

/// The frame of a message.
std::string frame(std::string_view message);
/// Writes it all to a blocking or non-blocking descriptor (waits until writable). False when the other end is gone.
bool write_frame(int descriptor, std::string_view message);
/// One frame if it has arrived; absent while none has. Never waits.
std::optional<std::string> read_frame_if_there(int descriptor, FrameReader& reader);
/// Blocking read of one frame; absent at end of stream.
std::optional<std::string> read_frame(int descriptor, FrameReader& reader);

}  // namespace workers
