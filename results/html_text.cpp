// Escapes, and nothing else.
#include "results/html_text.hpp"

#include <cctype>

#include "storage/printable.hpp"

namespace results {
namespace {

constexpr std::size_t kMostBytes = 20000;

std::string_view escape_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

/// What an address may hold as it is, inside a quoted attribute too.
bool stands_in_an_address(unsigned char c) {
  return std::isalnum(c) != 0 ||
         std::string_view(" -_.~:/?=;,()*!+@").find(static_cast<char>(c)) != std::string_view::npos;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : storage::printable_line(text, kMostBytes)) {
    const auto escape = escape_of(c);
    if (escape.empty()) {
      out += c;
    } else {
      out += escape;
    }
  }
  return out;
}

std::string html_prose(std::string_view text) {
  std::string out;
  bool in_code = false;
  const std::string whole = html_text(text);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const bool turns = whole[at] == '`' && (in_code || whole.find('`', at + 1) != std::string::npos);
    if (!turns) {
      out += whole[at];
      continue;
    }
    out += in_code ? "</code>" : "<code>";
    in_code = !in_code;
  }
  return out;
}

std::string svg_address(std::string_view svg) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string out = "data:image/svg+xml,";
  for (const char c : svg) {
    const auto byte = static_cast<unsigned char>(c);
    if (stands_in_an_address(byte)) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

}  // namespace results
