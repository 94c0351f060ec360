// Plain text on a grid of characters: widths, padding, folding. UTF-8; every code point is taken to be one column wide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace results {

/// Code points of `text`, e.g. 10 for "84.5 ± 1.2".
std::size_t display_width(std::string_view text);
std::string pad_left(std::string_view text, std::size_t width);   ///< right-aligned
std::string pad_right(std::string_view text, std::size_t width);  ///< left-aligned
/// Spaces on both sides; the odd one on the right.
std::string centred(std::string_view text, std::size_t width);

/// "18,970,339".
std::string grouped(std::uint64_t number);

/// `text` folded at spaces into lines of at most `width` columns (a longer word stays whole), each ended by a newline;
/// the first line begins with `first`, the others with `next`.
std::string folded(std::string_view text, std::size_t width, std::string_view first = "", std::string_view next = "");

/// `text` on one line and without control characters: they become spaces, so that no name can move the cursor or end a
/// row.
std::string on_one_line(std::string_view text);

}  // namespace results
