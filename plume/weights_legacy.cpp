// The format of torch.save before version 1.6: five pickles (magic number, protocol, system, object, storage keys),
// then for each key its element count and bytes.
#include <fmt/format.h>

#include <map>

#include "plume/weights_formats.hpp"

namespace plume {

namespace {

// PROTO 2, LONG1 of ten bytes 0x1950a86a20f9469cfc6c, STOP.
constexpr std::string_view kMagicPickle{"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15};
constexpr std::int64_t kProtocolVersion = 1001;

void check_protocol(ByteReader& reader) {
  const Pickle pickle = run_pickle(reader, reader.size());
  const auto* version = pickle.get<std::int64_t>(pickle.root);
  if (version == nullptr || *version != kProtocolVersion)
    reader.fail("torch.save protocol version is not 1001: an unknown or damaged file");
}

void check_system(ByteReader& reader) {
  const Pickle pickle = run_pickle(reader, reader.size());
  const auto* dict = pickle.get<PickleDict>(pickle.root);
  if (dict == nullptr) reader.fail("damaged: its description of the writing machine is not a dictionary");
  for (const auto& [key, value] : dict->items) {
    const auto* name = pickle.get<std::string_view>(key);
    if (name == nullptr || *name != "little_endian") continue;
    const auto* little = pickle.get<bool>(value);
    if (little == nullptr || !*little)
      reader.fail("written on a big-endian machine; save it again on a little-endian one");
  }
}

/// The order in which the storages follow, as indices of pickle.storages: each exactly once.
std::vector<std::size_t> read_order(ByteReader& reader, const Pickle& object) {
  std::map<std::string_view, std::size_t> index_of;
  for (std::size_t i = 0; i < object.storages.size(); ++i) index_of[object.storages[i].key] = i;
  const Pickle keys = run_pickle(reader, reader.size());
  const auto* list = keys.get<PickleList>(keys.root);
  if (list == nullptr) reader.fail("damaged: its storage keys are not a list");
  std::vector<std::size_t> order;
  for (const ValueId item : list->items) {
    const auto* key = keys.get<std::string_view>(item);
    if (key == nullptr) reader.fail("damaged: a storage key is not a text");
    const auto found = index_of.find(*key);
    if (found == index_of.end())
      reader.fail(fmt::format("damaged: storage {} is listed twice or belongs to no tensor", shown(*key)));
    order.push_back(found->second);
    index_of.erase(found);
  }
  if (!index_of.empty())
    reader.fail(fmt::format("damaged: storage {} is not in the file", shown(index_of.begin()->first)));
  return order;
}

std::string_view read_storage(ByteReader& reader, const StorageInfo& storage) {
  const std::int64_t count = reader.i64("a storage's element count");
  if (count != storage.count) {
    reader.fail(fmt::format("damaged: storage {} has {} elements, its tensors were promised {}", shown(storage.key),
                            count, storage.count));
  }
  return reader.take(static_cast<std::uint64_t>(count) * size_of(storage.dtype), "a storage");
}

}  // namespace

bool is_legacy(std::string_view bytes) {
  return bytes.substr(0, kMagicPickle.size()) == kMagicPickle;
}

std::vector<WeightTensor> read_legacy(std::string_view bytes, const std::string& origin) {
  ByteReader reader(bytes, origin, kMagicPickle.size());
  check_protocol(reader);
  check_system(reader);
  const Pickle object = run_pickle(reader, reader.size());
  std::vector<std::string_view> storage_bytes(object.storages.size());
  for (const std::size_t index : read_order(reader, object))
    storage_bytes[index] = read_storage(reader, object.storages[index]);
  if (reader.remaining() != 0)
    reader.fail(fmt::format("damaged: {} bytes follow the last storage", reader.remaining()));
  return tensors_of(object, storage_bytes, bytes.size(), origin);
}

}  // namespace plume
