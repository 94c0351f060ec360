// Fuzzes the pickle machine and what makes tensors of its result, without a container around them.
#include <cstring>
#include <memory>

#include "plume/weights_formats.hpp"
#include "tests/fuzz/invariants.hpp"

namespace {

constexpr std::size_t kStorageRoom = 4'096;     // bytes that a file would have behind the pickle
constexpr std::size_t kMostPromised = 1 << 20;  // beyond that, the storages are not made up

/// A storage of exactly the promised size, so that a sanitizer sees its end; its bytes differ from place to place.
struct MadeUpStorages {
  std::vector<std::unique_ptr<char[]>> owned;
  std::vector<std::string_view> views;

  explicit MadeUpStorages(const std::vector<plume::StorageInfo>& infos) {
    for (const plume::StorageInfo& info : infos) {
      const std::size_t size = static_cast<std::size_t>(info.count) * size_of(info.dtype);
      owned.push_back(std::make_unique<char[]>(size));
      for (std::size_t i = 0; i < size; ++i) owned.back()[i] = static_cast<char>((i ^ i >> 8) * 31 + owned.size());
      views.emplace_back(owned.back().get(), size);
    }
  }
};

std::size_t promised_bytes(const plume::Pickle& pickle) {
  std::size_t sum = 0;
  for (const plume::StorageInfo& info : pickle.storages)
    sum += static_cast<std::size_t>(info.count) * size_of(info.dtype);
  return sum;
}

/// One element after the other by plain index arithmetic, to compare with.
std::string gathered(const plume::TensorView& view, std::size_t size, std::string_view storage) {
  std::string out;
  const std::int64_t elements = plume::element_count(view.sizes).value();
  for (std::int64_t i = 0; i < elements; ++i) {
    std::int64_t rest = i, at = view.offset;
    for (std::size_t d = view.sizes.size(); d-- > 0; rest /= view.sizes[d])
      at += rest % view.sizes[d] * view.strides[d];
    out += storage.substr(static_cast<std::size_t>(at) * size, size);
  }
  return out;
}

void check_elements(const plume::Pickle& pickle, const MadeUpStorages& storages,
                    const std::vector<plume::WeightTensor>& tensors) {
  constexpr std::size_t kMostCompared = 4'096;
  std::size_t i = 0;
  for (const auto& [key, value] : pickle.get<plume::PickleDict>(pickle.root)->items) {
    const plume::TensorView& view = pickle.tensors[pickle.get<plume::PickleTensor>(value)->index];
    const plume::WeightTensor& tensor = tensors.at(i++);
    if (tensor.bytes.size() > kMostCompared) continue;
    if (tensor.bytes != gathered(view, size_of(tensor.dtype), storages.views[view.storage]))
      fuzz::finding("a tensor has not the elements that its strides say: " + tensor.name);
  }
}

std::vector<plume::WeightTensor> read_pickle(std::string_view bytes, const std::string& origin) {
  const std::size_t file_size = bytes.size() + kStorageRoom;
  plume::ByteReader reader(bytes, origin);
  const plume::Pickle pickle = plume::run_pickle(reader, file_size);
  if (promised_bytes(pickle) > kMostPromised) return {};
  const MadeUpStorages storages(pickle.storages);
  auto tensors = plume::tensors_of(pickle, storages.views, file_size, origin);
  check_elements(pickle, storages, tensors);
  return tensors;
}

/// The machine alone, which needs no room for tensors: nothing may grow out of proportion to the pickle.
std::vector<plume::WeightTensor> run_only(std::string_view bytes, const std::string& origin) {
  plume::ByteReader reader(bytes, origin);
  plume::run_pickle(reader, bytes.size() + kStorageRoom);
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz::check_reader(run_only, bytes, (std::size_t{256} << 10) + 256 * size);
  fuzz::check_reader(read_pickle, bytes, fuzz::most_live_bytes(size) + kMostPromised);
  return 0;
}
