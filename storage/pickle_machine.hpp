// The restricted pickle machine: the part of protocols 2 to 4 that files of numbers use, on a stack of value ids. A
// dialect derives from it and says which names a file may mention and what stands for what they would make.
#pragma once

#include <map>
#include <string>

#include "storage/byte_reader.hpp"
#include "storage/pickle.hpp"

namespace storage {

/// How a dialect differs in what is no name. Texts complete the messages.
struct PickleRules {
  int highest_protocol = 2;        ///< the lowest is 2
  std::size_t most_text = 65'536;  ///< bytes of a text
  bool any_bytes = false;          ///< Python 2's strings need not be UTF-8
  const char* no_pickle = "";      ///< "not a PyTorch state dict"
  const char* save_again = "";     ///< after "pickle protocol 5; expected 2 to 4: "
  const char* forbidden = "";      ///< after "forbidden: pickle opcode 0x63; "
};

/// Time and memory are in proportion to the pickle's bytes, and memory stays below some 200 MB. Every fault is a
/// storage::Error of the reader's.
class PickleMachine {
 public:
  PickleMachine(const PickleMachine&) = delete;
  PickleMachine& operator=(const PickleMachine&) = delete;

 protected:
  PickleMachine(ByteReader& reader, const PickleRules& rules) : reader_(reader), rules_(rules) {}
  virtual ~PickleMachine() = default;

  /// Runs one pickle from the reader's position to its STOP.
  Pickle run();

  // The dialect. Each takes its operands from the stack and pushes what comes of them, or throws.
  virtual void push_global(std::string_view module, std::string_view name) = 0;
  virtual void reduce() = 0;  ///< a callable and its arguments
  virtual void build() = 0;   ///< a state; the object below it stays
  virtual void new_object() { forbid(kNewObj); }
  virtual void push_persistent() { forbid(kBinPersId); }

  // The stack and the arena
  ValueId push(PickleValue value, int depth = 0);
  void push_id(ValueId id) { stack_.push_back(id); }
  ValueId pop();
  std::vector<ValueId> pop_many(std::size_t count);
  ValueId top() const;
  const Pickle& pickle() const { return pickle_; }
  /// Puts another value in an object's place.
  void replace(ValueId id, PickleValue value) { pickle_.values[id] = std::move(value); }
  void set_items(const std::vector<ValueId>& items);
  /// Some steps copy the items of a container that the memo can name any number of times. Keeps the sum of such copies
  /// in proportion to the steps: in an honest file each item was pushed by a step of its own.
  void spend_copies(std::size_t count);
  std::int64_t integer(ValueId id, const char* what) const;
  /// A pointer to the value or, of a dialect's object, the object itself.
  template <typename T>
  auto expect(ValueId id, const char* what) const {
    auto value = pickle_.get<T>(id);
    if (!value) reader_.fail(std::string("damaged pickle: expected ") + what);
    return value;
  }

  ByteReader& reader_;

 private:
  static constexpr std::uint8_t kNewObj = 0x81, kBinPersId = 'Q';

  void check_protocol();
  [[noreturn]] void forbid(std::uint8_t opcode) const;
  bool step(std::uint8_t opcode);  ///< false: not one of these opcodes
  bool step_scalar(std::uint8_t opcode);
  bool step_text(std::uint8_t opcode);
  bool step_container(std::uint8_t opcode);
  bool step_memo(std::uint8_t opcode);
  bool step_object(std::uint8_t opcode);
  bool step_of_protocol_4(std::uint8_t opcode);
  void push_text(std::uint64_t length, bool any_bytes);
  void push_long();
  void push_tuple(std::size_t count);
  void push_global_by_line();
  void push_global_of_stack();
  void append(std::vector<ValueId> items);
  void memoize(std::uint32_t slot);
  void push_memo(std::uint32_t slot);
  std::vector<ValueId> pop_to_mark();
  void deepen(ValueId container, const std::vector<ValueId>& items);

  const PickleRules& rules_;
  Pickle pickle_;
  std::vector<int> depths_;  ///< of pickle_.values
  std::vector<ValueId> stack_;
  std::map<std::uint32_t, ValueId> memo_;  // ordered: a file chooses the slots, and could make them collide in a hash
  std::size_t steps_ = 0;
  std::size_t copies_ = 0;
};

}  // namespace storage
