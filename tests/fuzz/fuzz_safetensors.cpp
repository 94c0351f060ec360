// Fuzzes the safetensors reader, and storage::parse_json through its header. Most mutations leave the header's length
// right, many the data as long as the header says.
#include "plume/weights_formats.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "tests/fuzz/invariants.hpp"
#include "tests/fuzz/mutation.hpp"
#include "tests/weight_file_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::check_reader(plume::read_safetensors, fuzz::as_bytes(data, size), fuzz::most_live_bytes(size));
  return 0;
}

namespace {

constexpr std::size_t kLength = 8;  // bytes of the header's length

std::size_t header_size(std::string_view file) {
  std::size_t size = 0;
  for (std::size_t i = kLength; i-- > 0;) size = size << 8 | static_cast<unsigned char>(file[i]);
  return size;
}

/// How many bytes of data the header speaks of, where it can be read and says little.
std::size_t promised_bytes(const std::string& header, std::size_t otherwise) {
  constexpr std::int64_t kMost = 2'048;
  try {
    std::int64_t end = 0;
    for (const auto& [name, entry] : storage::parse_json(header, "a mutation", storage::Blame::run).members()) {
      if (name != "__metadata__") end = std::max(end, entry.at("data_offsets").items().at(1).integer(0, kMost));
    }
    return static_cast<std::size_t>(end);
  } catch (const std::exception&) {
    return otherwise;
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  fuzz::Dice dice(seed);
  const std::string whole(fuzz::as_bytes(data, size));
  const std::size_t length = size < kLength ? 0 : header_size(whole);
  if (size <= kLength || length > size - kLength || length == 0 || dice.roll(8) == 0)
    return fuzz::give(fuzz::mutated(whole, most), data, most);
  const std::string header = fuzz::mutated(whole.substr(kLength, length), length + 64);
  std::string bytes = whole.substr(kLength + length);
  if (dice.roll(2) == 0) bytes.resize(promised_bytes(header, bytes.size()), '\x3f');
  return fuzz::give(tests::safetensors_file(header, bytes), data, most);
}
