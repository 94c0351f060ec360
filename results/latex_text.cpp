// Escapes: nothing that a user writes may be a command, end a cell or stop pdflatex.
#include "results/latex_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/latex_characters.hpp"
#include "results/text_layout.hpp"
#include "storage/utf8.hpp"

namespace results {
namespace {

constexpr std::size_t kLongestWord = 20;  ///< of running text before it may be broken

/// `next` stands after `c` in the text.
std::string latex_ascii(char c, char next) {
  switch (c) {
    case '#':
    case '$':
    case '%':
    case '&':
    case '_':
    case '{':
    case '}':
      return std::string("\\") + c;
    case '~':
      return "$\\sim$";
    case '^':
      return "\\textasciicircum{}";
    case '\\':
      return "\\textbackslash{}";
    case '<':
      return "$<$";
    case '>':
      return "$>$";
    case '|':
      return "$|$";
    case '"':
      return "''";
    // "[" and "*" after the end of a row would be its options; a "`" after "?" makes another sign.
    case '[':
    case ']':
    case '*':
    case '`':
      return std::string("{") + c + "}";
    // Two of these in a row would be one sign.
    case '-':
    case '\'':
    case ',':
      return next == c ? std::string("{") + c + "}" : std::string(1, c);
    default:
      return std::string(1, c);
  }
}

/// `bytes` is one character of UTF-8 beyond ASCII.
char32_t code_of(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(bytes[i])); };
  char32_t code = byte(0) & (0xFFU >> (bytes.size() + 1));
  for (std::size_t i = 1; i < bytes.size(); ++i) code = code << 6U | (byte(i) & 0x3FU);
  return code;
}

/// The character at the front of `text`, which it is taken from.
std::string next_character(std::string_view& text) {
  const std::size_t length = storage::character_length(text, 0);
  const std::string_view bytes = text.substr(0, std::max<std::size_t>(length, 1));
  text.remove_prefix(bytes.size());
  if (length == 0) return "?";
  if (length == 1) return latex_ascii(bytes[0], text.empty() ? '\0' : text.front());
  const char32_t code = code_of(bytes);
  const char* latex = latex_character(code);
  return latex != nullptr ? latex : fmt::format("{{[}}U+{:04X}{{]}}", static_cast<std::uint32_t>(code));
}

std::string breakable(std::string_view text) {
  std::string out;
  std::size_t word = 0;
  while (!text.empty()) {
    word = text.front() == ' ' ? 0 : word + 1;
    if (word > kLongestWord) {
      out += "\\hspace{0pt}";
      word = 1;
    }
    out += next_character(text);
  }
  return out;
}

}  // namespace

std::string latex_text(std::string_view text) {
  const std::string line = on_one_line(text);
  std::string_view rest = line;
  std::string out;
  while (!rest.empty()) out += next_character(rest);
  return out;
}

std::string latex_prose(std::string_view text) {
  const std::string line = on_one_line(text);
  const bool is_paired = std::count(line.begin(), line.end(), '`') % 2 == 0;
  if (!is_paired) return breakable(line);
  std::string out;
  std::string_view rest = line;
  for (bool is_code = false; !rest.empty(); is_code = !is_code) {
    const std::size_t end = std::min(rest.find('`'), rest.size());
    const std::string part = breakable(rest.substr(0, end));
    out += is_code ? "\\texttt{" + part + "}" : part;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace results
