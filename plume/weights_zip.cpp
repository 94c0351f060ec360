// The format of torch.save since version 1.6: a ZIP file with one pickle and a record for each storage.
#include <fmt/format.h>

#include "plume/weights_formats.hpp"
#include "plume/weights_zip_archive.hpp"

namespace plume {

std::vector<WeightTensor> read_zip(std::string_view bytes, const std::string& origin) {
  const ZipArchive archive(bytes, origin);
  const std::string folder = archive.folder();
  const std::string order = folder + "/byteorder";  // absent before torch 2.1
  if (archive.has(order) && archive.record(order) != "little")
    refuse(origin, "written on a big-endian machine; save it again on a little-endian one");

  // What follows STOP is never looked at. The reader goes over the file, so that a message's position is the file's.
  const std::string_view record = archive.record(folder + "/data.pkl");
  const auto begin = static_cast<std::size_t>(record.data() - bytes.data());
  ByteReader reader(bytes.substr(0, begin + record.size()), origin, begin);
  const Pickle pickle = run_pickle(reader, bytes.size());
  std::vector<std::string_view> storage_bytes;
  for (const StorageInfo& storage : pickle.storages) {
    const std::string_view data = archive.record(fmt::format("{}/data/{}", folder, storage.key));
    if (data.size() != static_cast<std::size_t>(storage.count) * size_of(storage.dtype)) {
      refuse(origin, fmt::format("damaged: storage {} has {} bytes, its tensors were promised {} elements of {}",
                                 shown(storage.key), data.size(), storage.count, name_of(storage.dtype)));
    }
    storage_bytes.push_back(data);
  }
  return tensors_of(pickle, storage_bytes, bytes.size(), origin);
}

}  // namespace plume
