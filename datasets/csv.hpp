// CSV files that others wrote, read strictly (RFC 4180). Knows no columns in particular.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace datasets {

/// Where in a file a message is about: "<file>, line <line>: ".
std::string at_line(const std::filesystem::path& file, std::int64_t line);

struct CsvRecord {
  std::int64_t line = 0;  ///< of the file, from 1
  std::vector<std::string> fields;
};

/// Records one by one. Commas between fields; a field in quotes may hold commas, and quotes doubled; lines end with LF
/// or CRLF, the last one with either or nothing; a byte-order mark before the first is passed over. Example:
/// `2,"[1, 2]","say ""no"""` has the fields 2 | [1, 2] | say "no".
/// Everything else is a UsageError of one line that names the file and the line: a quote that its line does not close
/// (so a field has no line breaks, which RFC 4180 would allow), control characters, bytes that are not UTF-8, an empty
/// line, another number of fields than the header's, a column named twice, more than 256 columns, a line of over
/// 64 KiB. A file of over 256 MiB, or one that cannot be read, is a storage::Error.
class CsvReader {
 public:
  /// Reads the header.
  explicit CsvReader(std::filesystem::path file);

  const std::filesystem::path& file() const { return file_; }
  const std::vector<std::string>& columns() const { return columns_; }
  /// Index of the column of that name; without it a UsageError that names it and the columns there are.
  std::size_t column(const std::string& name) const;
  /// The next record; nothing after the last.
  std::optional<CsvRecord> next();

 private:
  std::string_view next_line();
  std::vector<std::string> fields_of(std::string_view line) const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::filesystem::path file_;
  std::string text_;
  std::size_t at_ = 0;     ///< where the next line begins
  std::int64_t line_ = 0;  ///< number of the line read last
  std::vector<std::string> columns_;
};

}  // namespace datasets
