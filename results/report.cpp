// The files of a report: each table in every form, the runs as CSV, and an index of them. Knows where they lie, not
// what they say.
#include <fmt/format.h>

#include "results/claims.hpp"
#include "results/file_names.hpp"
#include "results/markdown.hpp"
#include "results/notes.hpp"
#include "results/run_records.hpp"
#include "results/tables.hpp"
#include "storage/atomic_file.hpp"
#include "storage/printable.hpp"

namespace results {
namespace {

constexpr const char* kRunFiles =
    "\nRun by run: [every epoch](epochs.csv), [the share of each class on the right side of the "
    "threshold](shares.csv).\n";

constexpr const char* kDocument =
    "\nOn paper: [all tables](tables/all.tex); `pdflatex all.tex` in tables/ makes a PDF.\n";

/// As code: whatever a host is called.
std::string notes_of(const Ledger& ledger) {
  constexpr std::size_t kMostBytes = 1000;
  if (ledger.notes.empty()) return "";
  std::string text = "\n## What happened on the way\n\n";
  for (const std::string& note : ledger.notes) text += "    " + storage::printable_line(note, kMostBytes) + "\n";
  return text;
}

std::string index_of(const std::vector<Table>& tables, const std::vector<std::string>& names, bool has_runs,
                     const std::string& figures) {
  std::string text = "# Tables\n\n";
  if (tables.empty()) text += "None: the sweep names no table.\n";
  for (std::size_t i = 0; i < tables.size(); ++i) {
    std::size_t finished = 0, planned = 0;
    for (const Row& row : tables[i].rows) {
      finished += row.total.finished;
      planned += row.total.planned;
    }
    const std::string comparisons = fmt::format(", [comparisons](tables/{}{}.csv)", names[i], kComparisons);
    text += fmt::format(
        "- {0}: [Markdown](tables/{0}.md), [LaTeX](tables/{0}.tex), [CSV](tables/{0}.csv), [JSON](tables/{0}.json){1}; "
        "{2} of {3} runs\n",
        names[i], tables[i].comparisons.empty() ? "" : comparisons, finished, planned);
  }
  if (!tables.empty()) text += kDocument;
  if (has_runs) text += kRunFiles;
  if (!figures.empty()) text.append("\n").append(figures);
  for (const Table& table : tables) text.append("\n").append(markdown_section(table, 2));
  const std::string claims = claims_markdown(claims_of(tables));
  if (!claims.empty()) text += "\n## In the text of the paper\n\n" + claims;
  return text;
}

/// What write_report writes beside the page.
std::vector<std::string> files_of(const std::vector<Table>& tables, const std::vector<std::string>& names,
                                  bool has_runs, bool has_workers) {
  std::vector<std::string> files{"index.md"};
  if (has_runs) files.insert(files.end(), {"epochs.csv", "shares.csv"});
  if (has_workers) files.emplace_back("workers.csv");
  if (!tables.empty()) files.emplace_back("tables/all.tex");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (const char* ending : {".md", ".tex", ".csv", ".json"}) files.push_back("tables/" + names[i] + ending);
    if (!tables[i].comparisons.empty()) files.push_back("tables/" + names[i] + kComparisons + ".csv");
  }
  return files;
}

void write_table(const std::filesystem::path& folder, const std::string& name, const Table& table) {
  const auto write = [&](const char* ending, const std::string& bytes) {
    storage::write_atomically(folder / (name + ending), bytes);
  };
  write(".md", to_markdown(table));
  write(".tex", to_latex(table, name));
  write(".csv", to_csv(table));
  write(".json", to_json(table));
  const std::filesystem::path comparisons = folder / (name + kComparisons + ".csv");
  if (!table.comparisons.empty()) return storage::write_atomically(comparisons, comparisons_csv(table));
  std::filesystem::remove(comparisons);  // of an earlier report
}

}  // namespace

void write_report(const std::filesystem::path& report, const std::vector<Table>& tables,
                  const std::vector<sweeps::Plan>& plans, const Ledger& ledger, const std::string& worker_uses,
                  const std::string& figures, PageFacts facts) {
  const std::vector<std::string> names = file_names_of(tables);
  for (std::size_t i = 0; i < tables.size(); ++i) write_table(report / "tables", names[i], tables[i]);
  if (!tables.empty()) storage::write_atomically(report / "tables/all.tex", latex_document(names));
  if (!plans.empty()) {
    storage::write_atomically(report / "epochs.csv", epochs_csv(plans, ledger));
    storage::write_atomically(report / "shares.csv", shares_csv(plans, ledger));
  }
  if (worker_uses.empty()) {
    std::filesystem::remove(report / "workers.csv");  // of an earlier report
  } else {
    storage::write_atomically(report / "workers.csv", worker_uses);
  }
  storage::write_atomically(report / "index.md", index_of(tables, names, !plans.empty(), figures) + notes_of(ledger));
  facts.files = files_of(tables, names, !plans.empty(), !worker_uses.empty());
  storage::write_atomically(report / "index.html", page_of(tables, names, plans, ledger, facts));
}

}  // namespace results
