// The files of a report: one Markdown and one CSV file a table, the runs as CSV, and an index of them. Knows where they
// lie, not what they say.
#include <fmt/format.h>

#include <set>

#include "results/markdown.hpp"
#include "results/notes.hpp"
#include "results/run_records.hpp"
#include "results/tables.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace results {
namespace {

/// Ids come from sweeps and become file names.
void check_id(const std::string& id) {
  constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  if (!id.empty() && id.front() != '.' && id.find_first_not_of(kAllowed) == std::string::npos) return;
  throw storage::Error("table id \"" + id +
                       "\": expected letters, digits, \"-\", \"_\" and \".\", for it names a file");
}

/// A name for the files of each table: its id, with a number from the second table of that id on (two sweeps in one
/// folder).
std::vector<std::string> file_names_of(const std::vector<Table>& tables) {
  std::set<std::string> ids, used;
  for (const Table& table : tables) ids.insert(table.id);
  std::vector<std::string> names;
  for (const Table& table : tables) {
    check_id(table.id);
    std::string name = table.id;
    for (int n = 2; used.contains(name) || (n > 2 && ids.contains(name)); ++n) name = fmt::format("{}-{}", table.id, n);
    used.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

constexpr const char* kRunFiles =
    "\nRun by run: [every epoch](epochs.csv), [the share of each class on the right side of the "
    "threshold](shares.csv).\n";

std::string index_of(const std::vector<Table>& tables, const std::vector<std::string>& names, bool has_runs) {
  std::string text = "# Tables\n\n";
  if (tables.empty()) text += "None: the sweep names no table.\n";
  for (std::size_t i = 0; i < tables.size(); ++i) {
    std::size_t finished = 0, planned = 0;
    for (const Row& row : tables[i].rows) {
      finished += row.total.finished;
      planned += row.total.planned;
    }
    text += fmt::format("- {0}: [Markdown](tables/{0}.md), [CSV](tables/{0}.csv); {1} of {2} runs\n", names[i],
                        finished, planned);
  }
  if (has_runs) text += kRunFiles;
  for (const Table& table : tables) text.append("\n").append(markdown_section(table, 2));
  return text;
}

}  // namespace

void write_report(const std::filesystem::path& report, const std::vector<Table>& tables,
                  const std::vector<sweeps::Plan>& plans, const Ledger& ledger) {
  const std::vector<std::string> names = file_names_of(tables);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    storage::write_atomically(report / "tables" / (names[i] + ".md"), to_markdown(tables[i]));
    storage::write_atomically(report / "tables" / (names[i] + ".csv"), to_csv(tables[i]));
  }
  if (!plans.empty()) {
    storage::write_atomically(report / "epochs.csv", epochs_csv(plans, ledger));
    storage::write_atomically(report / "shares.csv", shares_csv(plans, ledger));
  }
  storage::write_atomically(report / "index.md", index_of(tables, names, !plans.empty()));
}

}  // namespace results
