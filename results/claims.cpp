// Looks numbers up in aggregated tables; computes differences only.
#include "results/claims.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace results {
namespace {

using sweeps::Mode;
using sweeps::PublishedClaim;

struct Found {
  const Table* table = nullptr;
  const Row* row = nullptr;
};

Found find(const std::vector<Table>& tables, const PublishedClaim::Place& place) {
  for (const Table& table : tables) {
    if (table.published == nullptr || table.published->id != place.table) continue;
    for (const Row& row : table.rows) {
      if (!row.only_printed && row.published != nullptr && row.published->id == place.row) return {&table, &row};
    }
  }
  return {};
}

/// Incomplete means are no answer to a sentence.
std::optional<double> complete_mean(const Value& value) {
  return value.summary.n == value.planned ? value.summary.mean : std::nullopt;
}

std::optional<double> number_at(const Found& found, const std::string& column) {
  const auto mode = std::find(found.table->modes.begin(), found.table->modes.end(), Mode::best);
  if (mode == found.table->modes.end()) return std::nullopt;
  const auto best = static_cast<std::size_t>(mode - found.table->modes.begin());
  if (column == "mean") {
    if (found.row->mean_by_mode.size() <= best) return std::nullopt;
    return complete_mean(found.row->mean_by_mode[best]);
  }
  for (std::size_t i = 0; i < found.table->columns.size(); ++i) {
    const auto* printed = found.table->published->find_column(found.table->columns[i]);
    if (printed != nullptr && printed->id == column) return complete_mean(found.row->cells.at(i).by_mode.at(best));
  }
  return std::nullopt;
}

/// A mean over other classes than the paper's is another number.
std::string why_not(const Found& found) {
  if (!found.row->comparable) return found.row->why_not_comparable;
  const auto& verdict = found.row->mean_verdict;
  return verdict && verdict->kind == Verdict::Kind::withheld ? verdict->why : "";
}

std::optional<Claim> claim_of(const PublishedClaim& published, const std::vector<Table>& tables) {
  Claim claim{&published, std::nullopt, ""};
  std::vector<std::optional<double>> numbers;
  for (const PublishedClaim::Place& place : published.places) {
    const Found found = find(tables, place);
    if (found.row == nullptr) return std::nullopt;
    numbers.push_back(number_at(found, place.column));
    if (claim.why_not_comparable.empty()) claim.why_not_comparable = why_not(found);
  }
  if (numbers.size() == 1) claim.ours = numbers[0];
  if (numbers.size() == 2 && numbers[0] && numbers[1]) claim.ours = *numbers[0] - *numbers[1];
  return claim;
}

}  // namespace

std::vector<Claim> claims_of(const std::vector<Table>& tables) {
  std::vector<Claim> claims;
  for (const PublishedClaim& published : sweeps::published_claims()) {
    if (auto claim = claim_of(published, tables)) claims.push_back(std::move(*claim));
  }
  return claims;
}

std::string claims_markdown(const std::vector<Claim>& claims) {
  if (claims.empty()) return "";
  std::string text = "| where | what | printed | ours | |\n| --- | --- | ---: | ---: | --- |\n";
  for (const Claim& claim : claims) {
    const bool difference = claim.published->places.size() == 2;
    const std::string ours = claim.ours ? fmt::format("{:.1f}", *claim.ours) : "-";
    text +=
        fmt::format("| {} | {}{} | {}{} | {} | {} |\n", claim.published->section, claim.published->title,
                    difference ? ", points" : "", claim.published->approximate ? "about " : "", claim.published->value,
                    ours, claim.why_not_comparable.empty() ? "" : "not comparable: " + claim.why_not_comparable);
  }
  return text + "\nOurs: the best epoch on the test split, as in print; only where every run behind it is there.\n";
}

}  // namespace results
