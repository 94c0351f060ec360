// Writing JSON piece by piece, with one spelling for every value, so that texts can be compared and hashed.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "storage/json.hpp"
#include "storage/printable.hpp"
#include "storage/utf8.hpp"

namespace storage {
namespace {

/// JSON text with an escape in place of each character that a terminal would obey; all of them are below U+10000.
std::string escaped(const std::string& json) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const auto length = std::max<std::size_t>(1, character_length(json, at));
    const auto character = std::string_view(json).substr(at, length);
    at += length;
    if (!is_obeyed(character)) {
      out += character;
      continue;
    }
    const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(character[i])); };
    const unsigned point = length == 1   ? byte(0)
                           : length == 2 ? (byte(0) & 0x1fU) << 6U | (byte(1) & 0x3fU)
                                         : (byte(0) & 0x0fU) << 12U | (byte(1) & 0x3fU) << 6U | (byte(2) & 0x3fU);
    out += "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kDigits[point >> shift & 0xfU];
  }
  return out;
}

}  // namespace

void JsonWriter::separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  text_ += '{';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  text_ += '}';
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  text_ += '[';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  text_ += ']';
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  value(name);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  bool all_plain = true;
  for (const char c : text) all_plain = all_plain && plain(c);
  if (all_plain) {
    text_ += '"';
    text_ += text;
    text_ += '"';
  } else {
    text_ += escaped(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  text_ += std::isfinite(number) ? shortest(number) : "null";
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  text_ += std::to_string(number);
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  separate();
  text_ += std::to_string(number);
  return *this;
}

JsonWriter& JsonWriter::value(bool boolean) {
  separate();
  text_ += boolean ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  text_ += "null";
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

std::string shortest(double number) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return error == std::errc() ? std::string(buffer, end) : std::string("null");
}

std::string in_quotes(std::string_view text) {
  return JsonWriter().value(text).text();
}

}  // namespace storage
