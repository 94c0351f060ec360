// A table as a section of a Markdown document.
#pragma once

#include <string>

#include "results/statistics.hpp"

namespace results {

/// to_markdown(table) with a title of heading level `level` >= 1.
std::string markdown_section(const Table& table, int level);

}  // namespace results
