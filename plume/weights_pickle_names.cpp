// The pickle machine's names: the only globals that a file may mention, and how each reads a tensor. Nothing is looked
// up or called.
#include <fmt/format.h>

#include <array>

#include "plume/weights_pickle_machine.hpp"

namespace plume {

namespace {

struct KnownName {
  std::string_view module;
  std::string_view name;
  PickleGlobal global;
};

constexpr auto storage_of(Dtype dtype) {
  return PickleGlobal{PickleName::storage, dtype};
}

constexpr std::array kKnownNames = {
    KnownName{"collections", "OrderedDict", {PickleName::ordered_dict}},
    KnownName{"torch._utils", "_rebuild_tensor", {PickleName::rebuild_tensor}},
    KnownName{"torch._utils", "_rebuild_tensor_v2", {PickleName::rebuild_tensor_v2}},
    KnownName{"torch._utils", "_rebuild_parameter", {PickleName::rebuild_parameter}},
    KnownName{"torch.nn.parameter", "Parameter", {PickleName::parameter}},
    KnownName{"torch", "FloatStorage", storage_of(Dtype::float32)},
    KnownName{"torch", "DoubleStorage", storage_of(Dtype::float64)},
    KnownName{"torch", "HalfStorage", storage_of(Dtype::float16)},
    KnownName{"torch", "BFloat16Storage", storage_of(Dtype::bfloat16)},
    KnownName{"torch", "LongStorage", storage_of(Dtype::int64)},
    KnownName{"torch", "IntStorage", storage_of(Dtype::int32)},
    KnownName{"torch", "ShortStorage", storage_of(Dtype::int16)},
    KnownName{"torch", "CharStorage", storage_of(Dtype::int8)},
    KnownName{"torch", "ByteStorage", storage_of(Dtype::uint8)},
    KnownName{"torch", "BoolStorage", storage_of(Dtype::boolean)},
};

}  // namespace

void PickleMachine::push_global() {
  constexpr std::size_t kMostName = 256;
  const std::string_view module = reader_.take_line(kMostName, "a name's module");
  const std::string_view name = reader_.take_line(kMostName, "a name");
  for (const KnownName& known : kKnownNames) {
    if (known.module == module && known.name == name) {
      push(known.global);
      return;
    }
  }
  reader_.fail(
      fmt::format("forbidden: it names {}, which no plain state dict needs; save model.state_dict(), not the model, "
                  "with torch.save",
                  shown(fmt::format("{}.{}", module, name))));
}

void PickleMachine::reduce() {
  const std::vector<ValueId> operands = pop_many(2);
  const auto callee = expect<PickleGlobal>(operands[0], "a name before REDUCE").name;
  const std::vector<ValueId> arguments = expect<PickleTuple>(operands[1], "a tuple of arguments").items;
  switch (callee) {
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
void PickleMachine::make_ordered_dict(const std::vector<ValueId>& arguments) {
  std::vector<ValueId> items;
  if (arguments.size() > 1) reader_.fail("damaged pickle: OrderedDict has more than one argument");
  if (arguments.size() == 1) {
    const auto& pairs = expect<PickleList>(arguments[0], "a list of items for OrderedDict").items;
    spend_copies(2 * pairs.size());
    for (const ValueId pair : pairs) {
      const auto& both = expect<PickleList>(pair, "a [key, value] list").items;
      if (both.size() != 2) reader_.fail("damaged pickle: an item of OrderedDict is not a pair");
      items.insert(items.end(), both.begin(), both.end());
    }
  }
  push(PickleDict{});
  set_items(items);
}

/// (storage, offset, sizes, strides) and, since torch 0.4, (requires_grad, hooks).
void PickleMachine::rebuild_tensor(const std::vector<ValueId>& arguments, std::size_t expected) {
  if (arguments.size() != expected)
    reader_.fail(fmt::format("damaged pickle: a tensor has {} arguments, expected {}", arguments.size(), expected));
  TensorView view;
  view.storage = expect<PickleStorage>(arguments[0], "a storage for a tensor").index;
  view.offset = integer(arguments[1], "a tensor's offset");
  view.sizes = integers(arguments[2], "a tensor's sizes");
  view.strides = integers(arguments[3], "a tensor's strides");
  spend_copies(view.sizes.size() + view.strides.size());
  if (expected == 6) {
    expect<bool>(arguments[4], "a tensor's requires_grad");
    expect<PickleDict>(arguments[5], "a tensor's hooks");
  }
  const StorageInfo& storage = pickle_.storages[view.storage];
  const std::string fault = fault_of(view, storage.count);
  if (!fault.empty()) reader_.fail(fmt::format("a tensor over storage {} {}", shown(storage.key), fault));
  if (pickle_.tensors.size() >= kMostPickleTensors)
    reader_.fail(fmt::format("the pickle has more than {} tensors", kMostPickleTensors));
  pickle_.tensors.push_back(std::move(view));
  push(PickleTensor{pickle_.tensors.size() - 1});
}

void PickleMachine::rebuild_parameter(const std::vector<ValueId>& arguments) {
  if (arguments.size() != 3)
    reader_.fail(fmt::format("damaged pickle: a parameter has {} arguments, expected 3", arguments.size()));
  expect<PickleTensor>(arguments[0], "a tensor for a parameter");
  expect<bool>(arguments[1], "a parameter's requires_grad");
  expect<PickleDict>(arguments[2], "a parameter's hooks");
  push_id(arguments[0]);
}

void PickleMachine::new_object() {
  const std::vector<ValueId> operands = pop_many(2);
  const auto cls = expect<PickleGlobal>(operands[0], "a class before NEWOBJ").name;
  const bool plain = expect<PickleTuple>(operands[1], "a tuple of arguments").items.empty();
  if (cls != PickleName::parameter || !plain) reader_.fail("damaged pickle: NEWOBJ of something else than a Parameter");
  push(PickleBlankParameter{});
}

void PickleMachine::build() {
  const ValueId state = pop();
  PickleValue& object = pickle_.values[top()];
  if (std::holds_alternative<PickleDict>(object)) {  // the _metadata of an OrderedDict: module versions, not needed
    expect<PickleDict>(state, "a dictionary of attributes");
    return;
  }
  if (!std::holds_alternative<PickleBlankParameter>(object))
    reader_.fail("damaged pickle: BUILD of something else than a dictionary or a Parameter");
  const auto& fields =
      expect<PickleTuple>(state, "a Parameter's state").items;  // data, gradient, hooks, requires_grad, volatile
  if (fields.size() != 5)
    reader_.fail(fmt::format("damaged pickle: a Parameter's state has {} fields, expected 5", fields.size()));
  object = expect<PickleTensor>(fields[0], "a tensor for a Parameter");
}

/// The persistent id of a storage: ("storage", class, key, location, elements) and, in the legacy format, a view of
/// another storage.
void PickleMachine::push_storage() {
  const std::vector<ValueId> fields = expect<PickleTuple>(pop(), "a tuple as persistent id").items;
  if (fields.size() != 5 && fields.size() != 6)
    reader_.fail(fmt::format("damaged pickle: a persistent id has {} fields, expected 5 or 6", fields.size()));
  if (expect<std::string_view>(fields[0], "a persistent id's kind") != "storage")
    reader_.fail("forbidden: a persistent id that is not a storage");
  const auto& cls = expect<PickleGlobal>(fields[1], "a storage class");
  if (cls.name != PickleName::storage) reader_.fail("damaged pickle: expected a storage class");
  const std::string_view key = expect<std::string_view>(fields[2], "a storage's key");
  if (key.size() > kMostPickleKey) {  // keys are numbers; long ones would make the look-ups below slow
    reader_.fail(fmt::format("a storage's key has {} bytes; at most {} are read", key.size(), kMostPickleKey));
  }
  expect<std::string_view>(fields[3], "a storage's location");
  const std::int64_t count = integer(fields[4], "a storage's element count");
  if (fields.size() == 6 && !pickle_.get<PickleNone>(fields[5]))
    reader_.fail("views of storages (torch 0.1) are not read; save it again with a newer torch");
  const auto bytes = checked_product(count, static_cast<std::int64_t>(size_of(cls.dtype)));
  if (count < 0 || !bytes || static_cast<std::uint64_t>(*bytes) > file_size_) {
    reader_.fail(fmt::format("storage {} claims {} elements, more than the whole file holds", shown(key), count));
  }
  const auto [entry, added] = storage_of_key_.try_emplace(key, pickle_.storages.size());
  if (added) pickle_.storages.push_back({cls.dtype, key, count});
  const StorageInfo& known = pickle_.storages[entry->second];
  if (known.dtype != cls.dtype || known.count != count)
    reader_.fail(fmt::format("storage {} is described in two ways", shown(key)));
  push(PickleStorage{entry->second});
}

std::int64_t PickleMachine::integer(ValueId id, const char* what) const {
  if (pickle_.get<PickleLong>(id)) reader_.fail(fmt::format("damaged pickle: {}: an integer beyond 64 bits", what));
  return expect<std::int64_t>(id, what);
}

std::vector<std::int64_t> PickleMachine::integers(ValueId id, const char* what) const {
  std::vector<std::int64_t> numbers;
  const auto& items = expect<PickleTuple>(id, what).items;
  if (items.size() > kMostDimensions) reader_.fail(fmt::format("{}: more than {} dimensions", what, kMostDimensions));
  for (const ValueId item : items) numbers.push_back(integer(item, what));
  return numbers;
}

}  // namespace plume
