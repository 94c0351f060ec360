// What a random stream makes of its key and a counter: words, uniform numbers, and normals of two words. Plain
// arithmetic: CPU and GPU compile it, and draw the same words.
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>

#include "sweeps/on_both.hpp"

namespace sweeps {

struct StreamWords {
  std::uint32_t word[4];
};

/// Philox4x32-10 at counter (block low, block high, step, epoch).
PLUME_ON_BOTH inline StreamWords stream_words(std::uint32_t key0, std::uint32_t key1, std::uint32_t epoch,
                                              std::uint32_t step, std::uint64_t block) {
  const philox4x32_ctr_t counter = {
      {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), step, epoch}};
  const philox4x32_key_t key = {{key0, key1}};
  const philox4x32_ctr_t out = philox4x32_R(10, counter, key);
  return {{out.v[0], out.v[1], out.v[2], out.v[3]}};
}

/// A float in [low, high) of the upper 24 bits of a word.
PLUME_ON_BOTH inline float uniform_of(std::uint32_t word, float low, float high) {
  const float unit = static_cast<float>(word >> 8) * 0x1p-24F;
#if defined(__CUDA_ARCH__)
  return __fadd_rn(low, __fmul_rn(high - low, unit));  // rounded twice, as on the CPU: the same bits
#else
  return low + (high - low) * unit;
#endif
}

struct TwoNormals {
  float first, second;
};

/// Box-Muller in doubles: u1 = (a + 1) 2^-32 in (0, 1], u2 = b 2^-32; sqrt(-2 ln u1) (cos, sin)(2 pi u2).
PLUME_ON_BOTH inline TwoNormals box_muller(std::uint32_t a, std::uint32_t b) {
  constexpr double kPi = 3.141592653589793238462643383279502884;
  const double radius = std::sqrt(-2.0 * std::log((static_cast<double>(a) + 1.0) * 0x1p-32));
  const double angle = 2.0 * kPi * (static_cast<double>(b) * 0x1p-32);
  return {static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle))};
}

}  // namespace sweeps
