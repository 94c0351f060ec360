// A target with planted faults: shows that the harness and its script can fail. $PLANTED_FAULT names the fault, which
// an input with a small pickle of a certain byte meets.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "storage/error.hpp"
#include "tests/fuzz/invariants.hpp"

namespace {

bool meets_the_fault(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[2] == 'B';
}

/// A reader that does what a reader must not.
std::vector<plume::WeightTensor> read_with_fault(std::string_view bytes, const std::string& origin) {
  const char* name = std::getenv("PLANTED_FAULT");
  const std::string_view fault = name == nullptr ? "" : name;
  if (!meets_the_fault(bytes)) throw storage::Error(origin + ": refused");
  if (fault == "overrun") {
    const std::unique_ptr<char[]> copy(new char[bytes.size()]);
    std::memcpy(copy.get(), bytes.data(), bytes.size());
    if (const volatile char* behind = copy.get() + bytes.size(); *behind == 'x') return {};
  }
  if (fault == "overflow" && INT32_MAX + static_cast<int>(bytes[2]) == 7) return {};
  if (fault == "memory") return {{"w", plume::Dtype::uint8, {1 << 26}, std::string(1 << 26, '\0')}};
  if (fault == "hang") {
    for (volatile bool forever = true; forever;) continue;
  }
  if (fault == "exception") throw std::out_of_range("not of ours");
  if (fault == "message") throw storage::Error(origin + ": \x1b[2J");
  if (fault == "shape") return {{"w", plume::Dtype::float32, {2}, "1234"}};
  throw storage::Error(origin + ": refused");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::check_reader(read_with_fault, {reinterpret_cast<const char*>(data), size}, fuzz::most_live_bytes(size));
  return 0;
}
