// Sentences and the commands in them, folded into lines of a width: what is to be typed stays whole, or can be pasted
// as the lines stand. Knows nothing of runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace runner {

/// Folded at spaces, and within words that are longer than a line. A command in backticks, or one that ends the text
/// ("...: plume-bench run a.json"), is not torn: where it does not fit the line it gets lines of its own.
std::vector<std::string> folded_lines(const std::string& text, std::size_t columns);

/// A shell command in lines of at most `columns` (20 or more) that a shell takes as the same command: each but the last
/// ends with a backslash. Words are torn only where they are longer than a line.
std::vector<std::string> command_lines(const std::string& command, std::size_t columns);

/// At most `most` lines; where there are more, their middle goes, and "…" says so: messages begin with what happened
/// and end with what to do.
std::vector<std::string> without_middle(std::vector<std::string> lines, std::size_t most, std::size_t columns);

}  // namespace runner
