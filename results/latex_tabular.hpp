// One tabular of a LaTeX table. Private to this folder.
#pragma once

#include <string>

#include "results/grid.hpp"

namespace results {

/// A tabular that shows one mode of a table, a line a row.
struct Tabular {
  std::string text;       ///< from \begin{tabular} to \end{tabular}
  std::size_t lines = 0;  ///< how high it is
  std::size_t columns = 0;
};
/// `with_published`: below each row of ours a small grey line with the paper's numbers, and the rows of other papers;
/// without: rows that end inverted say so.
Tabular tabular_of(const Table& table, sweeps::Mode mode, bool with_published);
/// Every line of a grid as it is.
Tabular tabular_of(const Grid& grid);

}  // namespace results
