// Splits a file held in memory into lines and lines into fields.
#include "datasets/csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/nearest.hpp"
#include "storage/printable.hpp"
#include "storage/utf8.hpp"

namespace datasets {
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;
constexpr std::size_t kLongestLine = std::size_t{1} << 16;
constexpr std::size_t kMostColumns = 256;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The field at the front of `rest`, which is cut to what follows it; nothing where a quote stands wrongly.
std::optional<std::string> take_field(std::string_view& rest) {
  std::string field;
  if (!rest.starts_with('"')) {
    field = rest.substr(0, rest.find(','));
    rest.remove_prefix(field.size());
    return field.find('"') == std::string::npos ? std::optional(field) : std::nullopt;
  }
  rest.remove_prefix(1);
  for (;;) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return std::nullopt;
    field += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    field += '"';
    rest.remove_prefix(1);
  }
  return rest.empty() || rest.front() == ',' ? std::optional(field) : std::nullopt;
}

}  // namespace

std::string at_line(const std::filesystem::path& file, std::int64_t line) {
  return fmt::format("{}, line {}: ", file.string(), line);
}

CsvReader::CsvReader(std::filesystem::path file)
    : file_(std::move(file)), text_(storage::read_regular_file(file_, kMostBytes)) {
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  if (at_ == text_.size()) throw storage::UsageError(fmt::format("{}: is empty, expected CSV", file_.string()));
  columns_ = fields_of(next_line());
  if (columns_.size() > kMostColumns)
    refuse(fmt::format("has {} columns, expected at most {}", columns_.size(), kMostColumns));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].empty()) continue;  // an index that another program wrote
    if (std::count(columns_.begin(), columns_.end(), columns_[i]) > 1)
      refuse(fmt::format("names column {} twice", storage::in_quotes(storage::printable_line(columns_[i], 60))));
  }
}

std::size_t CsvReader::column(const std::string& name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
  std::string all;
  for (const std::string& one : columns_) all += (all.empty() ? "" : ", ") + storage::in_quotes(one);
  throw storage::UsageError(fmt::format("{}has no column {}, only {}", at_line(file_, 1), storage::in_quotes(name),
                                        storage::printable_line(all, 200)));
}

std::optional<CsvRecord> CsvReader::next() {
  if (at_ == text_.size()) return std::nullopt;
  CsvRecord record;
  record.fields = fields_of(next_line());
  record.line = line_;
  if (record.fields.size() != columns_.size()) {
    refuse(fmt::format("has {} fields, expected {} as in line 1 (a field with commas stands in quotes)",
                       record.fields.size(), columns_.size()));
  }
  return record;
}

std::string_view CsvReader::next_line() {
  ++line_;
  std::string_view line = std::string_view(text_).substr(at_);
  const std::size_t end = line.find('\n');
  at_ = end == std::string_view::npos ? text_.size() : at_ + end + 1;
  line = line.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) refuse("is empty: remove it");
  if (line.size() > kLongestLine) refuse(fmt::format("has {} bytes, expected {} at most", line.size(), kLongestLine));
  if (!storage::is_utf8(line)) refuse("holds bytes that are not UTF-8: save the file as UTF-8");
  if (!storage::is_plain_text(line))
    refuse("holds a control character: expected fields separated by commas, and lines that end with LF or CRLF");
  return line;
}

std::vector<std::string> CsvReader::fields_of(std::string_view line) const {
  std::vector<std::string> fields;
  for (std::string_view rest = line;; rest.remove_prefix(1)) {
    auto field = take_field(rest);
    if (!field) {
      refuse(
          fmt::format("field {} has a quote that is not closed or stands inside it: put the whole field in quotes and "
                      "double those within",
                      fields.size() + 1));
    }
    fields.push_back(std::move(*field));
    if (rest.empty()) return fields;
  }
}

void CsvReader::refuse(const std::string& what) const {
  throw storage::UsageError(at_line(file_, line_) + what);
}

}  // namespace datasets
