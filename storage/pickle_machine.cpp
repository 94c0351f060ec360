// The pickle machine's steps: one allow-listed opcode after the other, on a stack of value ids.
#include "storage/pickle_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "storage/utf8.hpp"

namespace storage {

namespace {

// Opcodes have the names of Python's pickletools.
enum Opcode : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kNone = 'N',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kBinFloat = 'G',
  kBinUnicode = 'X',
  kShortBinString = 'U',
  kBinString = 'T',
  kEmptyTuple = ')',
  kTuple = 't',
  kEmptyList = ']',
  kAppend = 'a',
  kAppends = 'e',
  kEmptyDict = '}',
  kSetItem = 's',
  kSetItems = 'u',
  kGlobal = 'c',
  kReduce = 'R',
  kBuild = 'b',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  // protocols 3 and 4
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kShortBinUnicode = 0x8c,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95
};

constexpr const char* kWhat = "a pickle";

}  // namespace

Pickle PickleMachine::run() {
  check_protocol();
  for (; steps_ < kMostPickleSteps; ++steps_) {
    const std::uint8_t opcode = reader_.u8(kWhat);
    if (opcode == kStop) {
      pickle_.root = pop();
      if (!stack_.empty() || pickle_.get<PickleMark>(pickle_.root))
        reader_.fail("damaged pickle: values are left over at its end");
      return std::move(pickle_);
    }
    if (!step(opcode)) forbid(opcode);
  }
  reader_.fail(fmt::format("the pickle has more than {} steps", kMostPickleSteps));
}

void PickleMachine::check_protocol() {
  if (reader_.u8(kWhat) != kProto) reader_.fail(fmt::format("{}: no pickle where one must begin", rules_.no_pickle));
  const int protocol = reader_.u8(kWhat);
  if (protocol >= 2 && protocol <= rules_.highest_protocol) return;
  const std::string expected = rules_.highest_protocol == 2 ? "2" : fmt::format("2 to {}", rules_.highest_protocol);
  reader_.fail(fmt::format("pickle protocol {}; expected {}: {}", protocol, expected, rules_.save_again));
}

void PickleMachine::forbid(std::uint8_t opcode) const {
  reader_.fail(fmt::format("forbidden: pickle opcode 0x{:02x}; {}", opcode, rules_.forbidden));
}

bool PickleMachine::step(std::uint8_t opcode) {
  return step_scalar(opcode) || step_text(opcode) || step_container(opcode) || step_memo(opcode) ||
         step_object(opcode) || (rules_.highest_protocol >= 4 && step_of_protocol_4(opcode));
}

bool PickleMachine::step_scalar(std::uint8_t opcode) {
  switch (opcode) {
    case kNone:
      push(PickleNone{});
      return true;
    case kNewTrue:
      push(true);
      return true;
    case kNewFalse:
      push(false);
      return true;
    case kBinInt1:
      push(std::int64_t{reader_.u8(kWhat)});
      return true;
    case kBinInt2:
      push(std::int64_t{reader_.u16(kWhat)});
      return true;
    case kBinInt:
      push(std::int64_t{static_cast<std::int32_t>(reader_.u32(kWhat))});
      return true;
    case kLong1:
      push_long();
      return true;
    case kBinFloat:
      push(std::bit_cast<double>(__builtin_bswap64(reader_.u64(kWhat))));
      return true;  // big-endian in the file
    default:
      return false;
  }
}

bool PickleMachine::step_text(std::uint8_t opcode) {
  switch (opcode) {
    case kBinUnicode:
      push_text(reader_.u32(kWhat), false);
      return true;
    case kBinString:
      push_text(reader_.u32(kWhat), rules_.any_bytes);
      return true;
    case kShortBinString:
      push_text(reader_.u8(kWhat), rules_.any_bytes);
      return true;
    default:
      return false;
  }
}

bool PickleMachine::step_container(std::uint8_t opcode) {
  switch (opcode) {
    case kMark:
      push(PickleMark{});
      return true;
    case kEmptyTuple:
      push_tuple(0);
      return true;
    case kTuple1:
      push_tuple(1);
      return true;
    case kTuple2:
      push_tuple(2);
      return true;
    case kTuple3:
      push_tuple(3);
      return true;
    case kEmptyList:
      push(PickleList{});
      return true;
    case kEmptyDict:
      push(PickleDict{});
      return true;
    case kAppend:
      append(pop_many(1));
      return true;
    case kAppends:
      append(pop_to_mark());
      return true;
    case kSetItem:
      set_items(pop_many(2));
      return true;
    case kSetItems:
      set_items(pop_to_mark());
      return true;
    case kTuple: {
      std::vector<ValueId> items = pop_to_mark();
      const ValueId tuple = push(PickleTuple{items});
      deepen(tuple, items);
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::step_memo(std::uint8_t opcode) {
  switch (opcode) {
    case kBinPut:
      memoize(reader_.u8(kWhat));
      return true;
    case kLongBinPut:
      memoize(reader_.u32(kWhat));
      return true;
    case kBinGet:
      push_memo(reader_.u8(kWhat));
      return true;
    case kLongBinGet:
      push_memo(reader_.u32(kWhat));
      return true;
    default:
      return false;
  }
}

bool PickleMachine::step_object(std::uint8_t opcode) {
  switch (opcode) {
    case kGlobal:
      push_global_by_line();
      return true;
    case kReduce:
      reduce();
      return true;
    case kNewObj:
      new_object();
      return true;
    case kBuild:
      build();
      return true;
    case kBinPersId:
      push_persistent();
      return true;
    default:
      return false;
  }
}

bool PickleMachine::step_of_protocol_4(std::uint8_t opcode) {
  switch (opcode) {
    case kBinBytes:
      push_text(reader_.u32(kWhat), true);
      return true;
    case kShortBinBytes:
      push_text(reader_.u8(kWhat), true);
      return true;
    case kShortBinUnicode:
      push_text(reader_.u8(kWhat), false);
      return true;
    case kStackGlobal:
      push_global_of_stack();
      return true;
    case kMemoize:
      memoize(static_cast<std::uint32_t>(memo_.size()));
      return true;
    case kFrame:
      if (reader_.u64(kWhat) > reader_.remaining()) reader_.fail("truncated: the file ends in the middle of a frame");
      return true;
    default:
      return false;
  }
}

void PickleMachine::memoize(std::uint32_t slot) {
  memo_[slot] = top();
  if (memo_.size() > kMostPickleValues)
    reader_.fail(fmt::format("the pickle stores more than {} memo entries", kMostPickleValues));
}

void PickleMachine::push_memo(std::uint32_t slot) {
  const auto found = memo_.find(slot);
  if (found == memo_.end()) reader_.fail(fmt::format("damaged pickle: memo entry {} was never stored", slot));
  push_id(found->second);
}

void PickleMachine::push_global_by_line() {
  constexpr std::size_t kMostName = 256;
  const std::string_view module = reader_.take_line(kMostName, "a name's module");
  const std::string_view name = reader_.take_line(kMostName, "a name");
  push_global(module, name);
}

void PickleMachine::push_global_of_stack() {
  const std::vector<ValueId> operands = pop_many(2);
  push_global(*expect<std::string_view>(operands[0], "a name's module"),
              *expect<std::string_view>(operands[1], "a name"));
}

void PickleMachine::push_text(std::uint64_t length, bool any_bytes) {
  if (length > rules_.most_text)
    reader_.fail(fmt::format("the pickle has a text of {} bytes; at most {} are read", length, rules_.most_text));
  const std::string_view text = reader_.take(length, "a text");
  if (!any_bytes && !is_utf8(text)) reader_.fail("damaged pickle: a text is not UTF-8");
  push(text);
}

void PickleMachine::push_long() {
  const std::string_view bytes = reader_.take(reader_.u8(kWhat), "an integer");
  if (bytes.size() > 8) {
    push(PickleLong{});
    return;
  }
  std::uint64_t value = !bytes.empty() && static_cast<std::int8_t>(bytes.back()) < 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  push(static_cast<std::int64_t>(value));
}

void PickleMachine::push_tuple(std::size_t count) {
  std::vector<ValueId> items = pop_many(count);
  const ValueId tuple = push(PickleTuple{items});
  deepen(tuple, items);
}

void PickleMachine::append(std::vector<ValueId> items) {
  auto* list = std::get_if<PickleList>(&pickle_.values[top()]);
  if (list == nullptr) reader_.fail("damaged pickle: an item is appended to what is not a list");
  list->items.insert(list->items.end(), items.begin(), items.end());
  deepen(top(), items);
}

void PickleMachine::set_items(const std::vector<ValueId>& items) {
  auto* dict = std::get_if<PickleDict>(&pickle_.values[top()]);
  if (dict == nullptr) reader_.fail("damaged pickle: a key is set in what is not a dictionary");
  if (items.size() % 2 != 0) reader_.fail("damaged pickle: a key without a value");
  for (std::size_t i = 0; i < items.size(); i += 2) dict->items.emplace_back(items[i], items[i + 1]);
  deepen(top(), items);
}

ValueId PickleMachine::push(PickleValue value, int depth) {
  if (pickle_.values.size() >= kMostPickleValues)
    reader_.fail(fmt::format("the pickle has more than {} values", kMostPickleValues));
  pickle_.values.push_back(std::move(value));
  depths_.push_back(depth);
  const auto id = static_cast<ValueId>(pickle_.values.size() - 1);
  stack_.push_back(id);
  return id;
}

ValueId PickleMachine::top() const {
  if (stack_.empty() || pickle_.get<PickleMark>(stack_.back())) reader_.fail("damaged pickle: a value is missing");
  return stack_.back();
}

ValueId PickleMachine::pop() {
  const ValueId id = top();
  stack_.pop_back();
  return id;
}

std::vector<ValueId> PickleMachine::pop_many(std::size_t count) {
  std::vector<ValueId> items(count);
  for (std::size_t i = count; i-- > 0;) items[i] = pop();
  return items;
}

std::vector<ValueId> PickleMachine::pop_to_mark() {
  std::size_t first = stack_.size();
  while (first > 0 && !pickle_.get<PickleMark>(stack_[first - 1])) --first;
  if (first == 0) reader_.fail("damaged pickle: a mark is missing");
  std::vector<ValueId> items(stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
  stack_.resize(first - 1);
  return items;
}

void PickleMachine::spend_copies(std::size_t count) {
  constexpr std::size_t kCopiesPerStep = 2, kAlwaysFree = 1'024;
  copies_ += count;
  if (copies_ > kCopiesPerStep * steps_ + kAlwaysFree)
    reader_.fail("the pickle repeats one list again and again, out of all proportion to its size");
}

void PickleMachine::deepen(ValueId container, const std::vector<ValueId>& items) {
  for (const ValueId item : items) depths_[container] = std::max(depths_[container], depths_[item] + 1);
  if (depths_[container] > kMostPickleDepth)
    reader_.fail(fmt::format("the pickle nests deeper than {} levels", kMostPickleDepth));
}

std::int64_t PickleMachine::integer(ValueId id, const char* what) const {
  if (pickle_.get<PickleLong>(id)) reader_.fail(fmt::format("damaged pickle: {}: an integer beyond 64 bits", what));
  return *expect<std::int64_t>(id, what);
}

}  // namespace storage
