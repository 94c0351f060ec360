// Reads .npy files: rows by pread, labels whole. The header's grammar is npy_header.cpp's.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "storage/atomic_file.hpp"
#include "storage/descriptor.hpp"
#include "storage/error.hpp"
#include "storage/foreign_arrays.hpp"
#include "storage/npy_header.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "arrays are read as little-endian machines write them");

class NpyFile {
 public:
  explicit NpyFile(const fs::path& file);

  const NpyHeader& header() const { return header_; }
  const std::string& origin() const { return origin_; }
  /// Refuses another number of dimensions, e.g. "[N, L]".
  void expect_dimensions(std::size_t dimensions, const char* shape) const;
  /// The file holds just as many bytes as its header promises at `item` bytes each.
  void expect_bytes(std::size_t item) const;
  void read(std::uint64_t offset, char* out, std::size_t count) const;
  [[noreturn]] void refuse(const std::string& what) const { throw UsageError(origin_ + ": " + what); }

 private:
  std::string origin_;
  fs::path file_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
  NpyHeader header_;
};

NpyFile::NpyFile(const fs::path& file) : origin_(file.string()), file_(file) {
  std::error_code ignored;  // what cannot be looked at cannot be opened either
  const fs::file_status status = fs::status(file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) refuse("is no file; expected a .npy file");
  descriptor_ = Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor_.get() < 0) fail_with_errno(file, "cannot open", errno);
  struct stat about {};
  if (::fstat(descriptor_.get(), &about) != 0) fail_with_errno(file, "cannot open", errno);
  size_ = static_cast<std::uint64_t>(about.st_size);
  std::string head(std::min<std::uint64_t>(size_, 12 + kLongestNpyHeader), '\0');
  header_.data_offset = 0;
  read(0, head.data(), head.size());
  header_ = parse_npy_header(head, origin_);
  if (header_.type.starts_with('>')) {
    refuse("holds big-endian numbers (" + header_.type + "); write numpy.save(FILE, array.astype(\"<" +
           header_.type.substr(1) + "\"))");
  }
  if (header_.type.find('O') != std::string::npos) {
    refuse(
        "holds Python objects, a pickle that is never run; give the array a dtype, e.g. numpy.asarray(labels, "
        "dtype=str)");
  }
}

void NpyFile::expect_dimensions(std::size_t dimensions, const char* shape) const {
  if (header_.shape.size() == dimensions) return;
  refuse("has " + std::to_string(header_.shape.size()) + " dimensions; expected " + std::to_string(dimensions) + ", " +
         shape);
}

void NpyFile::expect_bytes(std::size_t item) const {
  const std::uint64_t available = size_ - header_.data_offset;
  std::uint64_t promised = item;
  for (const std::int64_t length : header_.shape) {
    if (__builtin_mul_overflow(promised, static_cast<std::uint64_t>(length), &promised)) promised = UINT64_MAX;
  }
  if (promised == available) return;
  refuse("damaged or truncated: its header promises " +
         (promised == UINT64_MAX ? std::string("more bytes than there can be") : std::to_string(promised) + " bytes") +
         ", the file has " + std::to_string(available) + " after it; write it again with numpy.save");
}

void NpyFile::read(std::uint64_t offset, char* out, std::size_t count) const {
  std::uint64_t at = header_.data_offset + offset;
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_.get(), out, count, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno(file_, "cannot read", errno);
    if (got == 0) throw Error(origin_ + ": became shorter while it was read; run again");
    out += got;
    at += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

/// IEEE 754 binary16.
float half_to_float(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  const float magnitude = exponent == 31  ? (fraction == 0 ? std::numeric_limits<float>::infinity()
                                                           : std::numeric_limits<float>::quiet_NaN())
                          : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                          : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return half >> 15 ? -magnitude : magnitude;
}

template <typename Stored>
std::vector<float> as_floats(const std::string& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    if constexpr (sizeof(Stored) == 2) {
      numbers[i] = half_to_float(stored);
    } else {
      numbers[i] = static_cast<float>(stored);
    }
  }
  return numbers;
}

class NpyMatrix : public Matrix {
 public:
  explicit NpyMatrix(const fs::path& file) : file_(file) {
    const std::string& type = file_.header().type;
    if (type != "<f2" && type != "<f4" && type != "<f8") {
      file_.refuse("holds numbers of type " + type +
                   "; expected floats of 16, 32 or 64 bits: numpy.save(FILE, array.astype(\"float32\"))");
    }
    item_ = static_cast<std::size_t>(type[2] - '0');
    file_.expect_dimensions(2, "[rows, features of a row]");
    if (file_.header().fortran_order) {
      file_.refuse("is stored column by column; write numpy.save(FILE, numpy.ascontiguousarray(array))");
    }
    const auto& shape = file_.header().shape;
    if (shape[0] > kMostArrayRows || shape[1] < 1 || shape[1] > kLongestArrayRow) {
      file_.refuse("is [" + std::to_string(shape[0]) + ", " + std::to_string(shape[1]) + "]; expected at most " +
                   std::to_string(kMostArrayRows) + " rows of 1 to " + std::to_string(kLongestArrayRow) + " features");
    }
    file_.expect_bytes(item_);
  }
  std::int64_t row_count() const override { return file_.header().shape[0]; }
  std::int64_t row_length() const override { return file_.header().shape[1]; }
  std::vector<float> read(std::int64_t first, std::int64_t count) const override {
    const auto row_bytes = static_cast<std::size_t>(row_length()) * item_;
    std::string bytes(static_cast<std::size_t>(count) * row_bytes, '\0');
    file_.read(static_cast<std::uint64_t>(first) * row_bytes, bytes.data(), bytes.size());
    if (item_ == 2) return as_floats<std::uint16_t>(bytes);
    return item_ == 4 ? as_floats<float>(bytes) : as_floats<double>(bytes);
  }
  const std::string& origin() const override { return file_.origin(); }

 private:
  NpyFile file_;
  std::size_t item_ = 4;
};

bool is_whole_number(const std::string& type) {
  for (const char* known : {"|i1", "|u1", "|b1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8"}) {
    if (type == known) return true;
  }
  return false;
}

/// Nothing where it does not fit, which only the largest unsigned ones do not.
std::optional<std::int64_t> whole_number(const char* bytes, std::size_t item, bool is_signed) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, item);
  const unsigned unused = static_cast<unsigned>(64 - 8 * item);
  if (is_signed) return static_cast<std::int64_t>(value << unused) >> unused;
  return value > static_cast<std::uint64_t>(INT64_MAX) ? std::nullopt : std::optional(static_cast<std::int64_t>(value));
}

void append_utf8(std::string& text, std::uint32_t c) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

/// numpy pads texts with zeros: "<U5" is UTF-32, "|S5" bytes. Code points beyond Unicode become bytes that are no
/// UTF-8, which whoever reads names refuses.
std::string padded_text(const char* bytes, std::size_t item, bool is_utf32) {
  std::string text;
  if (!is_utf32) {
    text.assign(bytes, item);
  } else {
    for (std::size_t i = 0; i < item; i += 4) {
      std::uint32_t c = 0;
      std::memcpy(&c, bytes + i, 4);
      c < 0x110000 ? append_utf8(text, c) : text.push_back('\xFF');
    }
  }
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

/// Bytes of a label's text in the file: 4 a character for "<U5"; 0 where the type is no text.
std::size_t text_bytes(const std::string& type) {
  const bool is_utf32 = type.starts_with("<U");
  if (!is_utf32 && !type.starts_with("|S")) return 0;
  std::size_t length = 0;
  for (const char c : type.substr(2)) {
    if (c < '0' || c > '9') return 0;
    length = std::min<std::size_t>(10 * length + static_cast<std::size_t>(c - '0'), 1'000'000);
  }
  return is_utf32 ? 4 * length : length;
}

}  // namespace

std::unique_ptr<Matrix> open_npy_matrix(const fs::path& file) {
  return std::make_unique<NpyMatrix>(file);
}

Labels read_npy_labels(const fs::path& file) {
  const NpyFile npy(file);
  const std::string& type = npy.header().type;
  const std::size_t text = text_bytes(type);
  if (text == 0 && !is_whole_number(type)) {
    npy.refuse("holds labels of type " + type +
               "; expected whole numbers or texts: numpy.save(FILE, labels.astype(int))");
  }
  npy.expect_dimensions(1, "one label a row");
  if (text > 4 * kLongestLabel)
    npy.refuse("holds labels of more than " + std::to_string(kLongestLabel) + " characters");
  const std::size_t item = text > 0 ? text : static_cast<std::size_t>(type[2] - '0');
  if (npy.header().shape[0] > kMostArrayRows)
    npy.refuse("holds more than " + std::to_string(kMostArrayRows) + " labels");
  npy.expect_bytes(item);
  const auto count = static_cast<std::size_t>(npy.header().shape[0]);
  std::string bytes(count * item, '\0');
  npy.read(0, bytes.data(), bytes.size());
  Labels labels;
  labels.are_texts = text > 0;
  for (std::size_t i = 0; i < count; ++i) {
    const char* at = bytes.data() + i * item;
    if (labels.are_texts) {
      labels.texts.push_back(padded_text(at, item, type.starts_with("<U")));
    } else {
      const auto number = whole_number(at, item, type[1] == 'i');
      if (!number)
        npy.refuse("the label of row " + std::to_string(i) +
                   " needs more than 63 bits; write labels.astype(str), or indices of classes");
      labels.numbers.push_back(*number);
    }
  }
  return labels;
}

}  // namespace storage
