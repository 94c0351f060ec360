// The state of the pickle machine while it runs: stack, memo, arena. Private to weights_pickle*.cpp.
#pragma once

#include "plume/weights_pickle.hpp"

namespace plume {

class PickleMachine {
 public:
  PickleMachine(ByteReader& reader, std::size_t file_size) : reader_(reader), file_size_(file_size) {}
  Pickle run();

 private:
  // Steps (weights_pickle.cpp)
  bool step(std::uint8_t opcode);  ///< false: not one of these opcodes
  bool step_scalar(std::uint8_t opcode);
  bool step_container(std::uint8_t opcode);
  bool step_memo(std::uint8_t opcode);
  bool step_object(std::uint8_t opcode);
  void push_text(std::uint64_t length);
  void push_long();
  void push_tuple(std::size_t count);
  void append(std::vector<ValueId> items);
  void set_items(const std::vector<ValueId>& items);

  // Stack (weights_pickle.cpp)
  ValueId push(PickleValue value, int depth = 0);
  void push_id(ValueId id);
  ValueId pop();
  std::vector<ValueId> pop_many(std::size_t count);
  std::vector<ValueId> pop_to_mark();
  ValueId top() const;
  void deepen(ValueId container, const std::vector<ValueId>& items);
  /// Some steps copy the items of a container that the memo can name any number of times. Keeps the sum of such copies
  /// in proportion to the steps: in an honest file each item was pushed by a step of its own.
  void spend_copies(std::size_t count);

  // Names and what they read (weights_pickle_names.cpp)
  void push_global();
  void reduce();
  void new_object();
  void build();
  void push_storage();
  void rebuild_tensor(const std::vector<ValueId>& arguments, std::size_t expected);
  void rebuild_parameter(const std::vector<ValueId>& arguments);
  void make_ordered_dict(const std::vector<ValueId>& arguments);
  std::int64_t integer(ValueId id, const char* what) const;
  std::vector<std::int64_t> integers(ValueId id, const char* what) const;
  template <typename T>
  const T& expect(ValueId id, const char* what) const {
    const T* value = pickle_.get<T>(id);
    if (value == nullptr) reader_.fail(std::string("damaged pickle: expected ") + what);
    return *value;
  }

  ByteReader& reader_;
  std::size_t file_size_;
  Pickle pickle_;
  std::vector<int> depths_;  ///< of pickle_.values
  std::vector<ValueId> stack_;
  std::map<std::uint32_t, ValueId> memo_;  // ordered: a file chooses the slots, and could make them collide in a hash
  std::size_t steps_ = 0;
  std::size_t copies_ = 0;
  std::map<std::string_view, std::size_t> storage_of_key_;
};

}  // namespace plume
