// The cells of a table in words, the same for Markdown and for a terminal. The only place where numbers are rounded,
// but for the notes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/statistics.hpp"

namespace results {

/// A column of texts, one a row of the table.
struct GridColumn {
  std::string mode;  ///< "best" or "last"; empty for the count of runs
  std::vector<std::string> cells;
};
/// A class, the mean over classes, or the count of runs; its columns belong together.
struct GridGroup {
  std::string name;
  std::vector<GridColumn> columns;
};
struct Grid {
  std::vector<std::string> row_names;
  std::vector<GridGroup> groups;  ///< the classes, "mean", "runs"
};

Grid grid_of(const Table& table);

/// "84.5 ± 1.2"; "84.5 ± -" for a single run; "84.5" if `with_spread` is false. `summary` has a mean.
std::string number_text(const Summary& summary, bool with_spread);
/// "LinearMap"; "LinearMap (untrained)" where its weights are marked.
std::string marked_name(const Row& row);
std::string_view name_of(sweeps::Mode mode);

}  // namespace results
