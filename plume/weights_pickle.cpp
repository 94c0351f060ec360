// The names in the pickles of state dicts: the only globals that such a file may mention, and how each reads a tensor.
// Nothing is looked up or called.
#include "plume/weights_pickle.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "storage/pickle_machine.hpp"

namespace plume {

namespace {

using storage::PickleNone;
using storage::PickleTuple;

enum class PickleName { ordered_dict, rebuild_tensor, rebuild_tensor_v2, rebuild_parameter, parameter, storage };
struct KnownName {
  std::string_view module;
  std::string_view name;
  PickleName meaning;
  Dtype dtype = Dtype::float32;  ///< of a storage
};

constexpr std::array kKnownNames = {
    KnownName{"collections", "OrderedDict", PickleName::ordered_dict},
    KnownName{"torch._utils", "_rebuild_tensor", PickleName::rebuild_tensor},
    KnownName{"torch._utils", "_rebuild_tensor_v2", PickleName::rebuild_tensor_v2},
    KnownName{"torch._utils", "_rebuild_parameter", PickleName::rebuild_parameter},
    KnownName{"torch.nn.parameter", "Parameter", PickleName::parameter},
    KnownName{"torch", "FloatStorage", PickleName::storage, Dtype::float32},
    KnownName{"torch", "DoubleStorage", PickleName::storage, Dtype::float64},
    KnownName{"torch", "HalfStorage", PickleName::storage, Dtype::float16},
    KnownName{"torch", "BFloat16Storage", PickleName::storage, Dtype::bfloat16},
    KnownName{"torch", "LongStorage", PickleName::storage, Dtype::int64},
    KnownName{"torch", "IntStorage", PickleName::storage, Dtype::int32},
    KnownName{"torch", "ShortStorage", PickleName::storage, Dtype::int16},
    KnownName{"torch", "CharStorage", PickleName::storage, Dtype::int8},
    KnownName{"torch", "ByteStorage", PickleName::storage, Dtype::uint8},
    KnownName{"torch", "BoolStorage", PickleName::storage, Dtype::boolean},
};

// The objects among the values, besides PickleTensor.
struct PickleGlobal {
  static constexpr std::uint32_t kKind = 1;
  std::size_t index = 0;  ///< into kKnownNames
};
struct PickleStorage {
  static constexpr std::uint32_t kKind = 2;
  std::size_t index = 0;  ///< into Pickle::storages
};
struct PickleBlankParameter {  ///< an old Parameter before its BUILD
  static constexpr std::uint32_t kKind = 3;
  std::size_t index = 0;
};

constexpr storage::PickleRules kRules{
    .no_pickle = "not a PyTorch state dict",
    .save_again = "save it with torch.save(model.state_dict(), FILE) without pickle_protocol",
    .forbidden = "a state dict saved with torch.save needs none such",
};

class StateDictMachine : public storage::PickleMachine {
 public:
  StateDictMachine(ByteReader& reader, std::size_t file_size) : PickleMachine(reader, kRules), file_size_(file_size) {}
  Pickle run() {
    static_cast<storage::Pickle&>(result_) = PickleMachine::run();
    return std::move(result_);
  }

 private:
  void push_global(std::string_view module, std::string_view name) override;
  void reduce() override;
  void new_object() override;
  void build() override;
  void push_persistent() override;  ///< a storage

  void rebuild_tensor(const std::vector<ValueId>& arguments, std::size_t expected);
  void rebuild_parameter(const std::vector<ValueId>& arguments);
  void make_ordered_dict(const std::vector<ValueId>& arguments);
  std::vector<std::int64_t> integers(ValueId id, const char* what) const;
  template <storage::PickleObjectKind T>
  ValueId push_object(std::size_t index) {
    return push(storage::PickleObject{T::kKind, index});
  }

  std::size_t file_size_;
  Pickle result_;  ///< its values come last
  std::map<std::string_view, std::size_t> storage_of_key_;
};

void StateDictMachine::push_global(std::string_view module, std::string_view name) {
  for (std::size_t i = 0; i < kKnownNames.size(); ++i) {
    if (kKnownNames[i].module != module || kKnownNames[i].name != name) continue;
    push_object<PickleGlobal>(i);
    return;
  }
  reader_.fail(
      fmt::format("forbidden: it names {}, which no plain state dict needs; save model.state_dict(), not the model, "
                  "with torch.save",
                  shown(fmt::format("{}.{}", module, name))));
}

void StateDictMachine::reduce() {
  const std::vector<ValueId> operands = pop_many(2);
  const auto callee = expect<PickleGlobal>(operands[0], "a name before REDUCE");
  const std::vector<ValueId> arguments = expect<PickleTuple>(operands[1], "a tuple of arguments")->items;
  switch (kKnownNames[callee->index].meaning) {
    case PickleName::ordered_dict:
      return make_ordered_dict(arguments);
    case PickleName::rebuild_tensor:
      return rebuild_tensor(arguments, 4);
    case PickleName::rebuild_tensor_v2:
      return rebuild_tensor(arguments, 6);
    case PickleName::rebuild_parameter:
      return rebuild_parameter(arguments);
    case PickleName::parameter:
    case PickleName::storage:
      break;
  }
  reader_.fail("damaged pickle: a class is called that only names a type");
}

/// Python 3 fills the dictionary afterwards; Python 2 gave its items as one list of [key, value] lists.
void StateDictMachine::make_ordered_dict(const std::vector<ValueId>& arguments) {
  std::vector<ValueId> items;
  if (arguments.size() > 1) reader_.fail("damaged pickle: OrderedDict has more than one argument");
  if (arguments.size() == 1) {
    const auto& pairs = expect<PickleList>(arguments[0], "a list of items for OrderedDict")->items;
    spend_copies(2 * pairs.size());
    for (const ValueId pair : pairs) {
      const auto& both = expect<PickleList>(pair, "a [key, value] list")->items;
      if (both.size() != 2) reader_.fail("damaged pickle: an item of OrderedDict is not a pair");
      items.insert(items.end(), both.begin(), both.end());
    }
  }
  push(PickleDict{});
  set_items(items);
}

/// (storage, offset, sizes, strides) and, since torch 0.4, (requires_grad, hooks).
void StateDictMachine::rebuild_tensor(const std::vector<ValueId>& arguments, std::size_t expected) {
  if (arguments.size() != expected)
    reader_.fail(fmt::format("damaged pickle: a tensor has {} arguments, expected {}", arguments.size(), expected));
  TensorView view;
  view.storage = expect<PickleStorage>(arguments[0], "a storage for a tensor")->index;
  view.offset = integer(arguments[1], "a tensor's offset");
  view.sizes = integers(arguments[2], "a tensor's sizes");
  view.strides = integers(arguments[3], "a tensor's strides");
  spend_copies(view.sizes.size() + view.strides.size());
  if (expected == 6) {
    expect<bool>(arguments[4], "a tensor's requires_grad");
    expect<PickleDict>(arguments[5], "a tensor's hooks");
  }
  const StorageInfo& storage = result_.storages[view.storage];
  const std::string fault = fault_of(view, storage.count);
  if (!fault.empty()) reader_.fail(fmt::format("a tensor over storage {} {}", shown(storage.key), fault));
  if (result_.tensors.size() >= kMostPickleTensors)
    reader_.fail(fmt::format("the pickle has more than {} tensors", kMostPickleTensors));
  result_.tensors.push_back(std::move(view));
  push_object<PickleTensor>(result_.tensors.size() - 1);
}

void StateDictMachine::rebuild_parameter(const std::vector<ValueId>& arguments) {
  if (arguments.size() != 3)
    reader_.fail(fmt::format("damaged pickle: a parameter has {} arguments, expected 3", arguments.size()));
  expect<PickleTensor>(arguments[0], "a tensor for a parameter");
  expect<bool>(arguments[1], "a parameter's requires_grad");
  expect<PickleDict>(arguments[2], "a parameter's hooks");
  push_id(arguments[0]);
}

void StateDictMachine::new_object() {
  const std::vector<ValueId> operands = pop_many(2);
  const auto cls = expect<PickleGlobal>(operands[0], "a class before NEWOBJ");
  const bool plain = expect<PickleTuple>(operands[1], "a tuple of arguments")->items.empty();
  if (kKnownNames[cls->index].meaning != PickleName::parameter || !plain)
    reader_.fail("damaged pickle: NEWOBJ of something else than a Parameter");
  push_object<PickleBlankParameter>(0);
}

void StateDictMachine::build() {
  const ValueId state = pop();
  const ValueId object = top();
  if (pickle().get<PickleDict>(object)) {  // the _metadata of an OrderedDict: module versions, not needed
    expect<PickleDict>(state, "a dictionary of attributes");
    return;
  }
  if (!pickle().get<PickleBlankParameter>(object))
    reader_.fail("damaged pickle: BUILD of something else than a dictionary or a Parameter");
  const auto& fields =
      expect<PickleTuple>(state, "a Parameter's state")->items;  // data, gradient, hooks, requires_grad, volatile
  if (fields.size() != 5)
    reader_.fail(fmt::format("damaged pickle: a Parameter's state has {} fields, expected 5", fields.size()));
  const auto tensor = expect<PickleTensor>(fields[0], "a tensor for a Parameter");
  replace(object, storage::PickleObject{PickleTensor::kKind, tensor->index});
}

/// The persistent id of a storage: ("storage", class, key, location, elements) and, in the legacy format, a view of
/// another storage.
void StateDictMachine::push_persistent() {
  const std::vector<ValueId> fields = expect<PickleTuple>(pop(), "a tuple as persistent id")->items;
  if (fields.size() != 5 && fields.size() != 6)
    reader_.fail(fmt::format("damaged pickle: a persistent id has {} fields, expected 5 or 6", fields.size()));
  if (*expect<std::string_view>(fields[0], "a persistent id's kind") != "storage")
    reader_.fail("forbidden: a persistent id that is not a storage");
  const KnownName& cls = kKnownNames[expect<PickleGlobal>(fields[1], "a storage class")->index];
  if (cls.meaning != PickleName::storage) reader_.fail("damaged pickle: expected a storage class");
  const std::string_view key = *expect<std::string_view>(fields[2], "a storage's key");
  if (key.size() > kMostPickleKey) {  // keys are numbers; long ones would make the look-ups below slow
    reader_.fail(fmt::format("a storage's key has {} bytes; at most {} are read", key.size(), kMostPickleKey));
  }
  expect<std::string_view>(fields[3], "a storage's location");
  const std::int64_t count = integer(fields[4], "a storage's element count");
  if (fields.size() == 6 && !pickle().get<PickleNone>(fields[5]))
    reader_.fail("views of storages (torch 0.1) are not read; save it again with a newer torch");
  const auto bytes = checked_product(count, static_cast<std::int64_t>(size_of(cls.dtype)));
  if (count < 0 || !bytes || static_cast<std::uint64_t>(*bytes) > file_size_) {
    reader_.fail(fmt::format("storage {} claims {} elements, more than the whole file holds", shown(key), count));
  }
  const auto [entry, added] = storage_of_key_.try_emplace(key, result_.storages.size());
  if (added) result_.storages.push_back({cls.dtype, key, count});
  const StorageInfo& known = result_.storages[entry->second];
  if (known.dtype != cls.dtype || known.count != count)
    reader_.fail(fmt::format("storage {} is described in two ways", shown(key)));
  push_object<PickleStorage>(entry->second);
}

std::vector<std::int64_t> StateDictMachine::integers(ValueId id, const char* what) const {
  std::vector<std::int64_t> numbers;
  const auto& items = expect<PickleTuple>(id, what)->items;
  if (items.size() > kMostDimensions) reader_.fail(fmt::format("{}: more than {} dimensions", what, kMostDimensions));
  for (const ValueId item : items) numbers.push_back(integer(item, what));
  return numbers;
}

}  // namespace

Pickle run_pickle(ByteReader& reader, std::size_t file_size) {
  return StateDictMachine(reader, file_size).run();
}

}  // namespace plume
