// Fuzzes the reader of torch.save files before version 1.6: pickles, then storages. Many mutations change the object
// alone and write the list of keys and the storages that fit it.
#include "plume/weights_formats.hpp"
#include "tests/fuzz/invariants.hpp"
#include "tests/fuzz/mutation.hpp"
#include "tests/fuzz/torch_parts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::check_reader(plume::read_legacy, fuzz::as_bytes(data, size), fuzz::most_live_bytes(size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  fuzz::Dice dice(seed);
  const std::string whole(fuzz::as_bytes(data, size));
  auto parts = fuzz::parts_of_legacy(whole);
  if (!parts || dice.roll(2) == 0) return fuzz::give(fuzz::mutated(whole, most), data, most);
  parts->pickle = fuzz::mutated(parts->pickle, parts->pickle.size() + 64);
  fuzz::keep_promises(*parts);
  return fuzz::give(fuzz::legacy_of(*parts), data, most);
}
