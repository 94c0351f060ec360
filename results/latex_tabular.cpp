// Rows and rules as the paper sets them, with booktabs: no vertical lines, a small spread, groups as lines of their
// own.
#include "results/latex_tabular.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "results/latex_text.hpp"
#include "results/notes.hpp"

namespace results {
namespace {

using Kind = GridLine::Kind;
using sweeps::Mode;

/// "\textbf{89.5}{\scriptsize$\pm$1.0}"; words, where there is no number, are small.
std::string number_text(const GridCell& cell) {
  if (cell.text.empty()) return "";
  const bool is_number = cell.text.find_first_of("0123456789") != std::string::npos &&
                         cell.text.find_first_not_of("+-.0123456789") == std::string::npos;
  std::string text = latex_text(cell.text);
  if (cell.bold) text = "\\textbf{" + text + "}";
  if (!is_number && cell.text != "-") text = "{\\scriptsize " + text + "}";
  if (!cell.spread.empty()) text += "{\\scriptsize$\\pm$" + cell.spread + "}";
  if (!cell.choice.empty()) text += "{\\tiny\\,(" + latex_text(cell.choice) + ")}";
  if (cell.after.starts_with(' ')) text += "{\\scriptsize\\," + latex_text(cell.after.substr(1)) + "}";
  if (cell.after.starts_with(',')) text += "{\\scriptsize" + latex_text(cell.after) + "}";
  return text;
}

/// The same in one small size, for the paper's number below ours.
std::string grey_text(const GridCell& cell) {
  if (cell.text.empty()) return "";
  std::string text = latex_text(cell.text);
  if (cell.bold) text = "\\textbf{" + text + "}";
  if (!cell.spread.empty()) text += "$\\pm$" + cell.spread;
  if (!cell.choice.empty()) text += "\\,(" + latex_text(cell.choice) + ")";
  return "{\\scriptsize\\color{gray}" + text + "}";
}

/// `space`: more or less than usual below the row, "[2pt]".
std::string row_text(const std::vector<std::string>& fields, const char* space = "") {
  return fmt::format("    {} \\\\{}\n", fmt::join(fields, " & "), space);
}

/// Fields of one text that are side by side become one over all of them, with a rule below where `with_rules`.
std::string merged_row(const std::vector<std::string>& labels, const std::vector<std::string>& fields,
                       bool with_rules) {
  std::vector<std::string> merged = labels;
  std::string rules;
  for (std::size_t first = 0; first < fields.size();) {
    std::size_t end = first + 1;
    while (end < fields.size() && fields[end] == fields[first] && !fields[first].empty()) ++end;
    merged.push_back(end == first + 1 ? fields[first]
                                      : fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", end - first, fields[first]));
    if (end > first + 1)
      rules += fmt::format("\\cmidrule(lr){{{}-{}}}", labels.size() + first + 1, labels.size() + end);
    first = end;
  }
  return row_text(merged) + (with_rules && !rules.empty() ? "    " + rules + "\n" : "");
}

std::vector<std::string> latex_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const std::string& text : texts) out.push_back(latex_text(text));
  return out;
}

/// The line of a block that shows `mode`; a baseline has one line for all modes.
const GridLine* line_of_mode(const GridBlock& block, Mode mode) {
  for (const GridLine& line : block.lines) {
    const bool is_baseline = block.row != nullptr && !block.row->in_paper;
    if (line.kind == Kind::mode && (line.mode == mode || is_baseline)) return &line;
  }
  return nullptr;
}

const GridLine* line_of_kind(const GridBlock& block, Kind kind) {
  const auto found =
      std::find_if(block.lines.begin(), block.lines.end(), [&](const GridLine& line) { return line.kind == kind; });
  return found == block.lines.end() ? nullptr : &*found;
}

/// Writes the rows of one tabular.
class TabularWriter {
 public:
  TabularWriter(const Table& table, Mode mode, bool with_published)
      : table_(table), mode_(mode), with_published_(with_published), grid_(grid_of(table, false)) {}

  Tabular write() {
    tabular_.columns = grid_.label_titles.size() + grid_.columns.size();
    begin();
    for (const GridBlock& block : grid_.blocks) add_block(block);
    tabular_.text += "    \\bottomrule\n  \\end{tabular}";
    return std::move(tabular_);
  }

 private:
  void begin();
  void add_block(const GridBlock& block);
  void add_rule(const GridBlock& block);
  void add_line(const std::vector<std::string>& labels, const GridLine& line, bool grey, const char* space = "");
  bool is_shown(const GridBlock& block) const;
  std::vector<std::string> labels_of_block(const GridBlock& block) const;
  GridLine with_literature(GridLine line, const GridLine& published, bool grey) const;

  const Table& table_;
  Mode mode_;
  bool with_published_;
  Grid grid_;
  Tabular tabular_;
  const GridBlock* before_ = nullptr;  ///< the block that was written last
};

void TabularWriter::begin() {
  tabular_.text = fmt::format("  \\begin{{tabular}}{{{}{}}}\n    \\toprule\n",
                              std::string(grid_.label_titles.size(), 'l'), std::string(grid_.columns.size(), 'c'));
  std::vector<std::string> columns = latex_texts(grid_.columns);
  for (std::size_t i = 0; table_.transposed && !with_published_ && i < table_.rows.size(); ++i) {
    if (is_inverted(table_.rows[i])) columns[i] += " {\\scriptsize(inverted)}";
  }
  std::vector<std::string> titles = latex_texts(grid_.label_titles);
  if (!table_.transposed) titles.insert(titles.end(), columns.begin(), columns.end());
  tabular_.text += table_.transposed ? merged_row(titles, columns, false) : row_text(titles);
  tabular_.text += "    \\midrule\n";
  ++tabular_.lines;
}

/// A block without a line to show is left out: another paper has no last epoch.
bool TabularWriter::is_shown(const GridBlock& block) const {
  if (line_of_kind(block, Kind::label) != nullptr || line_of_mode(block, mode_) != nullptr) return true;
  return with_published_ && line_of_kind(block, Kind::published) != nullptr;
}

/// Where the paper draws lines: between groups, between other papers and its own, between methods of several rows, and
/// a short one before the best of them.
void TabularWriter::add_rule(const GridBlock& block) {
  const std::size_t width = tabular_.columns;
  if (before_ != nullptr && before_->group != block.group) {
    tabular_.text += "    \\midrule\n";
  } else if (before_ != nullptr && block.row == nullptr) {
    const bool first_numbers =
        line_of_kind(*before_, Kind::label) != nullptr && line_of_kind(block, Kind::label) == nullptr;
    const bool last = &block == &grid_.blocks.back() && table_.columns.size() != 1;
    if (first_numbers || last) tabular_.text += "    \\midrule\n";
  } else if (before_ != nullptr && block.group.empty()) {
    const bool both_printed = before_->row->only_printed && block.row->only_printed;
    const bool other_method = block.labels.size() > 1 && block.labels.front() != before_->labels.front();
    if (before_->row->only_printed != block.row->only_printed || (other_method && !both_printed)) {
      tabular_.text += "    \\midrule\n";
    } else if (block.labels.size() > 1 && !block.row->best_of.empty() && before_->row->best_of.empty()) {
      tabular_.text += fmt::format("    \\cmidrule(l){{2-{}}}\n", width);
    }
  }
  const bool new_group = before_ == nullptr ? !block.group.empty() : before_->group != block.group;
  if (!new_group || block.group.empty()) return;
  tabular_.text += fmt::format("    \\multicolumn{{{}}}{{l}}{{\\textit{{{}}}}} \\\\\n", width, latex_text(block.group));
  ++tabular_.lines;
}

std::vector<std::string> TabularWriter::labels_of_block(const GridBlock& block) const {
  std::vector<std::string> labels = latex_texts(block.labels);
  const bool inverted = !with_published_ && block.row != nullptr && is_inverted(*block.row);
  if (inverted) labels.front() += " {\\scriptsize(inverted)}";
  return labels;
}

void TabularWriter::add_line(const std::vector<std::string>& labels, const GridLine& line, bool grey,
                             const char* space) {
  std::vector<std::string> fields;
  for (const GridCell& cell : line.cells) {
    fields.push_back(grey ? grey_text(cell) : line.kind == Kind::label ? latex_text(cell.text) : number_text(cell));
  }
  if (line.kind == Kind::label) {
    tabular_.text += merged_row(labels, fields, true);
  } else {
    std::vector<std::string> all = labels;
    all.insert(all.end(), fields.begin(), fields.end());
    tabular_.text += row_text(all, space);
  }
  ++tabular_.lines;
}

/// Where rows are columns, another paper's numbers stand in the line of ours, and not in grey.
GridLine TabularWriter::with_literature(GridLine line, const GridLine& published, bool grey) const {
  for (std::size_t i = 0; table_.transposed && i < table_.rows.size(); ++i) {
    if (table_.rows[i].only_printed) line.cells[i] = grey ? GridCell{} : published.cells[i];
  }
  return line;
}

void TabularWriter::add_block(const GridBlock& block) {
  if (!is_shown(block)) return;
  add_rule(block);
  before_ = &block;
  const std::vector<std::string> labels = labels_of_block(block);
  if (const GridLine* label = line_of_kind(block, Kind::label)) add_line(labels, *label, false);
  const GridLine* ours = line_of_mode(block, mode_);
  const GridLine* published = with_published_ ? line_of_kind(block, Kind::published) : nullptr;
  if (ours == nullptr && published != nullptr) return add_line(labels, *published, false);
  if (ours == nullptr) return;
  if (published == nullptr) return add_line(labels, *ours, false);
  add_line(labels, with_literature(*ours, *published, false), false, "[-3pt]");
  std::vector<std::string> below(block.labels.size());
  below.front() = "{\\scriptsize\\color{gray}published}";
  add_line(below, with_literature(*published, *published, true), true, "[2pt]");
}

/// Characters of the widest cells of all columns together, commands included.
std::size_t width_in_characters(const std::string& text) {
  std::vector<std::size_t> widths;
  std::size_t column = 0, width = 0;
  for (const char c : text) {
    ++width;
    if (c != '&' && c != '\n') continue;
    widths.resize(std::max(widths.size(), column + 1));
    widths[column] = std::max(widths[column], width);
    width = 0;
    column = c == '&' ? column + 1 : 0;
  }
  std::size_t sum = 0;
  for (const std::size_t one : widths) sum += one;
  return sum;
}

/// TeX knows no length above 16,384 pt; what is shrunk from there to a page, nobody reads anyway.
Tabular on_a_page(Tabular tabular) {
  constexpr std::size_t kMostCharacters = 3000, kMostLines = 1000;
  if (width_in_characters(tabular.text) <= kMostCharacters && tabular.lines <= kMostLines) return tabular;
  return {
      "  \\begin{tabular}{l}\n    Too large for a page: the Markdown, CSV and JSON files have it.\n  \\end{tabular}", 1,
      1};
}

}  // namespace

Tabular tabular_of(const Table& table, Mode mode, bool with_published) {
  return on_a_page(TabularWriter(table, mode, with_published).write());
}

Tabular tabular_of(const Grid& grid) {
  Tabular tabular{"", 1 + grid.blocks.size(), grid.label_titles.size() + grid.columns.size()};
  tabular.text = fmt::format("  \\begin{{tabular}}{{{}{}}}\n    \\toprule\n",
                             std::string(grid.label_titles.size(), 'l'), std::string(grid.columns.size(), 'c'));
  std::vector<std::string> fields = latex_texts(grid.label_titles);
  for (const std::string& title : grid.columns) fields.push_back(latex_text(title));
  tabular.text += row_text(fields) + "    \\midrule\n";
  for (const GridBlock& block : grid.blocks) {
    fields = latex_texts(block.labels);
    for (const GridCell& cell : block.lines.front().cells) fields.push_back(latex_text(plain_text(cell)));
    tabular.text += row_text(fields);
  }
  tabular.text += "    \\bottomrule\n  \\end{tabular}";
  return on_a_page(std::move(tabular));
}

}  // namespace results
