// What must hold for any bytes whatever that a weight reader is given. A violation ends the process with one line that
// begins with "FINDING: ".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plume/weights.hpp"

namespace fuzz {

inline const std::string kOrigin = "file.pth";
inline constexpr std::size_t kMostMessage = 1'000;  ///< bytes of an error message behind the origin

[[noreturn]] void finding(const std::string& what);

/// What a reader made of its bytes: an error's message, or tensors.
struct Outcome {
  std::string refusal;
  std::vector<plume::WeightTensor> tensors;
};

using Read = std::function<std::vector<plume::WeightTensor>(std::string_view bytes, const std::string& origin)>;

/// Reads `bytes` twice and checks: nothing but storage::Error is thrown; its message is one printable line of bounded
/// length that begins with the origin; tensors have distinct names and the bytes that their shapes ask for; memory
/// stays below `most_live` bytes; both times give the same.
Outcome check_reader(const Read& read, std::string_view bytes, std::size_t most_live);

/// Bytes that a reader may hold at once for a file of `size`: its budget for tensors, and what it knows of them.
std::size_t most_live_bytes(std::size_t size);

}  // namespace fuzz
