// Fuzzes the reader of torch.save files since version 1.6: a ZIP container around a pickle and storages. Most mutations
// leave the container whole, or else nearly every input would end at a checksum.
#include "plume/weights_formats.hpp"
#include "tests/fuzz/invariants.hpp"
#include "tests/fuzz/mutation.hpp"
#include "tests/fuzz/torch_parts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::check_reader(plume::read_zip, fuzz::as_bytes(data, size), fuzz::most_live_bytes(size));
  return 0;
}

namespace {

std::string put_together(fuzz::TorchParts& parts, fuzz::Dice& dice) {
  if (dice.roll(4) != 0) fuzz::keep_promises(parts);
  std::string zip = fuzz::zip_of(parts);
  if (dice.roll(4) == 0) fuzz::set_checksums(zip, true);
  return zip;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  fuzz::Dice dice(seed);
  const std::string whole(fuzz::as_bytes(data, size));
  auto parts = fuzz::parts_of_zip(whole);
  const std::size_t way = dice.roll(8);
  if (!parts || way < 2) {
    std::string zip = fuzz::mutated(whole, most);
    if (dice.roll(2) == 0) fuzz::set_checksums(zip, dice.roll(2) == 0);
    return fuzz::give(zip, data, most);
  }
  if (way == 2 && !parts->others.empty()) {
    auto& record = parts->others[dice.roll(parts->others.size())];
    std::string& part = dice.roll(2) == 0 ? record.first : record.second;
    part = fuzz::mutated(part, part.size() + 16);
  } else if (way == 3 && !parts->storages.empty()) {
    auto& storage = parts->storages[dice.roll(parts->storages.size())];
    std::string& part = dice.roll(2) == 0 ? storage.first : storage.second;
    part = fuzz::mutated(part, part.size() + 16);
    return fuzz::give(fuzz::zip_of(*parts), data, most);
  } else {
    parts->pickle = fuzz::mutated(parts->pickle, parts->pickle.size() + 64);
  }
  return fuzz::give(put_together(*parts, dice), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size, const std::uint8_t* two,
                                                 std::size_t two_size, std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  fuzz::Dice dice(seed);
  auto parts = fuzz::parts_of_zip(fuzz::as_bytes(one, one_size));
  const auto other = fuzz::parts_of_zip(fuzz::as_bytes(two, two_size));
  if (!parts || !other) return 0;
  if (dice.roll(2) == 0) {
    parts->storages = other->storages;
  } else {
    parts->pickle = parts->pickle.substr(0, dice.roll(parts->pickle.size() + 1)) +
                    other->pickle.substr(dice.roll(other->pickle.size() + 1));
  }
  return fuzz::give(put_together(*parts, dice), out, most);
}
