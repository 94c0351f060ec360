// A table for a terminal: columns folded into blocks that fit the width, each with the labels of its lines.
#include <algorithm>

#include "results/between_variants.hpp"
#include "results/grid.hpp"
#include "results/notes.hpp"
#include "results/tables.hpp"
#include "results/text_layout.hpp"

namespace results {
namespace {

constexpr std::size_t kGap = 2;          ///< between columns
constexpr std::size_t kLabelGap = 3;     ///< between the labels and the numbers
constexpr std::size_t kLeastProse = 40;  ///< narrower prose is no help

/// One line of text: a heading, or the texts of all columns.
struct Line {
  std::string heading;
  std::vector<std::string> left;   ///< labels and the name of the line
  std::vector<std::string> right;  ///< numbers
};
struct Layout {
  std::vector<Line> lines;  ///< the first is the header
  std::vector<std::size_t> left_widths, right_widths;
};

void widen(std::vector<std::size_t>& widths, const std::vector<std::string>& texts) {
  widths.resize(std::max(widths.size(), texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) widths[i] = std::max(widths[i], display_width(texts[i]));
}

Layout layout_of(const Grid& grid) {
  Layout layout;
  layout.lines.push_back({"", grid.label_titles, grid.columns});
  layout.lines.front().left.emplace_back();
  std::string group;
  for (const GridBlock& block : grid.blocks) {
    if (block.group != group) {
      group = block.group;
      layout.lines.push_back({group.empty() ? "Others" : group, {}, {}});
    }
    for (const GridLine& line : block.lines) {
      const bool is_first = &line == &block.lines.front();
      Line text{"", is_first ? block.labels : std::vector<std::string>(block.labels.size()), {}};
      text.left.push_back(line.name);
      for (const GridCell& cell : line.cells) text.right.push_back(plain_text(cell));
      layout.lines.push_back(std::move(text));
    }
  }
  for (const Line& line : layout.lines) {
    widen(layout.left_widths, line.left);
    widen(layout.right_widths, line.right);
  }
  return layout;
}

/// Of the label columns; empty ones take no place.
std::size_t left_width(const Layout& layout) {
  std::size_t width = 0;
  for (const std::size_t own : layout.left_widths) width += own == 0 ? 0 : own + (width > 0 ? kGap : 0);
  return width;
}

std::string left_text(const Layout& layout, const Line& line) {
  std::string text;
  for (std::size_t i = 0; i < line.left.size(); ++i) {
    if (layout.left_widths[i] == 0) continue;
    if (!text.empty()) text.append(kGap, ' ');
    text += pad_right(line.left[i], layout.left_widths[i]);
  }
  return text;
}

/// Ends of the blocks: each holds the columns up to there.
std::vector<std::size_t> block_ends(const Layout& layout, std::size_t width) {
  std::vector<std::size_t> ends;
  std::size_t used = 0;
  for (std::size_t column = 0; column < layout.right_widths.size(); ++column) {
    const std::size_t own = layout.right_widths[column];
    if (ends.empty() || used + kGap + own > width) {
      ends.push_back(column);
      used = left_width(layout) + kLabelGap + own;
    } else {
      used += kGap + own;
    }
    ends.back() = column + 1;
  }
  return ends;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string block_text(const Layout& layout, std::size_t first, std::size_t end) {
  std::string text;
  for (const Line& line : layout.lines) {
    if (!line.heading.empty()) {
      text += line.heading + "\n";
      continue;
    }
    std::string right;
    for (std::size_t i = first; i < end; ++i) {
      right.append(i == first ? kLabelGap : kGap, ' ').append(pad_left(line.right[i], layout.right_widths[i]));
    }
    text += without_trailing_spaces(left_text(layout, line) + right);
    if (&line != &layout.lines.front()) continue;
    std::string rule(left_width(layout), '-');
    for (std::size_t i = first; i < end; ++i) {
      rule.append(i == first ? kLabelGap : kGap, ' ').append(layout.right_widths[i], '-');
    }
    text += rule + "\n";
  }
  return text;
}

std::string grid_text(const Grid& grid, std::size_t width) {
  const Layout layout = layout_of(grid);
  std::string text;
  std::size_t first = 0;
  for (const std::size_t end : block_ends(layout, width)) {
    text.append("\n").append(block_text(layout, first, end));
    first = end;
  }
  return text + "\n";
}

std::string listed(const std::vector<std::string>& notes, std::size_t width) {
  std::string text;
  for (const std::string& note : notes) text += folded(note, width, "- ", "  ");
  return text;
}

}  // namespace

std::string to_terminal(const Table& table, std::size_t width) {
  const std::size_t prose = std::max(width, kLeastProse);
  std::string text = folded(title_of(table), prose);
  if (!table.settings.empty()) text += folded(caption_of(table), prose);
  text += grid_text(grid_of(table), width) + listed(notes_of(table), prose);
  if (!has_tests(table)) return text;
  text.append("\n").append(kBetweenVariants).append("\n");
  return text + grid_text(comparisons_grid(table), width) + listed(comparison_notes(table), prose);
}

}  // namespace results
