// The files of a report: one Markdown and one CSV file a table, and an index of them. Knows where they lie, not what
// they say.
#include <fmt/format.h>

#include "results/markdown.hpp"
#include "results/notes.hpp"
#include "results/tables.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace results {
namespace {

/// Ids come from sweeps and become file names.
void check_id(const std::string& id) {
  constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  if (!id.empty() && id.find_first_not_of(kAllowed) == std::string::npos) return;
  throw storage::Error("table id \"" + id + "\": expected letters, digits, \"-\" and \"_\", for it names a file");
}

std::string index_of(const std::vector<Table>& tables) {
  std::string links, sections;
  for (const Table& table : tables) {
    std::size_t finished = 0, planned = 0;
    for (const Row& row : table.rows) {
      finished += row.total.finished;
      planned += row.total.planned;
    }
    links += fmt::format("- {0}: [Markdown](tables/{0}.md), [CSV](tables/{0}.csv); {1} of {2} runs\n", table.id,
                         finished, planned);
    sections += "\n" + markdown_section(table, 2);
  }
  return "# Tables\n\n" + (tables.empty() ? std::string("None: the sweep names no table.\n") : links) + sections;
}

}  // namespace

void write_report(const std::filesystem::path& report, const std::vector<Table>& tables) {
  for (const Table& table : tables) check_id(table.id);
  for (const Table& table : tables) {
    storage::write_atomically(report / "tables" / (table.id + ".md"), to_markdown(table));
    storage::write_atomically(report / "tables" / (table.id + ".csv"), to_csv(table));
  }
  storage::write_atomically(report / "index.md", index_of(tables));
}

}  // namespace results
