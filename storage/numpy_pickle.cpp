// The names in pickles of numpy arrays: the only globals that such a file may mention, and how they describe bytes.
// Nothing is looked up or called.
#include "storage/numpy_pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "storage/pickle_machine.hpp"

namespace storage {

namespace {

enum class NumpyName { reconstruct, array, dtype, encode };
struct KnownName {
  std::string_view module;
  std::string_view name;
  NumpyName meaning;
};
constexpr std::array kKnownNames = {
    KnownName{"numpy.core.multiarray", "_reconstruct", NumpyName::reconstruct},
    KnownName{"numpy._core.multiarray", "_reconstruct", NumpyName::reconstruct},  // numpy 2
    KnownName{"numpy", "ndarray", NumpyName::array},
    KnownName{"numpy", "dtype", NumpyName::dtype},
    KnownName{"_codecs", "encode", NumpyName::encode},  // bytes, where Python 3 writes protocol 2
};

// The objects among the values, besides PickleArray.
struct PickleGlobal {
  static constexpr std::uint32_t kKind = 1;
  std::size_t index = 0;  ///< into kKnownNames
};
struct PickleBytesType {  ///< the dtype uint8
  static constexpr std::uint32_t kKind = 2;
  std::size_t index = 0;
};
struct PickleBlankArray {  ///< an array before its BUILD
  static constexpr std::uint32_t kKind = 3;
  std::size_t index = 0;
};

constexpr PickleRules kRules{
    .highest_protocol = 4,
    .most_text = std::size_t{1} << 30,  // an array's bytes are one text
    .any_bytes = true,
    .no_pickle = "not a pickle of protocol 2 to 4",
    .save_again = "write it again with pickle.dump(..., protocol=4)",
    .forbidden = "numbers, texts, lists and arrays of bytes need none such",
};

/// Whether a shape asks for exactly `size` bytes. No product overflows: none gets larger than `size`.
bool fills(const std::vector<std::int64_t>& shape, std::size_t size) {
  if (std::count(shape.begin(), shape.end(), 0) != 0) return size == 0;
  std::size_t product = 1;
  for (const std::int64_t side : shape) {
    if (static_cast<std::uint64_t>(side) > size / product) return false;
    product *= static_cast<std::size_t>(side);
  }
  return product == size;
}

class NumpyMachine : public PickleMachine {
 public:
  explicit NumpyMachine(ByteReader& reader) : PickleMachine(reader, kRules) {}
  NumpyPickle run() {
    static_cast<Pickle&>(result_) = PickleMachine::run();
    return std::move(result_);
  }

 private:
  void push_global(std::string_view module, std::string_view name) override;
  void reduce() override;
  void build() override;

  void make_blank_array(const std::vector<ValueId>& arguments);
  void make_type(const std::vector<ValueId>& arguments);
  void encode(const std::vector<ValueId>& arguments);
  void check_type_state(ValueId state) const;
  NumpyBytes array_of(ValueId state) const;
  std::vector<std::int64_t> shape_of(ValueId id) const;
  bool flag(ValueId id, const char* what) const;
  NumpyName name_of(ValueId id, const char* what) const {
    return kKnownNames[expect<PickleGlobal>(id, what)->index].meaning;
  }
  /// The items of a tuple, checked to be as many before they are copied: the memo can name a long one again and again.
  std::vector<ValueId> items_of(ValueId tuple, std::size_t count, const char* what) const;

  NumpyPickle result_;             ///< its values come last
  std::size_t encoded_bytes_ = 0;  ///< that encode() has read
};

void NumpyMachine::push_global(std::string_view module, std::string_view name) {
  for (std::size_t i = 0; i < kKnownNames.size(); ++i) {
    if (kKnownNames[i].module != module || kKnownNames[i].name != name) continue;
    push(PickleObject{PickleGlobal::kKind, i});
    return;
  }
  const auto start = [](std::string_view text) { return text.substr(0, 80); };  // shown() cuts there, too
  reader_.fail(fmt::format("forbidden: it names {}, which numbers, texts, lists and arrays of bytes do not need",
                           shown(fmt::format("{}.{}", start(module), start(name)))));
}

void NumpyMachine::reduce() {
  const std::vector<ValueId> operands = pop_many(2);
  switch (name_of(operands[0], "a name before REDUCE")) {
    case NumpyName::reconstruct:
      return make_blank_array(items_of(operands[1], 3, "an array"));
    case NumpyName::dtype:
      return make_type(items_of(operands[1], 3, "a dtype"));
    case NumpyName::encode:
      return encode(items_of(operands[1], 2, "_codecs.encode"));
    case NumpyName::array:
      break;
  }
  reader_.fail("damaged pickle: numpy.ndarray is called, which only names a type");
}

/// (numpy.ndarray, (0,), "b"): an empty array, which BUILD fills.
void NumpyMachine::make_blank_array(const std::vector<ValueId>& arguments) {
  if (name_of(arguments[0], "a class for an array") != NumpyName::array)
    reader_.fail("damaged pickle: an array of another class than numpy.ndarray");
  if (integer(items_of(arguments[1], 1, "an empty array's shape")[0], "an empty array's shape") != 0)
    reader_.fail("damaged pickle: an array is not empty before its BUILD");
  if (*expect<std::string_view>(arguments[2], "an empty array's type") != "b")
    reader_.fail("damaged pickle: an empty array's type is not \"b\"");
  push(PickleObject{PickleBlankArray::kKind, 0});
}

/// ("u1", False, True), then a BUILD that says the same once more.
void NumpyMachine::make_type(const std::vector<ValueId>& arguments) {
  const std::string_view type = *expect<std::string_view>(arguments[0], "a dtype's name");
  if (type != "u1")
    reader_.fail(
        fmt::format("an array of type {}; expected bytes (\"u1\"): write array.astype(\"uint8\")", shown(type)));
  flag(arguments[1], "a dtype's align");
  flag(arguments[2], "a dtype's copy");
  push(PickleObject{PickleBytesType::kKind, 0});
}

/// (text, "latin1"): bytes, each written as the character of its number.
void NumpyMachine::encode(const std::vector<ValueId>& arguments) {
  const std::string_view text = *expect<std::string_view>(arguments[0], "a text to encode");
  if (*expect<std::string_view>(arguments[1], "an encoding") != "latin1")
    reader_.fail("forbidden: an encoding other than latin1");
  constexpr std::size_t kAlwaysFree = 1'024;  // short ones are shared: Python keeps one text of each letter
  encoded_bytes_ += text.size();
  if (encoded_bytes_ > reader_.size() + kAlwaysFree)
    reader_.fail("the pickle encodes one text again and again, out of all proportion to its size");
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto byte = static_cast<std::uint8_t>(text[at]);
    if (byte >= 0x80) {
      const int next = at + 1 < text.size() ? static_cast<std::uint8_t>(text[++at]) : 0;
      if ((byte != 0xc2 && byte != 0xc3) || (next & 0xc0) != 0x80)
        reader_.fail("damaged pickle: a text to encode has a character beyond latin1");
      byte = static_cast<std::uint8_t>((byte & 3) << 6 | (next & 0x3f));
    }
    bytes += static_cast<char>(byte);
  }
  result_.decoded.push_back(std::move(bytes));
  push(std::string_view(result_.decoded.back()));
}

void NumpyMachine::build() {
  const ValueId state = pop();
  const ValueId object = top();
  if (pickle().get<PickleBytesType>(object)) return check_type_state(state);
  if (!pickle().get<PickleBlankArray>(object))
    reader_.fail("damaged pickle: BUILD of something else than an array or a dtype");
  if (result_.arrays.size() >= kMostNumpyArrays)
    reader_.fail(fmt::format("the pickle has more than {} arrays", kMostNumpyArrays));
  result_.arrays.push_back(array_of(state));
  replace(object, PickleObject{PickleArray::kKind, result_.arrays.size() - 1});
}

/// (version, byte order, subarray, names, fields, item size, alignment, flags): one byte has none of it.
void NumpyMachine::check_type_state(ValueId state) const {
  const std::vector<ValueId> fields = items_of(state, 8, "a dtype's state");
  if (*expect<std::string_view>(fields[1], "a dtype's byte order") != "|")
    reader_.fail("damaged pickle: bytes with a byte order");
  for (std::size_t i = 2; i < 5; ++i) expect<PickleNone>(fields[i], "None in the dtype of bytes");
  for (const std::size_t i : {0, 5, 6, 7}) integer(fields[i], "a dtype's state");
}

/// (version, shape, dtype, Fortran order, bytes)
NumpyBytes NumpyMachine::array_of(ValueId state) const {
  const std::vector<ValueId> fields = items_of(state, 5, "an array's state");
  const std::int64_t version = integer(fields[0], "the version of an array's state");
  if (version != 1) reader_.fail(fmt::format("the state of an array has version {}, expected 1", version));
  expect<PickleBytesType>(fields[2], "a dtype for an array");
  if (flag(fields[3], "an array's order"))
    reader_.fail("an array in Fortran order; expected C order: write numpy.ascontiguousarray(array)");
  NumpyBytes array{shape_of(fields[1]), *expect<std::string_view>(fields[4], "an array's bytes")};
  if (!fills(array.shape, array.bytes.size())) {
    reader_.fail(
        fmt::format("damaged pickle: an array has {} bytes, other than its shape asks for", array.bytes.size()));
  }
  return array;
}

std::vector<std::int64_t> NumpyMachine::shape_of(ValueId id) const {
  const auto& items = expect<PickleTuple>(id, "an array's shape")->items;
  if (items.size() > kMostNumpyDimensions)
    reader_.fail(fmt::format("an array of more than {} dimensions", kMostNumpyDimensions));
  std::vector<std::int64_t> shape;
  for (const ValueId item : items) {
    shape.push_back(integer(item, "an array's shape"));
    if (shape.back() < 0) reader_.fail("damaged pickle: a negative number in an array's shape");
  }
  return shape;
}

/// Python 2 wrote some flags as 0 and 1.
bool NumpyMachine::flag(ValueId id, const char* what) const {
  if (const bool* truth = pickle().get<bool>(id)) return *truth;
  return integer(id, what) != 0;
}

std::vector<ValueId> NumpyMachine::items_of(ValueId tuple, std::size_t count, const char* what) const {
  const auto& items = expect<PickleTuple>(tuple, what)->items;
  if (items.size() != count)
    reader_.fail(fmt::format("damaged pickle: {} has {} fields, expected {}", what, items.size(), count));
  return items;
}

}  // namespace

NumpyPickle read_numpy_pickle(std::string_view bytes, const std::string& origin) {
  ByteReader reader(bytes, origin);
  NumpyPickle pickle = NumpyMachine(reader).run();
  if (reader.remaining() != 0)
    reader.fail(fmt::format("damaged: {} bytes follow the pickle's end", reader.remaining()));
  return pickle;
}

}  // namespace storage
