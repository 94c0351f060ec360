// A table as GitHub-flavoured Markdown whose source reads as well as its rendering.
#include "results/markdown.hpp"

#include <algorithm>

#include "results/between_variants.hpp"
#include "results/grid.hpp"
#include "results/notes.hpp"
#include "results/tables.hpp"
#include "results/text_layout.hpp"

namespace results {
namespace {

constexpr std::size_t kProseWidth = 100;
constexpr std::size_t kLeastWidth = 3;  ///< of "--:", the shortest rule

/// Names come from sweeps and data sets: nothing in them may be taken for markup.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
      continue;
    }
    if (std::string_view("\\|*[").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string bold(const std::string& text) {
  return "**" + text + "**";
}

std::string cell_text(GridCell cell) {
  if (!cell.bold) return escaped(plain_text(cell));
  cell.text = bold(escaped(cell.text));
  cell.after = escaped(cell.after);
  return plain_text(cell);
}

/// Rows of texts, all of one length; the first `left` columns are aligned left.
struct PipeTable {
  std::size_t left = 1;
  std::vector<std::vector<std::string>> rows;  ///< the first is the header
};

bool has_line_names(const Grid& grid) {
  return std::any_of(grid.blocks.begin(), grid.blocks.end(), [](const GridBlock& block) {
    return std::any_of(block.lines.begin(), block.lines.end(), [](const GridLine& line) { return !line.name.empty(); });
  });
}

std::vector<std::string> row_of(const GridBlock& block, const GridLine& line, bool with_name) {
  std::vector<std::string> row;
  const bool is_first = &line == &block.lines.front();
  for (const std::string& label : block.labels) row.push_back(is_first ? escaped(label) : "");
  if (with_name) row.push_back(escaped(line.name));
  for (const GridCell& cell : line.cells) row.push_back(cell_text(cell));
  return row;
}

PipeTable pipe_table(const Grid& grid) {
  const bool with_names = has_line_names(grid);
  PipeTable table{grid.label_titles.size() + (with_names ? 1 : 0), {{}}};
  std::vector<std::string>& header = table.rows.front();
  for (const std::string& title : grid.label_titles) header.push_back(escaped(title));
  if (with_names) header.emplace_back();
  for (const std::string& title : grid.columns) header.push_back(escaped(title));
  const std::size_t width = header.size();
  std::string group;
  for (const GridBlock& block : grid.blocks) {
    if (block.group != group) {
      group = block.group;
      std::vector<std::string> heading(width);
      heading.front() = bold(group.empty() ? "Others" : escaped(group));
      table.rows.push_back(std::move(heading));
    }
    for (const GridLine& line : block.lines) table.rows.push_back(row_of(block, line, with_names));
  }
  return table;
}

std::string text_of(const PipeTable& table) {
  std::vector<std::size_t> widths(table.rows.front().size(), kLeastWidth);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text.append(i == 0 ? "| " : " | ");
      text.append(i < table.left ? pad_right(row[i], widths[i]) : pad_left(row[i], widths[i]));
    }
    text += " |\n";
    if (&row != &table.rows.front()) continue;
    for (std::size_t i = 0; i < row.size(); ++i) {
      text.append(i == 0 ? "| " : " | ").append(widths[i] - 1, '-').append(i < table.left ? "-" : ":");
    }
    text += " |\n";
  }
  return text;
}

/// Folded; no line may begin as a list or a heading does.
std::string prose(const std::string& text, std::string_view first, std::string_view next) {
  std::string lines = folded(escaped(text), kProseWidth, first, next);
  for (std::size_t end = lines.find('\n'); end + 1 < lines.size(); end = lines.find('\n', end + 1)) {
    const std::size_t begin = end + 1 + next.size();
    if (std::string_view("-+#>=").find(lines[begin]) != std::string_view::npos) lines.insert(begin, "\\");
  }
  return lines;
}

std::string listed(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += prose(note, "- ", "  ");
  return text;
}

}  // namespace

std::string markdown_section(const Table& table, int level) {
  const std::string marks(static_cast<std::size_t>(level), '#');
  std::string text = marks + " " + escaped(title_of(table)) + "\n\n";
  if (!table.settings.empty()) text += prose(caption_of(table), "", "") + "\n";
  text += text_of(pipe_table(grid_of(table))) + "\n" + listed(notes_of(table));
  if (!has_tests(table)) return text;
  text.append("\n").append(marks).append("# ").append(kBetweenVariants).append("\n\n");
  text += text_of(pipe_table(comparisons_grid(table))) + "\n" + listed(comparison_notes(table));
  return text;
}

std::string to_markdown(const Table& table) {
  return markdown_section(table, 1);
}

}  // namespace results
