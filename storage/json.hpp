// Strict reading of JSON: every error names the file and the key. nlohmann/json stays in json.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace storage {

/// One value inside a parsed document. Cheap to copy and to reach; keeps the document alive. It knows its path, e.g.
/// `blocks[0].lambda`. Every accessor throws UsageError or Error (as the document was opened) with "<origin>: <path>:
/// expected ..., found ...".
class JsonValue {
 public:
  bool is_null() const;
  bool is_boolean() const;
  bool is_number() const;
  bool is_integer() const;  ///< written without fraction or exponent
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;

  bool boolean() const;
  /// A whole number in [least, most].
  std::int64_t integer(std::int64_t least = INT64_MIN, std::int64_t most = INT64_MAX) const;
  /// A whole number in [0, 2^64).
  std::uint64_t unsigned_integer() const;
  /// A finite number.
  double number() const;
  std::string string() const;

  /// Elements of an array, in order; an array of more than `most` is refused before memory is asked for.
  std::vector<JsonValue> items(std::size_t most = SIZE_MAX) const;
  /// Members of an object, sorted by key.
  std::vector<std::pair<std::string, JsonValue>> members() const;
  /// A member that must be there / may be there.
  JsonValue at(std::string_view key) const;
  std::optional<JsonValue> find(std::string_view key) const;
  /// Refuses any member whose key is not listed, with the nearest right one.
  void allow_only(std::initializer_list<std::string_view> keys) const;
  void allow_only(const std::vector<std::string>& keys) const;

  std::string path() const;
  /// Throws "<origin>: <path>: <what>". Use it for rules that a type cannot say.
  [[noreturn]] void fail(const std::string& what) const;
  /// The value as JSON text: keys sorted, no spaces, doubles in the shortest form that reads back the same.
  std::string text() const;

  struct Node;  // defined in json.cpp
  explicit JsonValue(std::shared_ptr<const Node> node);

 private:
  std::shared_ptr<const Node> node_;
};

enum class Blame { user, run };  ///< who is at fault when a document is wrong: UsageError or Error

/// Parses UTF-8 JSON. `origin` is what messages call it (a file name). Duplicate keys, comments, NaN, trailing text,
/// nesting deeper than 64, more than `kMaxJsonBytes` bytes and more than `most_values` values are refused with line and
/// column. What a message shows of the text is printable, on one line and cut to some hundred bytes.
JsonValue parse_json(std::string_view text, const std::string& origin, Blame blame, std::size_t most_values = SIZE_MAX);
/// The same from a file; a missing or unreadable file is named.
JsonValue read_json(const std::filesystem::path& file, Blame blame);
inline constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 30;

/// Writes JSON text piece by piece: keys in the order given, no spaces, doubles by std::to_chars (shortest that reads
/// back the same: 5.0 -> 5, 0.001 -> 0.001), non-finite numbers as null. Strings are escaped; bytes that are not UTF-8
/// become U+FFFD.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(int number) { return value(std::int64_t{number}); }
  JsonWriter& value(bool boolean);
  JsonWriter& null();
  /// Inserts text that is JSON already.
  JsonWriter& raw(std::string_view json);
  template <typename T>
  JsonWriter& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }
  const std::string& text() const { return text_; }

 private:
  void separate();
  std::string text_;
  bool needs_comma_ = false;
};

/// The shortest decimal text that reads back as exactly `number` (std::to_chars), e.g. 5 -> "5", 0.1 -> "0.1".
std::string shortest(double number);

/// `text` as a JSON string, quotes included: how messages show a name or a value.
std::string in_quotes(std::string_view text);

}  // namespace storage
