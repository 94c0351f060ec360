// Fuzzes the reader of torch.save files since version 1.6: a ZIP container around a pickle and storages.
#include "plume/weights_formats.hpp"
#include "tests/fuzz/invariants.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz::check_reader(plume::read_zip, bytes, fuzz::most_live_bytes(size));
  return 0;
}
