// Figures of a dump: where its rows lie before the classifier and in the embedding, by t-SNE. Pure: no files. Same
// dump, same bytes, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/dump.hpp"
#include "results/figures.hpp"
#include "results/planned_runs.hpp"

namespace results {

/// Of the three kinds together; each has a third at most.
inline constexpr std::size_t kMostRowsOfAFigure = 2000;

/// In the order in which they are drawn, the last on top.
enum class DumpedKind { anomalous, pseudo, normal };

struct ShownRow {
  DumpedKind kind;
  std::size_t index;  ///< among the rows of its kind
};

/// Which rows the figures of a dump show: all, or as many as may be, drawn by the dump's key; kind by kind, in their
/// order. A pseudo-anomaly is shown with the row that it was made from.
std::vector<ShownRow> shown_rows(const Dump& dump);

/// The files of figures that an earlier report wrote: the bytes of "<name>.csv", "" where there is none.
using EarlierFile = std::function<std::string(const std::string& file)>;

/// Up to four, `tsne-<key>-` before `features-2d`, `features-3d`, `embedding-2d`, `embedding-3d`, of the best epoch or,
/// where there is none, the last; they belong to no table. The script's first lines say what the numbers were made
/// from, and a digest of the numbers: where an earlier report's say the same, its numbers are used again and nothing is
/// computed.
std::vector<Figure> row_figures(const PlannedRun& run, const Dump& dump, const EarlierFile& earlier);

/// Whether row_figures would compute nothing.
bool has_row_figures(const Dump& dump, const EarlierFile& earlier);

/// Seconds that row_figures may take, roughly, on one core of the year 2020.
double seconds_of_row_figures(const Dump& dump);

}  // namespace results
