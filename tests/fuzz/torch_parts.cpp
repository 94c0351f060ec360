// Taking torch.save files apart. ZIP files by a walk of its own over the directory; pickles by the machine under test,
// which alone knows where they end.
#include "tests/fuzz/torch_parts.hpp"

#include <algorithm>
#include <map>

#include "plume/weights_formats.hpp"
#include "plume/weights_zip_archive.hpp"
#include "storage/error.hpp"
#include "tests/weight_file_bytes.hpp"

namespace fuzz {

namespace {

const std::string kOrigin = "an input";
constexpr std::size_t kMostStorageBytes = 2'048;  // of all together, when promises are kept

std::size_t number_at(std::string_view bytes, std::size_t at, int count) {
  std::size_t number = 0;
  for (int i = count - 1; i >= 0; --i)
    number = number << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return number;
}

struct ZipRecord {
  std::size_t entry = 0;  // in the directory
  std::size_t local_header = 0;
  std::string_view name;
  std::string_view bytes;
};

/// The records that can be found. Knows no ZIP64.
std::vector<ZipRecord> records_of(std::string_view zip) {
  std::vector<ZipRecord> records;
  if (zip.size() < 22) return records;
  std::size_t at = number_at(zip, zip.size() - 6, 4);
  while (at + 46 <= zip.size() && zip.substr(at, 4) == "PK\x01\x02") {
    const std::size_t size = number_at(zip, at + 24, 4), name_size = number_at(zip, at + 28, 2);
    const std::size_t local = number_at(zip, at + 42, 4);
    if (local + 30 > zip.size() || zip.substr(local, 4) != "PK\x03\x04" || at + 46 + name_size > zip.size()) break;
    const std::size_t data = local + 30 + number_at(zip, local + 26, 2) + number_at(zip, local + 28, 2);
    if (data > zip.size() || size > zip.size() - data) break;
    records.push_back({at, local, zip.substr(at + 46, name_size), zip.substr(data, size)});
    at += 46 + name_size + number_at(zip, at + 30, 2) + number_at(zip, at + 32, 2);
  }
  return records;
}

std::optional<plume::Pickle> run(std::string_view pickle) {
  try {
    plume::ByteReader reader(pickle, kOrigin);
    return plume::run_pickle(reader, kMostStorageBytes);
  } catch (const storage::Error&) {
    return std::nullopt;
  }
}

std::size_t bytes_of(const plume::StorageInfo& storage) {
  return static_cast<std::size_t>(storage.count) * size_of(storage.dtype);
}

}  // namespace

std::optional<TorchParts> parts_of_zip(std::string_view bytes) {
  TorchParts parts;
  bool found = false;
  const auto records = records_of(bytes);
  for (const ZipRecord& record : records) {
    const std::size_t slash = record.name.find('/');
    const std::string_view rest = record.name.substr(slash == std::string_view::npos ? 0 : slash + 1);
    if (rest == "data.pkl" && !found) {
      parts.folder = record.name.substr(0, slash);
      parts.pickle = record.bytes;
      found = true;
    } else if (rest.starts_with("data/")) {
      parts.storages.emplace_back(rest.substr(5), record.bytes);
    } else {
      parts.others.emplace_back(record.name, record.bytes);
    }
  }
  return found ? std::optional(parts) : std::nullopt;
}

std::string zip_of(const TorchParts& parts) {
  std::vector<std::pair<std::string, std::string>> records = {{parts.folder + "/data.pkl", parts.pickle}};
  for (const auto& [key, bytes] : parts.storages) records.emplace_back(parts.folder + "/data/" + key, bytes);
  records.insert(records.end(), parts.others.begin(), parts.others.end());
  return tests::zip_file(records);
}

void set_checksums(std::string& zip, bool right) {
  for (const ZipRecord& record : records_of(zip)) {
    const std::string crc = tests::little(right ? plume::crc32_ieee(record.bytes) : 0, 4);
    std::copy(crc.begin(), crc.end(), zip.begin() + static_cast<std::ptrdiff_t>(record.entry + 16));
    std::copy(crc.begin(), crc.end(), zip.begin() + static_cast<std::ptrdiff_t>(record.local_header + 14));
  }
}

std::optional<TorchParts> parts_of_legacy(std::string_view bytes) {
  if (!plume::is_legacy(bytes)) return std::nullopt;
  try {
    plume::ByteReader reader(bytes, kOrigin, 15);                          // behind the magic number
    for (int i = 0; i < 2; ++i) plume::run_pickle(reader, bytes.size());  // protocol, system
    const std::size_t begin = reader.position();
    const plume::Pickle object = plume::run_pickle(reader, bytes.size());
    TorchParts parts;
    parts.pickle = bytes.substr(begin, reader.position() - begin);
    for (const plume::StorageInfo& storage : object.storages) parts.storages.emplace_back(storage.key, "");
    return parts;
  } catch (const storage::Error&) {
    return std::nullopt;
  }
}

std::string legacy_of(const TorchParts& parts) {
  std::map<std::string_view, std::int64_t> counts;
  const auto pickle = run(parts.pickle);
  if (pickle) {
    for (const plume::StorageInfo& storage : pickle->storages) counts[storage.key] = storage.count;
  }
  std::string file = tests::legacy_head() + parts.pickle + "\x80\x02](";
  for (const auto& [key, bytes] : parts.storages) file += tests::pickled(key);
  file += "e.";
  for (const auto& [key, bytes] : parts.storages) {
    const auto count = counts.find(key);
    file += tests::little(count == counts.end() ? bytes.size() : static_cast<std::uint64_t>(count->second), 8) + bytes;
  }
  return file;
}

void keep_promises(TorchParts& parts) {
  const auto pickle = run(parts.pickle);
  if (!pickle) return;
  std::size_t sum = 0;
  for (const plume::StorageInfo& storage : pickle->storages) sum += bytes_of(storage);
  if (sum > kMostStorageBytes) return;
  const auto old = std::move(parts.storages);
  parts.storages.clear();
  for (const plume::StorageInfo& storage : pickle->storages) {
    const auto known = std::find_if(old.begin(), old.end(), [&](const auto& one) { return one.first == storage.key; });
    std::string bytes = known == old.end() ? std::string() : known->second;
    bytes.resize(bytes_of(storage), '\x3f');
    parts.storages.emplace_back(storage.key, std::move(bytes));
  }
}

}  // namespace fuzz
