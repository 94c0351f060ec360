// What a person means by a word: the key of a job or its first digits, the name of a job, or table/row/column of a
// cell. Pure.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "runner/status_directory.hpp"

namespace runner {

struct JobAddress {
  std::size_t plan = 0, job = 0;
};
/// A cell, or the row's mean: all its cells.
struct CellAddress {
  std::size_t plan = 0, table = 0, row = 0;
  std::vector<std::size_t> columns;
  std::string text;  ///< "ablation/LinearMap/cat", as its names are written
};
/// A job of the journal that no sweep of the directory names (any more).
struct FormerJob {
  sweeps::JobKey key;
};
using Address = std::variant<JobAddress, CellAddress, FormerJob>;

inline constexpr std::size_t kShortestPrefix = 6;

/// Upper and lower case are the same. Throws UsageError with the nearest right word for what is nothing, and for digits
/// that several keys begin with.
Address address_of(const std::string& text, const RunPicture& picture);

/// "ablation/LinearMap/cat" of every cell that a job is in.
std::vector<std::string> cells_with(std::size_t plan, std::size_t job, const RunPicture& picture);

/// "table/row/column" of one cell of the plan, as an example; "" where it has none.
std::string first_cell_of(const sweeps::Plan& plan);

}  // namespace runner
