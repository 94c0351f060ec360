// Our numbers beside the paper's, over all tables.
#include <fmt/format.h>

#include <utility>

#include "results/claims.hpp"
#include "results/grid.hpp"
#include "results/html_parts.hpp"
#include "results/html_text.hpp"
#include "results/notes.hpp"
#include "results/page_parts.hpp"

namespace results {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string counts_table(const std::vector<Table>& tables) {
  Rows rows;
  for (const Table& table : tables) {
    if (table.published == nullptr) continue;
    const VerdictCounts& v = table.verdicts;
    Rows::value_type row{title_of(table)};
    for (const std::size_t count : {v.inside, v.outside, v.no_spread, v.withheld, v.no_number})
      row.push_back(std::to_string(count));
    rows.push_back(std::move(row));
  }
  return text_table("Verdicts on the paper's numbers, by table",
                    {"table", "inside", "outside", "no spread", "withheld", "not there yet"}, rows, {1, 2, 3, 4, 5});
}

void add_outside(Rows& rows, const Table& table, const Row& row, const std::string& column,
                 const std::optional<Published>& published, const std::optional<Verdict>& verdict) {
  if (!published || !verdict || verdict->kind != Verdict::Kind::outside) return;
  rows.push_back({title_of(table), row.name, column, fmt::format("{:.1f}", published->mean),
                  fmt::format("{:+.1f}", verdict->difference.value_or(0)),
                  fmt::format("{:+.1f} to {:+.1f}", verdict->low.value_or(0), verdict->high.value_or(0))});
}

std::string outside_table(const std::vector<Table>& tables) {
  Rows rows;
  for (const Table& table : tables) {
    for (const Row& row : table.rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        add_outside(rows, table, row, table.column_title(i), row.cells[i].published, row.cells[i].verdict);
      add_outside(rows, table, row, "mean", row.published_mean, row.mean_verdict);
    }
  }
  const std::string title = "Outside the 95 % interval of the difference (Welch)";
  const auto text =
      text_table(title, {"table", "row", "column", "published", "ours less it", "interval"}, rows, {3, 4, 5});
  return text.empty() ? "" : element("h3", html_text(title)) + "\n" + text;
}

std::string claims_table(const std::vector<Table>& tables) {
  Rows rows;
  for (const Claim& claim : claims_of(tables)) {
    const bool difference = claim.published->places.size() == 2;
    rows.push_back({claim.published->section, claim.published->title + (difference ? ", points" : ""),
                    fmt::format("{}{}", claim.published->approximate ? "about " : "", claim.published->value),
                    claim.ours ? fmt::format("{:.1f}", *claim.ours) : "-",
                    claim.why_not_comparable.empty() ? "" : "not comparable: " + claim.why_not_comparable});
  }
  const auto text = text_table("In the text of the paper", {"where", "what", "printed", "ours", ""}, rows, {2, 3});
  return text.empty() ? "" : element("h3", "In the text of the paper") + "\n" + text;
}

}  // namespace

std::string verdicts_html(const std::vector<Table>& tables) {
  const std::string counts = counts_table(tables);
  if (counts.empty()) return "";
  return element("p",
                 "Each number that the paper prints, held against the best epoch of ours: inside or outside the 95 % "
                 "interval of the difference; without a verdict where either side has no spread, and withheld where "
                 "the two are not comparable.") +
         "\n" + counts + outside_table(tables) + claims_table(tables);
}

}  // namespace results
