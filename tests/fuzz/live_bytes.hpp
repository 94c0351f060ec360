// Counts the bytes that live on the heap, through the sanitizer's malloc hooks.
#pragma once

#include <cstddef>

namespace fuzz {

/// While it lives, an allocation that brings the bytes allocated since its construction above `most` ends the process,
/// with the stack of that allocation. One at a time.
class LiveBytesLimit {
 public:
  explicit LiveBytesLimit(std::size_t most);
  ~LiveBytesLimit();
  LiveBytesLimit(const LiveBytesLimit&) = delete;
  LiveBytesLimit& operator=(const LiveBytesLimit&) = delete;

  std::size_t peak() const;
};

}  // namespace fuzz
