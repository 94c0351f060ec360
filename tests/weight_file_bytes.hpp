// Weight files made by hand, byte by byte, whatever nonsense they say. Knows no reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tests {

/// `number` in `count` bytes, the lowest first.
inline std::string little(std::uint64_t number, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i, number >>= 8) bytes += static_cast<char>(number & 0xff);
  return bytes;
}

// The parts of a ZIP file of stored records without checksums.
inline std::string zip_local_header(std::string_view name, std::size_t size) {
  return std::string("PK\x03\x04") + little(0, 14) + little(size, 4) + little(size, 4) + little(name.size(), 2) +
         little(0, 2) + std::string(name);
}
inline std::string zip_directory_entry(std::string_view name, std::size_t size, std::size_t local_header) {
  return std::string("PK\x01\x02") + little(0, 16) + little(size, 4) + little(size, 4) + little(name.size(), 2) +
         little(0, 12) + little(local_header, 4) + std::string(name);
}
inline std::string zip_end_record(std::size_t records, std::size_t directory_size, std::size_t directory_offset) {
  return std::string("PK\x05\x06") + little(0, 4) + little(records, 2) + little(records, 2) +
         little(directory_size, 4) + little(directory_offset, 4) + little(0, 2);
}

/// A ZIP file of these records: name and bytes.
inline std::string zip_file(const std::vector<std::pair<std::string, std::string>>& records) {
  std::string file, directory;
  for (const auto& [name, bytes] : records) {
    directory += zip_directory_entry(name, bytes.size(), file.size());
    file += zip_local_header(name, bytes.size()) + bytes;
  }
  return file + directory + zip_end_record(records.size(), directory.size(), file.size());
}

/// What torch.save before version 1.6 writes before the object: magic number, protocol, system, as three pickles.
inline std::string legacy_head() {
  using namespace std::string_literals;
  return "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."s + "\x80\x02M\xe9\x03."s +
         "\x80\x02}U\x0dlittle_endian\x88s."s;
}

inline std::string safetensors_file(std::string_view header, std::string_view data) {
  return little(header.size(), 8) + std::string(header) + std::string(data);
}

// Parts of a pickle.
inline std::string pickled(std::string_view text) {
  return "X" + little(text.size(), 4) + std::string(text);
}
/// The persistent id of a storage of floats.
inline std::string pickled_storage(std::string_view key, std::uint32_t elements) {
  return "(" + pickled("storage") + "ctorch\nFloatStorage\n" + pickled(key) + pickled("cpu") + "J" +
         little(elements, 4) + "tQ";
}
/// A tensor; sizes and strides are pickles of tuples.
inline std::string pickled_tensor(std::string_view storage, std::string_view sizes, std::string_view strides) {
  return "ctorch._utils\n_rebuild_tensor\n(" + std::string(storage) + std::string("K\0", 2) + std::string(sizes) +
         std::string(strides) + "tR";
}

}  // namespace tests
