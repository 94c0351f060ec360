// A restricted pickle machine: the part of protocol 2 that PyTorch state dicts use. It builds values in an arena and
// can call nothing: the few allow-listed names only say how to read a tensor. It opens no file and knows no container
// format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plume/weights_layout.hpp"
#include "plume/weights_reader.hpp"

namespace plume {

/// Values live in Pickle::values and name one another by index: a hostile file may nest or loop as it likes, no
/// recursion follows it.
using ValueId = std::uint32_t;

struct PickleNone {};
struct PickleLong {};            ///< an integer beyond 64 bits; its value is never needed
struct PickleMark {};            ///< only on the stack
struct PickleBlankParameter {};  ///< an old Parameter before its BUILD
struct PickleTuple {
  std::vector<ValueId> items;
};
struct PickleList {
  std::vector<ValueId> items;
};
struct PickleDict {
  std::vector<std::pair<ValueId, ValueId>> items;
};
struct PickleStorage {
  std::size_t index = 0;  ///< into Pickle::storages
};
struct PickleTensor {
  std::size_t index = 0;  ///< into Pickle::tensors
};
enum class PickleName { ordered_dict, rebuild_tensor, rebuild_tensor_v2, rebuild_parameter, parameter, storage };
struct PickleGlobal {
  PickleName name = PickleName::ordered_dict;
  Dtype dtype = Dtype::float32;  ///< of PickleName::storage
};
using PickleValue =
    std::variant<PickleNone, bool, std::int64_t, double, std::string_view, PickleLong, PickleMark, PickleTuple,
                 PickleList, PickleDict, PickleGlobal, PickleStorage, PickleTensor, PickleBlankParameter>;

/// What one pickle says. Texts are views into the file's bytes. Every tensor lies inside the element count of its
/// storage.
struct Pickle {
  std::vector<PickleValue> values;
  ValueId root = 0;
  std::vector<StorageInfo> storages;
  std::vector<TensorView> tensors;

  template <typename T>
  const T* get(ValueId id) const {
    return std::get_if<T>(&values[id]);
  }
};

/// Runs one pickle from the reader's position to its STOP. Throws storage::Error for every opcode and name that is not
/// listed, for wrong types on the stack, a storage larger than the whole file, and beyond the limits below. Time and
/// memory are in proportion to the pickle's bytes, and memory stays below some 200 MB.
Pickle run_pickle(ByteReader& reader, std::size_t file_size);

inline constexpr std::size_t kMostPickleSteps = 4'000'000;
inline constexpr std::size_t kMostPickleValues = 1'000'000;
inline constexpr std::size_t kMostPickleTensors = 65'536;
inline constexpr std::size_t kMostPickleText = 65'536;
inline constexpr std::size_t kMostPickleKey = 256;
inline constexpr int kMostPickleDepth = 64;

}  // namespace plume
