// Names rows.
#include "workers/row_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "results/text_layout.hpp"
#include "storage/printable.hpp"

namespace workers {
namespace {

constexpr std::size_t kShownName = 120;  ///< bytes

std::string listed(const std::vector<std::string>& shown, std::size_t count) {
  const auto text = fmt::format("{}", fmt::join(shown, ", "));
  return count > shown.size() ? fmt::format("{} and {} more", text, results::grouped(count - shown.size())) : text;
}

}  // namespace

std::string name_of_row(const datasets::Dataset& data, const DataRow& row) {
  return storage::printable_line(data.row_id(row.split, row.number), kShownName);
}

std::string some_of(const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    shown.push_back(storage::printable_line(names[i], kShownName));
  }
  return listed(shown, names.size());
}

std::string some_of(const datasets::Dataset& data, const std::vector<DataRow>& rows, std::size_t most) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) shown.push_back(name_of_row(data, rows[i]));
  return listed(shown, rows.size());
}

}  // namespace workers
