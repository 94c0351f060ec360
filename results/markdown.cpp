// A table as GitHub-flavoured Markdown whose source reads as well as its rendering.
#include "results/markdown.hpp"

#include "results/grid.hpp"
#include "results/notes.hpp"
#include "results/tables.hpp"
#include "results/text_layout.hpp"

namespace results {
namespace {

constexpr std::size_t kProseWidth = 100;

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

struct Column {
  std::string label;
  std::vector<std::string> cells;
  std::size_t width = 3;  ///< of "--:", the shortest rule
};

Column column_of(std::string label, const std::vector<std::string>& cells) {
  Column column{escaped(label), {}, 3};
  column.width = std::max(column.width, display_width(column.label));
  for (const std::string& cell : cells) {
    column.cells.push_back(escaped(cell));
    column.width = std::max(column.width, display_width(column.cells.back()));
  }
  return column;
}

std::vector<Column> columns_of(const Table& table) {
  const Grid grid = grid_of(table);
  std::vector<Column> columns{column_of("", grid.row_names)};
  for (const GridGroup& group : grid.groups) {
    for (const GridColumn& column : group.columns) {
      columns.push_back(column_of(column.mode.empty() ? group.name : group.name + ", " + column.mode, column.cells));
    }
  }
  return columns;
}

std::string aligned(const Column& column, const std::string& text, bool is_name) {
  return is_name ? pad_right(text, column.width) : pad_left(text, column.width);
}

std::string pipe_table(const Table& table) {
  const std::vector<Column> columns = columns_of(table);
  std::string header, rule, body;
  for (const Column& column : columns) {
    const bool is_name = &column == &columns.front();
    const char* edge = is_name ? "| " : " | ";
    header.append(edge).append(aligned(column, column.label, is_name));
    rule.append(edge).append(column.width - 1, '-').append(is_name ? "-" : ":");
  }
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (const Column& column : columns) {
      const bool is_name = &column == &columns.front();
      body.append(is_name ? "| " : " | ").append(aligned(column, column.cells[row], is_name));
    }
    body += " |\n";
  }
  return header + " |\n" + rule + " |\n" + body;
}

}  // namespace

std::string markdown_section(const Table& table, int level) {
  std::string text = std::string(static_cast<std::size_t>(level), '#') + " " + escaped(title_of(table)) + "\n\n";
  if (!table.settings.empty()) text += folded(escaped(caption_of(table)), kProseWidth) + "\n";
  text += pipe_table(table) + "\n";
  for (const std::string& note : notes_of(table)) text += folded(escaped(note), kProseWidth, "- ", "  ");
  return text;
}

std::string to_markdown(const Table& table) {
  return markdown_section(table, 1);
}

}  // namespace results
