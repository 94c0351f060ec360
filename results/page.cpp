// One file: style inside, figures as addresses of data, nothing that a browser has to fetch.
#include "results/page.hpp"

#include <fmt/format.h>

#include "results/html_parts.hpp"
#include "results/html_text.hpp"
#include "results/notes.hpp"
#include "results/page_parts.hpp"
#include "results/page_style.hpp"

namespace results {
namespace {

std::string title_text(const PageFacts& facts) {
  std::string names;
  for (const auto& name : facts.sweeps) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "Report" : names;
}

std::string tables_html(const std::vector<Table>& tables, const std::vector<std::string>& names,
                        const PageFacts& facts) {
  std::string text;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    std::string section = html_table(tables[i], names[i]);
    for (const PageFigure& figure : facts.figures) {
      if (figure.table == names[i]) section += html_figure(figure);
    }
    text += element("section", "\n" + section, "class=\"table\"") + "\n";
  }
  if (!facts.why_no_figures.empty())
    text +=
        element("p",
                (facts.figures.empty() && facts.row_figures.empty() ? "No figures: " : "Not all figures are drawn: ") +
                    html_text(facts.why_no_figures),
                "class=\"state incomplete\"") +
        "\n";
  return text;
}

std::string rows_html(const PageFacts& facts) {
  std::string text;
  for (const PageFigure& figure : facts.row_figures) text += html_figure(figure);
  for (const std::string& note : facts.row_notes)
    text += element("p", html_text(note) + ".", "class=\"state incomplete\"") + "\n";
  return text;
}

std::string files_html(const std::vector<std::string>& files) {
  std::string items;
  for (const auto& file : files)
    items += element("li", element("a", html_text(file), fmt::format("href=\"{}\"", html_text(file)))) + "\n";
  return items.empty() ? "" : element("ul", "\n" + items, "class=\"files\"") + "\n";
}

/// A section and its line in the contents.
struct Part {
  std::string_view id, title;
  std::string text;
};

std::string contents_of(const std::vector<Part>& parts, const std::vector<Table>& tables,
                        const std::vector<std::string>& names) {
  std::string items;
  const auto link = [](std::string_view id, const std::string& title) {
    return element("a", html_text(title), fmt::format("href=\"#{}\"", html_text(id)));
  };
  for (const Part& part : parts) {
    if (part.text.empty()) continue;
    std::string below;
    if (part.id == "tables") {
      for (std::size_t i = 0; i < tables.size(); ++i)
        below += element("li", link(names[i], title_of(tables[i]))) + "\n";
    }
    items +=
        element("li", link(part.id, std::string(part.title)) + (below.empty() ? "" : element("ul", "\n" + below))) +
        "\n";
  }
  return element("nav", "\n" + element("ul", "\n" + items) + "\n", "aria-label=\"Contents\"") + "\n";
}

}  // namespace

std::string page_of(const std::vector<Table>& tables, const std::vector<std::string>& names,
                    const std::vector<sweeps::Plan>& plans, const Ledger& ledger, const PageFacts& facts) {
  const std::vector<PlannedRun> runs = planned_runs(plans, ledger);
  const std::vector<Part> parts = {
      {"run", "What was run", run_html(runs, facts)},
      {"tables", "Tables", tables_html(tables, names, facts)},
      {"where-rows-lie", "Where the rows lie", rows_html(facts)},
      {"paper", "Beside the paper", verdicts_html(tables)},
      {"failures", "What did not come out", failures_html(runs, ledger.notes)},
      {"provenance", "What it rests on", provenance_html(runs, facts)},
      {"files", "Files of this report", files_html(facts.files)},
  };
  std::string sections;
  for (const Part& part : parts) sections += page_section(part.id, part.title, part.text);
  const std::string title = html_text(title_text(facts));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n"
      "<title>{0} - plume-bench</title>\n<style>\n{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n{2}</header>\n"
      "{3}<main>\n{4}</main>\n</body>\n</html>\n",
      title, page_style(), state_html(count_jobs(runs)), contents_of(parts, tables, names), sections);
}

}  // namespace results
