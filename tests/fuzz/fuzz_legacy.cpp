// Fuzzes the reader of torch.save files before version 1.6.
#include "plume/weights_formats.hpp"
#include "tests/fuzz/invariants.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz::check_reader(plume::read_legacy, bytes, fuzz::most_live_bytes(size));
  return 0;
}
