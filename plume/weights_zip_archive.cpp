// The ZIP container: end record, central directory, local headers, CRC-32.
#include "plume/weights_zip_archive.hpp"

#include <fmt/format.h>

#include <array>

namespace plume {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEndRecord = 0x06054b50;
constexpr std::uint32_t kLargeEndRecord = 0x06064b50, kLargeEndLocator = 0x07064b50;
constexpr std::size_t kEndRecordSize = 22, kLargeEndLocatorSize = 20, kCentralHeaderSize = 46;
constexpr std::uint16_t kEncrypted = 1, kSizesFollow = 8, kUtf8Name = 0x800;
constexpr std::uint32_t kSee64 = 0xffffffff;
constexpr std::uint64_t kMostEntries = 100'000;
constexpr const char* kDirectory = "the ZIP directory";

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0u);
    table[i] = value;
  }
  return table;
}

}  // namespace

std::uint32_t crc32_ieee(std::string_view bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xff];
  return ~crc;
}

ZipArchive::ZipArchive(std::string_view bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {
  const Directory directory = find_directory();
  directory_offset_ = directory.offset;
  if (directory.offset > bytes.size() || directory.size > bytes.size() - directory.offset)
    refuse(origin, fmt::format("damaged: its ZIP directory, {} bytes at byte {}, lies behind the end", directory.size,
                               directory.offset));
  if (directory.count > kMostEntries || directory.count * kCentralHeaderSize > directory.size) {
    refuse(origin, fmt::format("damaged: its ZIP directory cannot hold {} records", directory.count));
  }
  ByteReader reader(bytes.substr(0, directory.offset + directory.size), origin, directory.offset);
  for (std::uint64_t i = 0; i < directory.count; ++i) read_entry(reader);
  if (reader.remaining() != 0) reader.fail("damaged: its ZIP directory is longer than its records");
  for (auto& [name, entry] : entries_) find_data(name, entry);
  refuse_overlaps();
}

ZipArchive::Directory ZipArchive::find_directory() const {
  if (bytes_.size() < kEndRecordSize) refuse(origin_, fmt::format("truncated: a ZIP file of {} bytes", bytes_.size()));
  const std::size_t at = bytes_.size() - kEndRecordSize;  // torch.save writes no comment behind it
  ByteReader reader(bytes_, origin_, at);
  if (reader.u32(kDirectory) != kEndRecord)
    refuse(origin_, fmt::format("truncated: a ZIP file of {} bytes without its end record (copy or download it again)",
                                bytes_.size()));
  const std::uint32_t disks = reader.u32(kDirectory);
  const std::uint16_t here = reader.u16(kDirectory);
  Directory directory;
  directory.count = reader.u16(kDirectory);
  directory.size = reader.u32(kDirectory);
  directory.offset = reader.u32(kDirectory);
  if (directory.count == 0xffff || directory.size == kSee64 || directory.offset == kSee64)
    return find_large_directory(at);
  if (disks != 0 || here != directory.count) refuse(origin_, "a ZIP file in several parts");
  return directory;
}

ZipArchive::Directory ZipArchive::find_large_directory(std::size_t end_record) const {
  if (end_record < kLargeEndLocatorSize) refuse(origin_, "damaged: its ZIP64 end record is missing");
  ByteReader locator(bytes_, origin_, end_record - kLargeEndLocatorSize);
  if (locator.u32(kDirectory) != kLargeEndLocator) locator.fail("damaged: its ZIP64 end record is missing");
  locator.u32(kDirectory);
  const std::uint64_t at = locator.u64(kDirectory);
  if (at > bytes_.size())
    refuse(origin_, fmt::format("damaged: its ZIP64 end record lies behind the end, at byte {}", at));
  ByteReader reader(bytes_, origin_, at);
  if (reader.u32(kDirectory) != kLargeEndRecord) reader.fail("damaged: its ZIP64 end record is missing");
  reader.take(8 + 2 + 2 + 4 + 4 + 8, kDirectory);  // its own size, versions, disks, records on this disk
  Directory directory;
  directory.count = reader.u64(kDirectory);
  directory.size = reader.u64(kDirectory);
  directory.offset = reader.u64(kDirectory);
  return directory;
}

/// A reader of the next `size` bytes, which are passed over.
ByteReader ZipArchive::part_of(ByteReader& reader, std::size_t size) const {
  const std::size_t begin = reader.position();
  reader.take(size, kDirectory);
  return {bytes_.substr(0, begin + size), origin_, begin};
}

void ZipArchive::read_entry(ByteReader& reader) {
  if (reader.u32(kDirectory) != kCentralHeader) reader.fail("damaged: its ZIP directory has a broken record");
  reader.take(4, kDirectory);  // versions
  Entry entry;
  entry.flags = reader.u16(kDirectory);
  const std::uint16_t method = reader.u16(kDirectory);
  reader.take(4, kDirectory);  // time
  entry.crc = reader.u32(kDirectory);
  std::uint64_t stored_size = reader.u32(kDirectory);
  entry.size = reader.u32(kDirectory);
  const std::uint16_t name_size = reader.u16(kDirectory), extra_size = reader.u16(kDirectory),
                      comment_size = reader.u16(kDirectory);
  reader.take(8, kDirectory);  // disk, attributes
  entry.local_header = reader.u32(kDirectory);
  const std::string_view name = reader.take(name_size, kDirectory);
  read_large_sizes(part_of(reader, extra_size), entry, stored_size);
  reader.take(comment_size, kDirectory);
  if (entry.flags & kEncrypted) refuse(origin_, fmt::format("ZIP record {} is encrypted", shown(name)));
  if (entry.flags & ~(kSizesFollow | kUtf8Name))
    refuse(origin_, fmt::format("ZIP record {} has flags that torch.save never sets", shown(name)));
  if (method != 0)
    refuse(origin_, fmt::format("ZIP record {} is compressed; torch.save never does that, unpack it and save it again",
                                shown(name)));
  if (stored_size != entry.size) refuse(origin_, fmt::format("damaged: ZIP record {} has two sizes", shown(name)));
  if (!entries_.emplace(name, entry).second)
    refuse(origin_, fmt::format("damaged: ZIP record {} is there twice", shown(name)));
  has_checksums_ = has_checksums_ || entry.crc != 0;
}

/// The ZIP64 extra field (kind 1) holds, in this order, those of the three numbers that did not fit 32 bits.
void ZipArchive::read_large_sizes(ByteReader reader, Entry& entry, std::uint64_t& stored_size) const {
  if (entry.size != kSee64 && stored_size != kSee64 && entry.local_header != kSee64) return;
  while (reader.remaining() > 0) {
    const std::uint16_t kind = reader.u16(kDirectory);
    ByteReader field = part_of(reader, reader.u16(kDirectory));
    if (kind != 1) continue;
    for (std::uint64_t* number : {&entry.size, &stored_size, &entry.local_header}) {
      if (*number == kSee64) *number = field.u64(kDirectory);
    }
    return;
  }
}

std::string ZipArchive::folder() const {
  constexpr std::string_view kPickle = "/data.pkl";
  std::string folder;
  for (const auto& [name, entry] : entries_) {
    if (!name.ends_with(kPickle)) continue;
    const std::string_view prefix = name.substr(0, name.size() - kPickle.size());
    if (prefix.empty() || prefix.find('/') != std::string_view::npos) continue;
    if (!folder.empty()) refuse(origin_, "a ZIP file with two data.pkl; expected one PyTorch state dict");
    folder = prefix;
  }
  if (folder.empty())
    refuse(origin_,
           "a ZIP file without data.pkl, so no PyTorch state dict; expected a file of torch.save(model.state_dict(), "
           "FILE)");
  return folder;
}

void ZipArchive::find_data(std::string_view name, Entry& entry) const {
  if (entry.local_header > directory_offset_)
    refuse(origin_, fmt::format("damaged: ZIP record {} lies behind the directory", shown(name)));
  ByteReader reader(bytes_.substr(0, directory_offset_), origin_, entry.local_header);
  const std::string what = fmt::format("ZIP record {}", shown(name));
  const char* part = what.c_str();
  const bool signature = reader.u32(part) == kLocalHeader;
  reader.take(2, part);
  const bool flags = reader.u16(part) == entry.flags;
  const bool method = reader.u16(part) == 0;
  reader.take(4, part);
  const bool follow = entry.flags & kSizesFollow;
  const bool crc = reader.u32(part) == entry.crc || follow;
  const std::uint32_t stored_size = reader.u32(part), size = reader.u32(part);
  const bool sizes = follow || stored_size == kSee64 || (stored_size == entry.size && size == entry.size);
  const std::uint16_t name_size = reader.u16(part), extra_size = reader.u16(part);
  const bool same_name = reader.take(name_size, part) == name;
  if (!(signature && flags && method && crc && sizes && same_name))
    refuse(origin_, fmt::format("damaged: ZIP record {} disagrees with the directory", shown(name)));
  reader.take(extra_size, part);
  entry.data = reader.take(entry.size, part);
}

/// Records that lie in one another would make a small file much work: each byte is checked once for each of them.
void ZipArchive::refuse_overlaps() const {
  std::map<std::uint64_t, std::string_view> begins;  // of the headers: all differ, since each holds its record's name
  for (const auto& [name, entry] : entries_) begins.emplace(entry.local_header, name);
  for (const auto& [name, entry] : entries_) {
    const auto next = begins.upper_bound(entry.local_header);
    const auto end = static_cast<std::uint64_t>(entry.data.data() - bytes_.data()) + entry.size;
    if (next != begins.end() && end > next->first)
      refuse(origin_, fmt::format("damaged: ZIP record {} overlaps {}", shown(name), shown(next->second)));
  }
}

std::string_view ZipArchive::record(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) refuse(origin_, fmt::format("damaged: ZIP record {} is missing", shown(name)));
  const Entry& entry = found->second;
  if (has_checksums_ && crc32_ieee(entry.data) != entry.crc)
    refuse(origin_,
           fmt::format("damaged: ZIP record {} does not have its CRC-32 (copy or download it again)", shown(name)));
  return entry.data;
}

}  // namespace plume
