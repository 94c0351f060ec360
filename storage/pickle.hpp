// What a restricted pickle machine makes of a file of Python's pickle format: values in an arena. Nothing is looked up
// or called; what stands for the objects that a file names is up to the machine's dialect (pickle_machine.hpp). Opens
// no file.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace storage {

/// Values live in Pickle::values and name one another by index: a hostile file may nest or loop as it likes, no
/// recursion follows it.
using ValueId = std::uint32_t;

struct PickleNone {};
struct PickleLong {};  ///< an integer beyond 64 bits; its value is never needed
struct PickleMark {};  ///< only on the stack
struct PickleTuple {
  std::vector<ValueId> items;
};
struct PickleList {
  std::vector<ValueId> items;
};
struct PickleDict {
  std::vector<std::pair<ValueId, ValueId>> items;
};
/// What a dialect made: `kind` and `index` mean what the dialect says.
struct PickleObject {
  std::uint32_t kind = 0;
  std::size_t index = 0;
};
using PickleValue = std::variant<PickleNone, bool, std::int64_t, double, std::string_view, PickleLong, PickleMark,
                                 PickleTuple, PickleList, PickleDict, PickleObject>;

/// One kind of a dialect's objects: a PickleObject with its kKind is one.
template <typename T>
concept PickleObjectKind = requires(T object) {
  { T::kKind } -> std::convertible_to<std::uint32_t>;
  { object.index } -> std::convertible_to<std::size_t>;
};

/// What one pickle says. Texts are views into the file's bytes.
struct Pickle {
  std::vector<PickleValue> values;
  ValueId root = 0;

  /// The value as a T; null where it is of another type.
  template <typename T>
  const T* get(ValueId id) const {
    return std::get_if<T>(&values[id]);
  }
  /// The same for an object of the dialect.
  template <PickleObjectKind T>
  std::optional<T> get(ValueId id) const {
    const auto* object = std::get_if<PickleObject>(&values[id]);
    if (object == nullptr || object->kind != T::kKind) return std::nullopt;
    T found;
    found.index = object->index;
    return found;
  }
};

inline constexpr std::size_t kMostPickleSteps = 4'000'000;
inline constexpr std::size_t kMostPickleValues = 1'000'000;
inline constexpr int kMostPickleDepth = 64;

}  // namespace storage
