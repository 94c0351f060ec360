// A table as a float of a LaTeX paper, and a document that shows all of them. Plain ASCII, so that no engine or
// encoding matters; of packages only what Debian's texlive-latex-recommended has.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "results/between_variants.hpp"
#include "results/latex_tabular.hpp"
#include "results/latex_text.hpp"
#include "results/note_parts.hpp"
#include "results/notes.hpp"
#include "results/tables.hpp"

namespace results {
namespace {

using sweeps::Mode;

constexpr std::size_t kMostNarrowColumns = 6;  ///< of a float that is one column of a paper wide
constexpr std::size_t kMostLines = 48;         ///< of tabulars in one float
constexpr std::size_t kMostOfNotes = 3500;     ///< characters: half a page
constexpr const char* kEnd = "}\n  \\par\n";

/// Sets its argument in its own size, or smaller where that is wider than the text or higher than a share of the page.
constexpr const char* kPreamble = R"(% Needs: \usepackage{booktabs,graphicx,xcolor,amssymb}
\ifdefined\plumebox\else\newsavebox{\plumebox}\fi
\providecommand{\plumefit}[2]{\sbox{\plumebox}{#2}%
  \ifdim\wd\plumebox>\linewidth\sbox{\plumebox}{\resizebox{\linewidth}{!}{\usebox{\plumebox}}}\fi
  \ifdim\dimexpr\ht\plumebox+\dp\plumebox\relax>#1\textheight
    \sbox{\plumebox}{\resizebox*{!}{#1\textheight}{\usebox{\plumebox}}}\fi
  \usebox{\plumebox}}
)";

/// One above another in a float: a heading and a tabular.
struct Part {
  std::string heading;
  Tabular tabular;
};

/// What the caption or the lines below must not lose, and what a reader of the paper's layout has to know.
std::vector<std::string> latex_notes(const Table& table) {
  Notes notes;
  add_published_notes(notes, table);
  add_choice_notes(notes, table);
  for (std::string& warning : warnings_of(table)) notes.push_back(std::move(warning));
  std::size_t characters = 0, kept = 0;
  while (kept < notes.size() && (characters += notes[kept].size()) <= kMostOfNotes) ++kept;
  const std::size_t left_out = notes.size() - kept;
  notes.resize(kept);
  if (left_out > 0) notes.push_back(fmt::format("Notes that only the other forms of this table have: {}.", left_out));
  return notes;
}

bool shows_published(const Table& table) {
  return any_row(table,
                 [](const Row& row) {
                   return !row.only_printed && std::any_of(row.cells.begin(), row.cells.end(),
                                                           [](const Cell& cell) { return cell.published.has_value(); });
                 }) ||
         any_row(table, [](const Row& row) { return !row.only_printed && row.published_mean; });
}

std::string caption_text(const Table& table) {
  std::string caption = title_of(table) + ".";
  if (shows_published(table)) caption += " Grey: as the paper prints it.";
  if (!table.settings.empty()) caption += " Settings: " + caption_of(table);
  return latex_prose(caption);
}

std::string_view heading_of(Mode mode) {
  switch (mode) {
    case Mode::best:
      return "Best epoch, selected on the test split";
    case Mode::last:
      return "Last epoch";
    case Mode::last_10:
      return "Mean of the last 10 epochs";
    case Mode::gap:
      return "Best epoch less last epoch";
  }
  return "";
}

/// The share of a page that is left for tabulars beside a caption and notes of so many characters.
double share_of_page(std::size_t characters) {
  constexpr double kMost = 0.85, kLeast = 0.3, kCharactersOfAPage = 7500;
  return std::max(kLeast, kMost - static_cast<double>(characters) / kCharactersOfAPage);
}

std::string float_text(const std::vector<Part>& parts, const std::string& caption, const std::string& label,
                       const std::vector<std::string>& notes) {
  std::size_t lines = 0, columns = 0, characters = caption.size();
  for (const Part& part : parts) {
    lines += part.tabular.lines;
    columns = std::max(columns, part.tabular.columns);
  }
  for (const std::string& note : notes) characters += note.size();
  const char* environment = columns > kMostNarrowColumns ? "table*" : "table";
  std::string text = fmt::format("\\begin{{{}}}[htbp]\n  \\centering\\emergencystretch=5em\n", environment);
  text += fmt::format("  \\caption{{{}}}\n  \\label{{tab:{}}}\n", caption, label);
  for (const Part& part : parts) {
    if (!part.heading.empty())
      text += fmt::format("  \\smallskip{{\\small\\textit{{{}}}}}\\par\\smallskip\n", part.heading);
    const double share =
        share_of_page(characters) * static_cast<double>(part.tabular.lines) / static_cast<double>(lines);
    text += fmt::format("  \\plumefit{{{:.2f}}}{{%\n{}{}", share, part.tabular.text, kEnd);
  }
  if (!notes.empty()) text += "  \\smallskip\n  \\begin{minipage}{\\linewidth}\\footnotesize\\raggedright\n";
  for (const std::string& note : notes) text += fmt::format("  {}\\par\n", latex_prose(note));
  if (!notes.empty()) text += "  \\end{minipage}\n";
  return text + fmt::format("\\end{{{}}}\n", environment);
}

std::vector<Part> parts_of(const Table& table) {
  const Mode first = has_mode(table, Mode::best) || table.modes.empty() ? Mode::best : table.modes.front();
  const bool any_ours = any_row(table, [](const Row& row) { return !row.only_printed; });
  std::vector<Part> parts{{any_ours ? std::string(heading_of(first)) : "", tabular_of(table, first, true)}};
  if (any_ours && first != Mode::last && has_mode(table, Mode::last)) {
    parts.push_back({std::string(heading_of(Mode::last)), tabular_of(table, Mode::last, false)});
  }
  return parts;
}

}  // namespace

std::string to_latex(const Table& table, const std::string& label) {
  std::string text = kPreamble;
  const std::vector<Part> parts = parts_of(table);
  const std::vector<std::string> notes = latex_notes(table);
  const std::string caption = caption_text(table);
  std::size_t lines = 0;
  for (const Part& part : parts) lines += part.tabular.lines;
  if (parts.size() == 1 || lines <= kMostLines) {
    text += float_text(parts, caption, label, notes);
  } else {
    text += float_text({parts.front()}, caption, label, notes);
    text += float_text({parts.back()}, latex_prose(title_of(table) + "."), label + "-last", {});
  }
  if (!has_tests(table)) return text;
  const std::string title = fmt::format("{}: {}.", title_of(table), "between variants");
  return text + float_text({{"", tabular_of(comparisons_grid(table))}}, latex_prose(title), label + "-variants",
                           comparison_notes(table));
}

std::string latex_document(const std::vector<std::string>& names) {
  std::string text =
      "\\documentclass{article}\n\\usepackage[a4paper,margin=1.8cm]{geometry}\n"
      "\\usepackage{booktabs,graphicx,xcolor,amssymb}\n\\begin{document}\n";
  for (const std::string& name : names) text += fmt::format("\\input{{{}.tex}}\n\\clearpage\n", name);
  if (names.empty()) text += "No tables.\n";
  return text + "\\end{document}\n";
}

}  // namespace results
