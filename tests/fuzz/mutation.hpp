// What the custom mutators share: libFuzzer's own mutation of a part of an input, and dice.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace fuzz {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  /// A number in [0, sides).
  std::size_t roll(std::size_t sides) { return engine_() % sides; }

 private:
  std::minstd_rand engine_;
};

inline std::string_view as_bytes(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// `bytes` after one of libFuzzer's mutations, at most `most` bytes (of at least 1).
inline std::string mutated(std::string bytes, std::size_t most) {
  const std::size_t size = std::min(bytes.size(), most);
  bytes.resize(most);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, most));
  return bytes;
}

/// Puts `bytes` where libFuzzer wants them; 0, "no such mutation", where they do not fit.
inline std::size_t give(const std::string& bytes, std::uint8_t* data, std::size_t most) {
  if (bytes.size() > most) return 0;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace fuzz
