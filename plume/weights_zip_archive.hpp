// The ZIP container as torch.save writes it: stored records, checked against both headers and their CRC-32. Knows no
// pickles; extracts nothing to disk and takes names as names, never as paths.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "plume/weights_reader.hpp"

namespace plume {

class ZipArchive {
 public:
  /// Reads the central directory and every record's header. Throws storage::Error for anything inconsistent,
  /// compressed, encrypted, named twice or overlapping.
  ZipArchive(std::string_view bytes, const std::string& origin);

  /// The folder of the one `<folder>/data.pkl`.
  std::string folder() const;
  bool has(std::string_view name) const { return entries_.contains(name); }
  /// A record's bytes, its CRC-32 checked. Throws storage::Error naming a missing or damaged record.
  std::string_view record(std::string_view name) const;

 private:
  struct Entry {
    std::uint16_t flags = 0;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;
    std::uint64_t local_header = 0;
    std::string_view data;
  };
  struct Directory {
    std::uint64_t count = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
  };
  Directory find_directory() const;
  Directory find_large_directory(std::size_t end_record) const;
  void read_entry(ByteReader& reader);
  ByteReader part_of(ByteReader& reader, std::size_t size) const;
  void read_large_sizes(ByteReader extra, Entry& entry, std::uint64_t& stored_size) const;
  void find_data(std::string_view name, Entry& entry) const;
  void refuse_overlaps() const;

  std::string_view bytes_;
  const std::string& origin_;
  std::uint64_t directory_offset_ = 0;
  std::map<std::string_view, Entry> entries_;
  bool has_checksums_ = false;  ///< false: every CRC field is 0, a choice that torch.save offers
};

/// CRC-32 (IEEE 802.3, zlib's): crc32_ieee("123456789") == 0xCBF43926.
std::uint32_t crc32_ieee(std::string_view bytes);

}  // namespace plume
