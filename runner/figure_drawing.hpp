// Figures as files of a report, drawn by gnuplot where there is one: a report without it keeps all else.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "results/figures.hpp"

namespace runner {

struct DrawnFigures {
  std::vector<results::Figure> figures;
  std::map<std::string, std::string> svg;  ///< by name; those that were drawn
  std::string why_not;                     ///< one line for people where gnuplot is missing or failed; "" else
};

/// A gnuplot that takes longer is given up: a run that drains has little time left.
inline constexpr std::chrono::seconds kDrawingDeadline{30};

/// Writes figures/<name>.csv, .gp and .svg under `report` and removes figures of an earlier report. One gnuplot, found
/// on the PATH, draws them all; where it fails, figures that it drew before stay. Never throws for gnuplot's sake;
/// throws storage::Error where files cannot be written.
DrawnFigures draw_figures(const std::filesystem::path& report, std::vector<results::Figure> figures,
                          const std::chrono::duration<double>& deadline = kDrawingDeadline);

/// Where they lie, as Markdown: links for each table, and why some are not drawn.
std::string figures_index(const DrawnFigures& drawn);

}  // namespace runner
