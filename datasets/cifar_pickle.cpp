// The Python layout of a CIFAR batch: a pickled dictionary.
#include <fmt/format.h>

#include <functional>

#include "datasets/cifar_batch.hpp"
#include "storage/atomic_file.hpp"
#include "storage/byte_reader.hpp"
#include "storage/error.hpp"
#include "storage/numpy_pickle.hpp"

namespace datasets {

namespace {

namespace fs = std::filesystem;
using storage::refuse;
using storage::ValueId;

/// The value of a key that must be there once.
ValueId value_of(const storage::NumpyPickle& pickle, std::string_view key, const std::string& origin) {
  const auto* dict = pickle.get<storage::PickleDict>(pickle.root);
  if (dict == nullptr) refuse(origin, "not a dictionary");
  const ValueId* found = nullptr;
  for (const auto& [name, value] : dict->items) {
    const auto* text = pickle.get<std::string_view>(name);
    if (text == nullptr || *text != key) continue;
    if (found != nullptr) refuse(origin, fmt::format("has the key \"{}\" twice", key));
    found = &value;
  }
  if (found == nullptr) refuse(origin, fmt::format("has no key \"{}\"", key));
  return *found;
}

/// [records, row_bytes], as one text.
std::string_view rows_of(const storage::NumpyPickle& pickle, const CifarFormat& format, std::size_t records,
                         const std::string& origin) {
  const auto array = pickle.get<storage::PickleArray>(value_of(pickle, "data", origin));
  if (!array) refuse(origin, "\"data\" is not a numpy array");
  const storage::NumpyBytes& data = pickle.arrays[array->index];
  const std::vector<std::int64_t> expected = {static_cast<std::int64_t>(records),
                                              static_cast<std::int64_t>(format.row_bytes)};
  if (data.shape == expected) return data.bytes;
  std::string shape;
  for (const std::int64_t side : data.shape) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", side);
  refuse(origin, fmt::format("\"data\" has shape [{}], expected [{}, {}]", shape, records, format.row_bytes));
}

const std::vector<ValueId>& list_of(const storage::NumpyPickle& pickle, std::string_view key, std::size_t records,
                                    const std::string& origin) {
  const auto* list = pickle.get<storage::PickleList>(value_of(pickle, key, origin));
  if (list == nullptr) refuse(origin, fmt::format("\"{}\" is not a list", key));
  if (list->items.size() != records)
    refuse(origin, fmt::format("\"{}\" has {} items, expected {}", key, list->items.size(), records));
  return list->items;
}

bool lies_in(std::string_view part, std::string_view whole) {
  const std::less_equal<> before;
  return before(whole.data(), part.data()) && before(part.data() + part.size(), whole.data() + whole.size());
}

}  // namespace

CifarBatch parse_python_batch(std::string bytes, const std::string& origin, const CifarFormat& format,
                              std::size_t records) {
  const storage::NumpyPickle pickle = storage::read_numpy_pickle(bytes, origin);
  CifarBatch batch;
  batch.stride = format.row_bytes;
  const std::string_view rows = rows_of(pickle, format, records, origin);
  std::vector<const std::vector<ValueId>*> lists;
  for (const CifarLabel& label : format.labels) lists.push_back(&list_of(pickle, label.key, records, origin));
  std::vector<std::int64_t> labels(lists.size());
  for (std::size_t record = 0; record < records; ++record) {
    for (std::size_t k = 0; k < lists.size(); ++k) {
      const auto* number = pickle.get<std::int64_t>((*lists[k])[record]);
      if (number == nullptr)
        refuse(origin, fmt::format("record {} has a {} that is no integer", record, format.labels[k].name));
      labels[k] = *number;
    }
    batch.classes.push_back(checked_class(labels, format, record, origin));
  }
  if (lies_in(rows, bytes)) {
    batch.first = static_cast<std::size_t>(rows.data() - bytes.data());
    batch.bytes = std::move(bytes);
  } else {
    batch.bytes = rows;  // Python 3 wrote them as text
  }
  return batch;
}

CifarBatch read_python_batch(const fs::path& file, const CifarFormat& format, std::size_t records) {
  // Python 3 writes a byte from 128 as two in protocol 2. Labels and file names take some 40 bytes a record.
  const std::size_t most = records * (2 * format.row_bytes + 1'024) + 65'536;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) storage::fail_with_errno(file, "cannot open", error.value());
  const std::size_t least = records * format.row_bytes;
  if (size < least || size > most) {
    throw storage::UsageError(
        fmt::format("{}: has {} bytes, expected {} to {} of a file of {}'s Python version: download it again",
                    file.string(), size, least, most, format.name));
  }
  std::string bytes = storage::read_regular_file(file, most);
  try {
    return parse_python_batch(std::move(bytes), file.string(), format, records);
  } catch (const storage::Error& fault) {
    throw storage::UsageError(
        fmt::format("{}: expected a file of {}'s Python version: download it again", fault.what(), format.name));
  }
}

}  // namespace datasets
