// Options of sbatch that a user adds to batch scripts (`--sbatch`): which of them the scripts cannot bear. Pure.
#pragma once

#include <string>

namespace runner {

/// What is wrong with the text of a "#SBATCH" line, e.g. `expected an option that the script does not rest on, found
/// "-o x"`; "" for nothing. As sbatch reads it: several options a line, quotes, abbreviated names.
std::string wrong_in_options(const std::string& text);
/// The line has this option by its whole name, e.g. "--no-requeue".
bool has_option(const std::string& text, const std::string& option);

}  // namespace runner
