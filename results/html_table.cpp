// The grid's words as HTML. Numbers stay text: they are rounded once, for every form of the table.
#include "results/html_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "results/between_variants.hpp"
#include "results/grid.hpp"
#include "results/html_parts.hpp"
#include "results/html_text.hpp"
#include "results/notes.hpp"

namespace results {
namespace {

/// Which settings of the switch show a line: what the paper prints is its best epoch's, a baseline has one number for
/// all modes and other papers' numbers belong to none.
std::string modes_of(const GridBlock& block, const GridLine& line, bool has_best) {
  const Row* row = block.row;
  if (line.kind == GridLine::Kind::label) return "";
  if (row != nullptr && (row->only_printed || !row->in_paper)) return "any";
  if (line.mode) return std::string(mode_name(*line.mode));
  return has_best ? "best" : "any";
}

std::string cell_html(const GridCell& cell) {
  if (plain_text(cell).empty()) return "<td></td>";
  std::string text = cell.bold ? element("b", html_text(cell.text)) : html_text(cell.text);
  if (!cell.spread.empty()) text += " " + element("span", "± " + html_text(cell.spread), "class=\"spread\"");
  if (!cell.choice.empty()) text += " (" + html_text(cell.choice) + ")";
  return element("td", text + html_text(cell.after));
}

struct Shape {
  std::size_t labels = 1;
  bool line_names = false;  ///< a column for "best", "last"
  bool has_best = false;
  std::size_t width(const Grid& grid) const { return labels + (line_names ? 1 : 0) + grid.columns.size(); }
};

Shape shape_of(const Table& table, const Grid& grid) {
  Shape shape{grid.label_titles.size(), false, false};
  for (const GridBlock& block : grid.blocks) {
    for (const GridLine& line : block.lines) shape.line_names = shape.line_names || !line.name.empty();
  }
  shape.has_best = std::find(table.modes.begin(), table.modes.end(), sweeps::Mode::best) != table.modes.end();
  return shape;
}

std::string head_of(const Grid& grid, const Shape& shape) {
  std::string row;
  const auto title = [&](const std::string& text) {
    row += text.empty() ? "<td></td>" : element("th", html_text(text), "scope=\"col\"");
  };
  for (const std::string& text : grid.label_titles) title(text);
  if (shape.line_names) title("");
  for (const std::string& text : grid.columns) title(text);
  return element("thead", element("tr", row)) + "\n";
}

/// The labels stand in each line: a switch may leave any of them alone, and a reader of the page aloud hears them.
std::string line_html(const GridBlock& block, const GridLine& line, const Shape& shape) {
  std::string row;
  const bool is_first = &line == &block.lines.front();
  for (const std::string& label : block.labels) {
    row += element("th", html_text(label), is_first ? "scope=\"row\"" : "scope=\"row\" class=\"again\"");
  }
  if (shape.line_names) row += element("td", html_text(line.name), "class=\"mode\"");
  for (const GridCell& cell : line.cells) row += cell_html(cell);
  std::string attributes;
  const std::string modes = modes_of(block, line, shape.has_best);
  if (is_first) attributes = "class=\"first\"";
  if (line.kind == GridLine::Kind::published) attributes = "class=\"published\"";
  if (line.kind == GridLine::Kind::difference) attributes = "class=\"difference\"";
  if (!modes.empty()) attributes += fmt::format("{}data-mode=\"{}\"", attributes.empty() ? "" : " ", modes);
  return element("tr", row, attributes) + "\n";
}

std::string body_of(const Grid& grid, const Shape& shape) {
  std::string body, group;
  for (const GridBlock& block : grid.blocks) {
    if (block.group != group) {
      group = block.group;
      const auto span = fmt::format("colspan=\"{}\" scope=\"rowgroup\"", shape.width(grid));
      body += element("tr", element("th", html_text(group.empty() ? "Others" : group), span), "class=\"group\"") + "\n";
    }
    for (const GridLine& line : block.lines) body += line_html(block, line, shape);
  }
  return element("tbody", "\n" + body) + "\n";
}

std::string grid_html(const Grid& grid, const Shape& shape, const std::string& title) {
  const auto labels = fmt::format("class=\"labels-{}\"", std::min<std::size_t>(shape.labels, 3));
  return in_a_frame(element("table", "\n" + head_of(grid, shape) + body_of(grid, shape), labels), title);
}

std::string list_of(const std::vector<std::string>& notes) {
  if (notes.empty()) return "";
  std::string items;
  for (const std::string& note : notes) items += element("li", html_prose(note)) + "\n";
  return element("ul", "\n" + items, "class=\"notes\"") + "\n";
}

std::string switch_of(const Table& table, const std::string& name) {
  if (table.modes.size() < 2) return "";
  std::string choices;
  const auto add = [&](std::string_view value, std::string_view title, bool checked) {
    const auto input = fmt::format("<input type=\"radio\" name=\"mode-{}\" value=\"{}\"{}/>", html_text(name), value,
                                   checked ? " checked=\"\"" : "");
    choices += element("label", input + element("span", std::string(title))) + "\n";
  };
  add("all", "all", true);
  for (const sweeps::Mode mode : table.modes) add(mode_name(mode), mode_title(mode), false);
  return element("fieldset", "\n" + element("legend", "Epoch") + "\n" + choices, "class=\"switch\"") + "\n";
}

std::string comparisons_of(const Table& table) {
  if (!has_tests(table)) return "";
  const Grid grid = comparisons_grid(table);
  const std::string title = std::string(kBetweenVariants) + ": " + title_of(table);
  return element("details", element("summary", kBetweenVariants) + "\n" +
                                grid_html(grid, shape_of(table, grid), title) + list_of(comparison_notes(table))) +
         "\n";
}

}  // namespace

std::string html_table(const Table& table, const std::string& name) {
  const Grid grid = grid_of(table);
  std::string text = element("h3", html_text(title_of(table)), fmt::format("id=\"{}\"", html_text(name))) + "\n";
  if (!table.settings.empty()) text += element("p", html_text(caption_of(table)), "class=\"settings\"") + "\n";
  text += switch_of(table, name) + grid_html(grid, shape_of(table, grid), title_of(table));
  text += list_of(notes_of(table)) + comparisons_of(table);
  return text;
}

std::string html_figure(const PageFigure& figure) {
  const auto image = fmt::format("<img src=\"{}\" alt=\"{}\"/>", svg_address(figure.svg), html_text(figure.title));
  const auto data = fmt::format("<a href=\"figures/{}.csv\">its numbers</a>", html_text(figure.name));
  const auto caption = fmt::format("<b>{}.</b> {} ({})", html_text(figure.title), html_text(figure.caption), data);
  return element("figure", image + "\n" + element("figcaption", caption)) + "\n";
}

}  // namespace results
