// A scanned image whose sums can be checked by hand.
#pragma once

#include "workers/messages.hpp"

namespace workers {

/// A 1 x 2 image whose channels have the byte values (a, b), (10, 10), (0, 255).
inline ScannedImage image(double a, double b, std::uint32_t crc = 1) {
  ScannedImage i;
  i.crc32c = crc;
  i.width = 2;
  i.height = 1;
  i.sums = {a + b, 20, 255};
  i.squares = {a * a + b * b, 200, 255 * 255};
  return i;
}

}  // namespace workers
