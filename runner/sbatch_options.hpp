// Options of sbatch that a user adds to batch scripts (`--sbatch`): which of them the scripts cannot bear. Pure.
#pragma once

#include <string>

namespace runner {

/// What is wrong with the text of a "#SBATCH" line, e.g. `expected an option that the script does not rest on, found
/// "-o x"`; "" for nothing. As sbatch reads it: several options a line, quotes, abbreviated names.
std::string wrong_in_options(const std::string& text);
/// The line has this option by its whole name, e.g. "--no-requeue".
bool has_option(const std::string& text, const std::string& option);
/// What the line gives an option by its whole name or its letter: "--constraint=a100", "--constraint a100", "-C a100",
/// "-Ca100"; "" where it gives none.
std::string option_value(const std::string& text, const std::string& option, const std::string& letter);

}  // namespace runner
