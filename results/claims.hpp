// Results that the paper states in its running text, beside what the tables of a report come to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/statistics.hpp"

namespace results {

struct Claim {
  const sweeps::PublishedClaim* published = nullptr;
  std::optional<double> ours;  ///< mode best, percent or points of percent; absent: not there yet, or incomplete
  std::string why_not_comparable = {};  ///< empty where ours may be held against the print
};

/// Those whose tables and rows are among `tables`, in the paper's order; other papers' numbers are nobody's claim.
std::vector<Claim> claims_of(const std::vector<Table>& tables);

/// A Markdown table with a note, or "" where there is none.
std::string claims_markdown(const std::vector<Claim>& claims);

}  // namespace results
