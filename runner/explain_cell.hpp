// The lines of a cell from how its jobs stand, wherever these lie. Pure; private to explain.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/explain_address.hpp"
#include "runner/explain_reason.hpp"

namespace runner {

/// Distinct jobs of the cells, in order.
std::vector<std::size_t> jobs_of(const CellAddress& address, const sweeps::Plan& plan);

struct CellJob {
  std::string name;               ///< with its short key
  std::optional<Reason> missing;  ///< nothing: it is done
  std::string where;              ///< "share-2-of-3"; "" where all are in one directory
};

/// How many are done; what is missing, by reason and place; then what mends it, each line once.
std::vector<std::string> cell_lines(const std::string& cell, const std::vector<CellJob>& jobs);

}  // namespace runner
