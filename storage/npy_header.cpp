// Grammar: {'descr': '<f4', 'fortran_order': False, 'shape': (5000, 2048), } followed by spaces and a newline.
#include "storage/npy_header.hpp"

#include <charconv>
#include <system_error>

#include "storage/error.hpp"

namespace storage {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDimensions = 32;  // numpy's own limit

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      read_member();
      if (accept('}')) break;
      expect(',');
    }
    skip_blanks();
    if (at_ != text_.size()) fail("has text after its header");
    if (!has_type_ || !has_order_ || !has_shape_) fail("lacks descr, fortran_order or shape in its header");
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError(origin_ + ": damaged .npy file: " + what + "; write it again with numpy.save");
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected ") + c + " at byte " + std::to_string(at_) + " of its header");
  }
  bool accept_word(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string read_text() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("expected a text at byte " + std::to_string(at_) + " of its header");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a text in its header does not end");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    for (const char c : inside) {
      if (c < ' ' || c > '~' || c == '\\') fail("a text in its header has bytes that numpy never writes");
    }
    at_ = end + 1;
    return std::string(inside);
  }
  std::int64_t read_size() {
    skip_blanks();
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
    if (error != std::errc() || size < 0) fail("expected a size at byte " + std::to_string(at_) + " of its header");
    at_ = static_cast<std::size_t>(end - text_.data());
    return size;
  }
  void read_shape() {
    expect('(');
    while (!accept(')')) {
      if (header_.shape.size() == kMostDimensions) fail("has more than 32 dimensions");
      header_.shape.push_back(read_size());
      if (accept(')')) break;
      expect(',');
    }
  }
  void once(bool& seen, const std::string& key) {
    if (seen) fail("has " + key + " twice in its header");
    seen = true;
  }
  void read_member() {
    const std::string key = read_text();
    expect(':');
    if (key == "descr") {
      once(has_type_, key);
      if (accept('[')) throw UsageError(origin_ + ": holds records with fields; expected a plain array");
      header_.type = read_text();
      if (header_.type.size() > 32) fail("its descr is longer than any that numpy writes");
    } else if (key == "fortran_order") {
      once(has_order_, key);
      header_.fortran_order = accept_word("True");
      if (!header_.fortran_order && !accept_word("False")) fail("fortran_order is neither True nor False");
    } else if (key == "shape") {
      once(has_shape_, key);
      read_shape();
    } else {
      fail("has an unknown key in its header");
    }
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
  NpyHeader header_;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes, const std::string& origin) {
  if (!bytes.starts_with(kMagic)) {
    throw UsageError(origin + ": is no .npy file; expected one of numpy.save");
  }
  const int version = bytes.size() > 6 ? static_cast<std::uint8_t>(bytes[6]) : 0;
  if (version < 1 || version > 3) {
    throw UsageError(origin + ": .npy format version " + std::to_string(version) +
                     " is not read; expected 1 to 3, as numpy.save writes");
  }
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::size_t length = bytes.size() < begin ? 0 : little_endian(bytes.substr(8, begin - 8));
  if (bytes.size() < begin || length > kLongestNpyHeader || length > bytes.size() - begin) {
    throw UsageError(origin +
                     ": damaged or truncated .npy file: its header does not end; write it again with numpy.save");
  }
  NpyHeader header = HeaderParser(bytes.substr(begin, length), origin).parse();
  header.data_offset = begin + length;
  return header;
}

}  // namespace storage
