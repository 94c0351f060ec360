// The layout of a table in words, the same for Markdown, a terminal and LaTeX: label columns, then one column a class,
// the mean and the count of runs; under each row one line a mode and what the paper prints. Knows no markup.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/statistics.hpp"

namespace results {

/// What stands in one place: "84.5", "1.2", " (3/5)". A page may set the parts differently.
struct GridCell {
  std::string text;    ///< a number, or words where there is none
  std::string spread;  ///< "1.2", "-" for a single run; empty where no spread belongs there
  std::string choice;  ///< best_of: "λ 10", what it takes
  std::string after;   ///< ", max 0.77", " (3/5)", " ‡", each with its space
  bool bold = false;   ///< the number
};
/// "84.5 ± 1.2 (λ 10) (3/5)".
std::string plain_text(const GridCell& cell);

struct GridLine {
  enum class Kind { mode, published, difference, label };
  Kind kind = Kind::mode;
  std::optional<sweeps::Mode> mode;  ///< of Kind::mode
  std::string name;                  ///< "best", "published", "another paper's"
  std::vector<GridCell> cells;       ///< one per column of the grid
};
/// The lines of one row of the table; of one column where the table is transposed.
struct GridBlock {
  std::string group;                ///< heading that it stands under
  std::vector<std::string> labels;  ///< one per label column
  std::vector<GridLine> lines;
  const Row* row = nullptr;  ///< null where rows are columns
};
struct Grid {
  std::vector<std::string> label_titles;
  std::vector<std::string> columns;
  std::vector<GridBlock> blocks;
};

/// Refers to the rows of `table`. `with_runs`: with the count of runs.
Grid grid_of(const Table& table, bool with_runs = true);

/// Of a text that names a row as a table prints it: without the mark behind the name, " (untrained)". The first one,
/// and none where there is none.
std::string without_marks(std::string text);

/// As written in a sweep and in data: "best", "last", "last-10", "gap".
std::string_view mode_name(sweeps::Mode mode);
/// As people read it: "last 10".
std::string_view mode_title(sweeps::Mode mode);

}  // namespace results
