// The pickles of PyTorch state dicts, by the restricted pickle machine: the few allow-listed names only say how to read
// a tensor. Opens no file and knows no container format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plume/weights_layout.hpp"
#include "plume/weights_reader.hpp"
#include "storage/pickle.hpp"

namespace plume {

using storage::PickleDict;
using storage::PickleList;
using storage::ValueId;

/// A tensor among a pickle's values.
struct PickleTensor {
  static constexpr std::uint32_t kKind = 0;
  std::size_t index = 0;  ///< into Pickle::tensors
};

/// What one pickle says. Texts are views into the file's bytes. Every tensor lies inside the element count of its
/// storage.
struct Pickle : storage::Pickle {
  std::vector<StorageInfo> storages;
  std::vector<TensorView> tensors;
};

/// Runs one pickle from the reader's position to its STOP. Throws storage::Error for every opcode and name that is not
/// listed, for wrong types on the stack, a storage larger than the whole file, and beyond the limits below. Time and
/// memory are in proportion to the pickle's bytes, and memory stays below some 200 MB.
Pickle run_pickle(ByteReader& reader, std::size_t file_size);

inline constexpr std::size_t kMostPickleTensors = 65'536;
inline constexpr std::size_t kMostPickleKey = 256;

}  // namespace plume
