// Counter-based randomness (Philox4x32-10 of Random123): key = hash(seed, data set, class, stream name), counter =
// (epoch, step, element). Nothing keeps generator state, so nothing has to be restored and no result depends on worker,
// order or attempt.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sweeps {

class RandomStream {
 public:
  /// Stream names in use: `init/<tensor>`, `shuffle`, `noise`, `find/shuffle`, `find/noise`, `k-means`,
  /// `rotation/init/<tensor>`, `rotation/shuffle`, `dump/shuffle`, `dump/noise`; `synthetic/...` for images, `split`
  /// for image folders; `tsne`, `tsne/normal`, `tsne/anomalous` for pictures. The key is the first 8 bytes
  /// (little-endian) of SHA-256 over the canonical JSON array [seed, dataset, normal_class, name].
  RandomStream(std::uint64_t seed, std::string_view dataset, std::string_view normal_class, std::string_view name);

  /// Four words at counter (block low, block high, step, epoch).
  std::array<std::uint32_t, 4> words(std::uint32_t epoch, std::uint32_t step, std::uint64_t block) const;

  /// Element i: uniform in [low, high), from 24 bits of word i % 4 of block i / 4: low + (high - low) * (w >> 8) *
  /// 2^-24. `out` begins with element 4 * first_block, so that threads can share the elements out.
  void fill_uniform(std::uint32_t epoch, std::uint32_t step, float low, float high, std::span<float> out,
                    std::uint64_t first_block = 0) const;
  /// Standard normals by Box-Muller in double: words (0,1) of a block give elements 0 and 1, words (2,3) elements 2
  /// and 3. u1 = (w + 1) * 2^-32 in (0, 1], u2 = w * 2^-32; sqrt(-2 ln u1) * (cos, sin)(2 pi u2).
  void fill_normal(std::uint32_t epoch, std::uint32_t step, std::span<float> out, std::uint64_t first_block = 0) const;
  /// Fisher-Yates over 0..n-1 from the end, each index from the next word (step 0, blocks from 0) by rejection
  /// (no modulo bias). n below 2^32.
  std::vector<std::int64_t> permutation(std::uint32_t epoch, std::int64_t n) const;

  /// Of Philox: what a GPU needs to draw the same words.
  const std::array<std::uint32_t, 2>& key() const { return key_; }

 private:
  std::array<std::uint32_t, 2> key_;
};

}  // namespace sweeps
