// Makes text of unknown origin fit a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace workers {

/// Runs of spaces and control characters become one space, the ends are trimmed, at most `longest` bytes are kept ("…"
/// marks a cut).
std::string one_line(std::string_view text, std::size_t longest = 500);
/// The last two lines that say something, joined by " | ", as one line.
std::string last_lines(std::string_view text);

}  // namespace workers
