// Widths and rooms.
#include "runner/status_fit.hpp"

#include <algorithm>
#include <numeric>

#include "storage/columns.hpp"

namespace runner {
namespace {

constexpr std::size_t kGap = 2;

std::size_t total_of(const std::vector<std::size_t>& widths) {
  std::size_t total = 0;
  for (const auto width : widths) total += width == 0 ? 0 : width + (total > 0 ? kGap : 0);
  return total;
}

/// Cuts the first column that is wider than its `limit`; false where none is.
bool cut_one(std::vector<std::size_t>& widths, const std::vector<FitColumn>& columns, std::size_t FitColumn::*limit,
             std::size_t over) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto most = columns[i].*limit;
    if (most == 0 || widths[i] <= most) continue;
    widths[i] -= std::min(over, widths[i] - most);
    return true;
  }
  return false;
}

bool leave_one_out(std::vector<std::size_t>& widths, const std::vector<FitColumn>& columns) {
  std::size_t last = columns.size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (widths[i] == 0 || columns[i].rank == 0) continue;
    if (last == columns.size() || columns[i].rank > columns[last].rank) last = i;
  }
  if (last == columns.size()) return false;
  widths[last] = 0;
  return true;
}

/// True where something gave way.
bool give_way(std::vector<std::size_t>& widths, const std::vector<FitColumn>& columns, std::size_t width) {
  const std::size_t over = total_of(widths) - width;
  return cut_one(widths, columns, &FitColumn::comfortable, over) || leave_one_out(widths, columns) ||
         cut_one(widths, columns, &FitColumn::least, over);
}

std::size_t lines_of(std::size_t items, std::size_t shown) {
  return items == 0 ? 0 : 1 + shown + (shown < items ? 1 : 0);
}

}  // namespace

std::vector<std::string> fitted(const std::vector<std::vector<std::string>>& rows,
                                const std::vector<FitColumn>& columns, std::size_t width) {
  std::vector<std::size_t> natural(columns.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) natural[i] = std::max(natural[i], storage::columns_of(row[i]));
  }
  auto widths = natural;
  while (total_of(widths) > width && give_way(widths, columns, width)) {
  }
  // A column that went out leaves room for one that was cut.
  for (std::size_t i = 0; i < columns.size() && total_of(widths) < width; ++i) {
    if (widths[i] > 0) widths[i] += std::min(width - total_of(widths), natural[i] - widths[i]);
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (widths[i] == 0) continue;
      if (!line.empty()) line.append(kGap, ' ');
      const auto cell = columns[i].middle ? storage::cut_middle(row[i], widths[i]) : row[i];
      line += columns[i].right ? storage::filled_from_left(cell, widths[i]) : storage::filled_to(cell, widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(storage::cut_to(line, width));
  }
  return lines;
}

std::vector<std::size_t> shares_of_room(const std::vector<std::size_t>& items, std::size_t room) {
  std::vector<std::size_t> shown(items.size());
  const auto used = [&] {
    std::size_t lines = 0;
    for (std::size_t i = 0; i < items.size(); ++i) lines += lines_of(items[i], shown[i]);
    return lines;
  };
  // All of a list costs no more than all but one of it.
  const auto try_more = [&](std::size_t i, std::size_t more) {
    const auto before = shown[i];
    shown[i] = std::min(items[i], before + more);
    if (used() <= room) return shown[i] > before;
    shown[i] = before;
    return false;
  };
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (shown[i] < items[i]) grew = try_more(i, 1) || try_more(i, 2) || grew;
    }
  }
  return shown;
}

}  // namespace runner
