// Shares a screen out among its parts.
#include "runner/status_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "runner/status_fold.hpp"
#include "storage/columns.hpp"

namespace runner {
namespace {

constexpr std::size_t kLongestText = 4000;
constexpr std::size_t kLeastForBody = 4;  // lines below the head that parts are worth anything in

constexpr std::size_t kBelowIndent = 4;

/// The lines below each of the first `shown` items, of `spare` lines in all: one for each before a second for any, and
/// for none where not all get one.
std::vector<std::vector<std::string>> texts_below(const ScreenPart& part, std::size_t shown, std::size_t columns,
                                                  std::size_t spare) {
  constexpr std::size_t kMostOfAnItem = 4;
  std::vector<std::vector<std::string>> below(shown);
  std::size_t with_text = 0;
  for (std::size_t i = 0; i < shown; ++i) with_text += part.items[i].below.empty() ? 0 : 1;
  if (with_text > spare) return below;
  spare -= with_text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (part.items[i].below.empty()) continue;
    std::vector<ScreenLine> folded;
    add_folded(folded, part.items[i].below, columns - kBelowIndent, Style::plain, std::min(kMostOfAnItem, 1 + spare));
    spare -= std::min(spare, folded.size() - std::min<std::size_t>(folded.size(), 1));
    for (const auto& line : folded) below[i].push_back(std::string(kBelowIndent, ' ') + line.text);
  }
  return below;
}

/// `spare`: lines that it may take beyond one for each item shown.
void add_part(std::vector<ScreenLine>& lines, const ScreenPart& part, std::size_t shown, std::size_t columns,
              std::size_t spare) {
  if (part.items.empty()) return;
  const auto below = texts_below(part, shown, columns, spare);
  std::vector<std::vector<std::string>> rows{part.titles};
  for (std::size_t i = 0; i < shown; ++i) {
    rows.push_back(part.items[i].cells);
    const auto& item = part.items[i];
    if (below[i].empty() && !item.below.empty() && !item.below_may_go) rows.back().back() += ": " + item.below;
  }
  for (std::size_t column = 0; column < part.titles.size(); ++column) {
    const bool is_empty =
        std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return row[column].empty(); });
    if (is_empty && shown > 0 && column > 0) rows[0][column].clear();
  }
  const auto text = fitted(rows, part.columns, columns);
  lines.push_back({text[0], Style::faint});
  for (std::size_t i = 0; i < shown; ++i) {
    lines.push_back({text[i + 1], part.items[i].style});
    for (const auto& line : below[i]) lines.push_back({line, part.items[i].style});
  }
  if (shown == part.items.size() && part.rest == 0) return;
  lines.push_back({storage::cut_to("  " + part.more(shown), columns), Style::faint});
}

}  // namespace

void add_folded(std::vector<ScreenLine>& lines, const std::string& text, std::size_t columns, Style style,
                std::size_t most) {
  auto all = folded_lines(storage::cut_to(text, kLongestText), columns);
  if (all.size() > most) {
    std::string rest;  // fills the last line
    for (std::size_t i = most - 1; i < all.size(); ++i) {
      rest += (rest.empty() ? "" : " ") + all[i].substr(std::min(all[i].find_first_not_of(' '), all[i].size()));
    }
    const std::string indent(most > 1 ? 2 : 0, ' ');
    all.resize(most);
    all.back() = storage::cut_to(indent + rest, columns);
  }
  for (auto& line : all) lines.push_back({std::move(line), style});
}

std::vector<ScreenLine> head_lines(const std::vector<HeadItem>& items, ScreenSize size) {
  using Need = HeadItem::Need;
  const auto lines_of = [&](std::size_t most, bool with_spare) {
    std::vector<ScreenLine> lines;
    for (const auto& item : items) {
      if (item.need == Need::spare && !with_spare) continue;
      auto folded = folded_lines(storage::cut_middle(item.text, kLongestText), size.columns);
      if (item.need != Need::whole) folded = without_middle(std::move(folded), most, size.columns);
      for (auto& line : folded) lines.push_back({std::move(line), item.style});
    }
    return lines;
  };
  if (size.rows == 0) return lines_of(SIZE_MAX, true);
  for (const std::size_t most : {6U, 4U, 3U, 2U, 1U}) {
    auto lines = lines_of(most, true);
    if (lines.size() <= size.rows * 2 / 3) return lines;
  }
  auto lines = lines_of(1, true);
  if (lines.size() > size.rows) lines = lines_of(1, false);
  if (lines.size() > size.rows) lines.resize(size.rows);
  return lines;
}

std::vector<ScreenLine> laid_out(std::vector<ScreenLine> head, const std::vector<ScreenPart>& parts,
                                 const std::string& hint, ScreenSize size) {
  auto lines = std::move(head);
  auto below = folded_lines(hint, size.columns);
  if (size.rows > 0 && lines.size() + below.size() > size.rows) below.clear();
  std::vector<std::size_t> items;
  std::size_t parts_shown = 0, all = 0;
  for (const auto& part : parts) {
    items.push_back(part.items.size());
    parts_shown += part.items.empty() ? 0 : 1;
    all += part.items.empty() ? 0 : part.items.size() + 1;
  }
  std::size_t room = size.rows == 0 ? all : size.rows - std::min(size.rows, lines.size() + below.size());
  // Blank lines are the first thing to go.
  const bool airy = size.rows == 0 || room >= parts_shown * kLeastForBody + parts_shown;
  if (airy && size.rows > 0) room -= parts_shown + (below.empty() ? 0 : 1);
  const auto shares = shares_of_room(items, room);
  std::size_t spare = size.rows == 0 ? SIZE_MAX / 2 : room;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& part = parts[i];
    if (!part.items.empty()) spare -= std::min(spare, 1 + shares[i] + (shares[i] < items[i] || part.rest > 0 ? 1 : 0));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (shares[i] == 0 && size.rows > 0 && lines.size() + below.size() + 2 > size.rows) continue;
    if (airy && items[i] > 0) lines.push_back({});
    add_part(lines, parts[i], shares[i], size.columns, spare);
  }
  if (airy && !below.empty()) lines.push_back({});
  for (auto& line : below) lines.push_back({std::move(line), Style::faint});
  if (size.rows > 0 && lines.size() > size.rows) lines.resize(size.rows);
  return lines;
}

std::string text_of(const std::vector<ScreenLine>& lines, bool colours) {
  constexpr std::string_view kOn[] = {"", "\033[1m", "\033[32m", "\033[31m", "\033[2m"};
  std::string text;
  for (const auto& line : lines) {
    const bool coloured = colours && line.style != Style::plain && !line.text.empty();
    text += coloured ? fmt::format("{}{}\033[0m\n", kOn[static_cast<std::size_t>(line.style)], line.text)
                     : line.text + "\n";
  }
  return text;
}

}  // namespace runner
