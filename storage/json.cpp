// Strict reading of JSON over nlohmann's parser: one line of error with file and key, or with line and column.
// Knows nothing of what a document means. The writing end is json_writer.cpp.
#include "storage/json.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "storage/printable.hpp"

namespace storage {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMostShown = 80;  ///< bytes of a name or a value in a message
constexpr std::size_t kMostShownPath = 200;
constexpr std::size_t kMostMessage = 900;  ///< behind origin and place

struct Document {
  std::string origin;
  Blame blame = Blame::user;
  Json root;
};

/// `what` may hold anything that the document holds.
[[noreturn]] void refuse(Blame blame, const std::string& origin, const std::string& what) {
  const std::string message = origin + ": " + printable_line(what, kMostMessage);
  if (blame == Blame::user) throw UsageError(message);
  throw Error(message);
}

/// Puts the place before `what`: "blocks[0].lambda: expected a number".
std::string at_place(const std::string& place, const std::string& what) {
  return place.empty() ? what : printable_line(place, kMostShownPath) + ": " + what;
}

/// Walks the text for the parser and tells its handler how far it is.
class CountingIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

/// Builds the document from the parser's events; refuses what nlohmann's own builder lets through.
class Builder {
 public:
  Builder(Document& document, std::string_view text, std::size_t most_values)
      : document_(document), text_(text), reached_(text.data()), values_left_(most_values) {}

  void build() {
    const char* end = text_.data() + text_.size();
    Json::sax_parse(CountingIterator(text_.data(), &reached_), CountingIterator(end, &reached_), this);
  }

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(Json::number_integer_t value) {
    return value == 0 ? put(-0.0) : put(value);
  }  // only "-0" is 0 here
  bool number_unsigned(Json::number_unsigned_t value) { return put(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    const auto [member, is_new] = open_.back()->emplace(name, nullptr);
    if (!is_new) fail_at(offset(), "the key " + in_quotes(printable_line(name, kMostShown)) + " is there twice");
    member_ = &*member;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    std::string what = error.what();
    const std::size_t column = what.find(", column ");
    const std::size_t cut = column == std::string::npos ? what.find("] ") : what.find(": ", column);
    if (cut != std::string::npos) what.erase(0, cut + 2);
    fail_at(position, "no valid JSON: " + what);
  }

 private:
  std::size_t offset() const { return static_cast<std::size_t>(reached_ - text_.data()); }

  [[noreturn]] void fail_at(std::size_t position, const std::string& what) const {
    const std::string_view before = text_.substr(0, std::min(position > 0 ? position - 1 : 0, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column =
        before.size() - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1) + 1;
    refuse(document_.blame, document_.origin,
           "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what);
  }

  Json* place(Json value) {
    if (values_left_ == 0) fail_at(offset(), "it holds more values than a file of its kind needs");
    --values_left_;
    if (open_.empty()) {
      document_.root = std::move(value);
      return &document_.root;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *member_ = std::move(value);
    return member_;
  }
  template <typename T>
  bool put(T&& value) {
    place(Json(std::forward<T>(value)));
    return true;
  }
  bool open(Json value) {
    if (open_.size() == kMaxDepth) fail_at(offset(), "nested deeper than " + std::to_string(kMaxDepth) + " levels");
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Document& document_;
  std::string_view text_;
  const char* reached_;
  std::vector<Json*> open_;  // parents of what comes next; an element moves only while it is not among them
  Json* member_ = nullptr;   // of the open object, whose key was read last
  std::size_t values_left_;
};

std::string path_of_member(const std::string& path, std::string_view key) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; };
  if (key.empty() || !std::all_of(key.begin(), key.end(), plain)) return path + "[" + in_quotes(key) + "]";
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

void write(JsonWriter& writer, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      writer.begin_object();
      for (const auto& [key, member] : value.items()) {
        writer.key(key);
        write(writer, member);
      }
      writer.end_object();
      break;
    case Json::value_t::array:
      writer.begin_array();
      for (const Json& item : value) write(writer, item);
      writer.end_array();
      break;
    case Json::value_t::string:
      writer.value(value.get_ref<const std::string&>());
      break;
    case Json::value_t::boolean:
      writer.value(value.get<bool>());
      break;
    case Json::value_t::number_integer:
      writer.value(value.get<std::int64_t>());
      break;
    case Json::value_t::number_unsigned:
      writer.value(value.get<std::uint64_t>());
      break;
    case Json::value_t::number_float:
      writer.value(value.get<double>());
      break;
    default:
      writer.null();
  }
}

/// What a message says it found.
std::string found(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  JsonWriter writer;
  write(writer, value);
  const std::string& text = writer.text();
  if (text.size() <= 60) return text;
  std::size_t cut = 57;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // not inside a character
  return text.substr(0, cut) + "...";
}

}  // namespace

/// A place in a document. Its path is put together only when a message wants it: most values are never complained of.
struct JsonValue::Node {
  const Document* document;
  const Json* value;
  std::shared_ptr<const void> above;  ///< keeps alive: the document at the root, else the parent
  const Node* parent = nullptr;
  const std::string* key = nullptr;  ///< in the parent object; none: an element of an array
  std::size_t index = 0;

  static JsonValue member(const std::shared_ptr<const Node>& parent, const std::string& key, const Json& value) {
    return JsonValue(std::make_shared<const Node>(Node{parent->document, &value, parent, parent.get(), &key, 0}));
  }
  static JsonValue element(const std::shared_ptr<const Node>& parent, std::size_t index, const Json& value) {
    return JsonValue(
        std::make_shared<const Node>(Node{parent->document, &value, parent, parent.get(), nullptr, index}));
  }
  std::string path() const {
    if (parent == nullptr) return "";
    return key != nullptr ? path_of_member(parent->path(), *key) : parent->path() + "[" + std::to_string(index) + "]";
  }
  [[noreturn]] void expected(const std::string& what) const {
    refuse(document->blame, document->origin, at_place(path(), "expected " + what + ", found " + found(*value)));
  }
};

JsonValue::JsonValue(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

bool JsonValue::is_null() const {
  return node_->value->is_null();
}
bool JsonValue::is_boolean() const {
  return node_->value->is_boolean();
}
bool JsonValue::is_number() const {
  return node_->value->is_number();
}
bool JsonValue::is_integer() const {
  return node_->value->is_number_integer();
}
bool JsonValue::is_string() const {
  return node_->value->is_string();
}
bool JsonValue::is_array() const {
  return node_->value->is_array();
}
bool JsonValue::is_object() const {
  return node_->value->is_object();
}

bool JsonValue::boolean() const {
  if (!is_boolean()) node_->expected("true or false");
  return node_->value->get<bool>();
}

std::int64_t JsonValue::integer(std::int64_t least, std::int64_t most) const {
  const Json& value = *node_->value;
  const bool beyond = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  if (value.is_number_integer() && !beyond) {
    const auto number = value.get<std::int64_t>();
    if (least <= number && number <= most) return number;
  }
  std::string range;
  if (least != INT64_MIN && most != INT64_MAX) {
    range = " in " + std::to_string(least) + ".." + std::to_string(most);
  } else if (least != INT64_MIN) {
    range = " of at least " + std::to_string(least);
  } else if (most != INT64_MAX) {
    range = " of at most " + std::to_string(most);
  }
  node_->expected("a whole number" + range);
}

std::uint64_t JsonValue::unsigned_integer() const {
  if (!node_->value->is_number_unsigned()) node_->expected("a whole number of at least 0");
  return node_->value->get<std::uint64_t>();
}

double JsonValue::number() const {
  if (!is_number()) node_->expected("a number");
  return node_->value->get<double>();
}

std::string JsonValue::string() const {
  if (!is_string()) node_->expected("a text in quotes");
  return node_->value->get<std::string>();
}

std::vector<JsonValue> JsonValue::items(std::size_t most) const {
  if (!is_array()) node_->expected("a list");
  if (node_->value->size() > most)
    fail("expected a list of at most " + std::to_string(most) + ", found one of " +
         std::to_string(node_->value->size()));
  std::vector<JsonValue> list;
  list.reserve(node_->value->size());
  for (const Json& item : *node_->value) {
    list.push_back(Node::element(node_, list.size(), item));
  }
  return list;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!is_object()) node_->expected("an object");
  std::vector<std::pair<std::string, JsonValue>> list;
  list.reserve(node_->value->size());
  for (auto it = node_->value->begin(); it != node_->value->end(); ++it) {
    list.emplace_back(it.key(), Node::member(node_, it.key(), *it));
  }
  return list;
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (!is_object()) node_->expected("an object");
  const auto it = node_->value->find(key);
  if (it == node_->value->end()) return std::nullopt;
  return Node::member(node_, it.key(), *it);
}

JsonValue JsonValue::at(std::string_view key) const {
  const auto member = find(key);
  if (!member) fail("the key " + in_quotes(key) + " is missing");
  return *member;
}

namespace {

template <typename Keys>
bool is_among(const std::string& key, const Keys& keys) {
  return std::any_of(keys.begin(), keys.end(), [&](std::string_view one) { return one == key; });
}

}  // namespace

void JsonValue::allow_only(std::initializer_list<std::string_view> keys) const {
  if (!is_object()) node_->expected("an object");
  for (auto it = node_->value->begin(); it != node_->value->end(); ++it) {
    if (!is_among(it.key(), keys)) return allow_only(std::vector<std::string>(keys.begin(), keys.end()));
  }
}

void JsonValue::allow_only(const std::vector<std::string>& keys) const {
  if (!is_object()) node_->expected("an object");
  for (auto it = node_->value->begin(); it != node_->value->end(); ++it) {
    if (is_among(it.key(), keys)) continue;
    Node::member(node_, it.key(), *it).fail("unknown key" + suggestion(it.key(), keys));
  }
}

std::string JsonValue::path() const {
  return node_->path();
}

void JsonValue::fail(const std::string& what) const {
  refuse(node_->document->blame, node_->document->origin, at_place(path(), what));
}

std::string JsonValue::text() const {
  JsonWriter writer;
  write(writer, *node_->value);
  return writer.text();
}

JsonValue parse_json(std::string_view text, const std::string& origin, Blame blame, std::size_t most_values) {
  auto document = std::make_shared<Document>();
  document->origin = origin;
  document->blame = blame;
  if (text.size() > kMaxJsonBytes) {
    refuse(blame, origin,
           std::to_string(text.size()) + " bytes; JSON of at most " + std::to_string(kMaxJsonBytes) + " is read");
  }
  Builder(*document, text, most_values).build();
  const Document* whole = document.get();
  return JsonValue(std::make_shared<const JsonValue::Node>(JsonValue::Node{whole, &whole->root, std::move(document)}));
}

JsonValue read_json(const std::filesystem::path& file, Blame blame) {
  std::string text;
  try {
    // A user may well hand over a pipe; in a run's directory nobody would ever write into it.
    text = blame == Blame::user ? read_file(file, kMaxJsonBytes) : read_regular_file(file, kMaxJsonBytes);
  } catch (const Error& error) {
    if (blame == Blame::user) throw UsageError(error.what());
    throw;
  }
  return parse_json(text, file.string(), blame);
}

}  // namespace storage
