// A table as a section of an HTML page. Private to this folder.
#pragma once

#include <string>

#include "results/statistics.hpp"

namespace results {

/// A figure of the page.
struct PageFigure {
  std::string table;           ///< file name of the table that it belongs to
  std::string name;            ///< of its files, figures/<name>.svg and .csv
  std::string title, caption;  ///< plain text
  std::string svg;
};

/// Title, settings, a switch between the table's modes where there are several, the table, its notes, and, folded, the
/// comparisons between rows; then its figures, which are written by the caller. `name`: of its files, unique in the
/// page. The switch works without scripts; a browser that does not know it shows all modes.
std::string html_table(const Table& table, const std::string& name);

/// A figure with its caption and a link to its numbers.
std::string html_figure(const PageFigure& figure);

}  // namespace results
