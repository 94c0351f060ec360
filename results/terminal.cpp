// A table for a terminal: groups of columns that stay together, folded into blocks that fit the width.
#include "results/grid.hpp"
#include "results/notes.hpp"
#include "results/tables.hpp"
#include "results/text_layout.hpp"

namespace results {
namespace {

constexpr std::size_t kGap = 2;          ///< between columns
constexpr std::size_t kGroupGap = 3;     ///< between groups, the name column included
constexpr std::size_t kLeastProse = 40;  ///< narrower prose is no help

struct Block {
  std::vector<const GridGroup*> groups;
};

std::size_t width_of(const GridColumn& column) {
  std::size_t width = display_width(column.mode);
  for (const std::string& cell : column.cells) width = std::max(width, display_width(cell));
  return width;
}

/// Widths of a group's columns; the first is widened where the group's name is wider than all of them.
std::vector<std::size_t> widths_of(const GridGroup& group) {
  std::vector<std::size_t> widths;
  std::size_t total = 0;
  for (const GridColumn& column : group.columns) {
    widths.push_back(width_of(column));
    total += widths.back() + (widths.size() > 1 ? kGap : 0);
  }
  if (const std::size_t name = display_width(group.name); name > total) widths.front() += name - total;
  return widths;
}

std::size_t total_of(const std::vector<std::size_t>& widths) {
  std::size_t total = (widths.size() - 1) * kGap;
  for (const std::size_t width : widths) total += width;
  return total;
}

std::vector<Block> blocks_of(const Grid& grid, std::size_t name_width, std::size_t width) {
  std::vector<Block> blocks;
  std::size_t used = 0;
  for (const GridGroup& group : grid.groups) {
    if (group.columns.empty()) continue;
    const std::size_t own = kGroupGap + total_of(widths_of(group));
    if (blocks.empty() || used + own > width) {
      blocks.emplace_back();
      used = name_width;
    }
    blocks.back().groups.push_back(&group);
    used += own;
  }
  return blocks;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// The line of a block that `text_of(column)` gives, after `name`.
template <typename TextOf>
std::string line_of(const Block& block, std::string name, const TextOf& text_of) {
  for (const GridGroup* group : block.groups) {
    const std::vector<std::size_t> widths = widths_of(*group);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      name += std::string(i == 0 ? kGroupGap : kGap, ' ') + pad_left(text_of(group->columns[i]), widths[i]);
    }
  }
  return without_trailing_spaces(std::move(name));
}

std::string block_text(const Block& block, const Grid& grid, std::size_t name_width) {
  std::string names(name_width, ' '), rule(name_width, '-');
  for (const GridGroup* group : block.groups) {
    const std::size_t width = total_of(widths_of(*group));
    names += std::string(kGroupGap, ' ') + centred(group->name, width);
    rule += std::string(kGroupGap, ' ') + std::string(width, '-');
  }
  std::string text = without_trailing_spaces(std::move(names));
  text += line_of(block, std::string(name_width, ' '), [](const GridColumn& column) { return column.mode; });
  text += rule + "\n";
  for (std::size_t row = 0; row < grid.row_names.size(); ++row) {
    text += line_of(block, pad_right(grid.row_names[row], name_width),
                    [&](const GridColumn& column) { return column.cells[row]; });
  }
  return text;
}

}  // namespace

std::string to_terminal(const Table& table, std::size_t width) {
  const std::size_t prose = std::max(width, kLeastProse);
  const Grid grid = grid_of(table);
  std::size_t name_width = 0;
  for (const std::string& name : grid.row_names) name_width = std::max(name_width, display_width(name));
  std::string text = folded(title_of(table), prose);
  if (!table.settings.empty()) text += folded(caption_of(table), prose);
  for (const Block& block : blocks_of(grid, name_width, width))
    text.append("\n").append(block_text(block, grid, name_width));
  text += "\n";
  for (const std::string& note : notes_of(table)) text += folded(note, prose, "- ", "  ");
  return text;
}

}  // namespace results
