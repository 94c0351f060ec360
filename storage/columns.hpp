// Text on a terminal: how many columns it takes there, and cutting it to as many. Knows no escape sequences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace storage {

/// Columns of `text` on a terminal: 2 for "猫", 0 for a combining accent, 1 for what is neither. "?" stands for what a
/// terminal would obey (see printable_line).
std::size_t columns_of(std::string_view text);

/// Bytes of the longest beginning of `text`, which is printable, that takes at most `columns`; whole characters.
std::size_t bytes_within(std::string_view text, std::size_t columns);

/// `text` made printable, in at most `columns` columns: where it is longer its end is cut, and "…" is the last column.
std::string cut_to(std::string_view text, std::size_t columns);

/// The same, but the middle goes: the end of a name tells more than what is before it. "cifar10/cat li… seed 3".
std::string cut_middle(std::string_view text, std::size_t columns);

/// As cut_to, and filled with spaces to exactly `columns`.
std::string filled_to(std::string_view text, std::size_t columns);         ///< left-aligned
std::string filled_from_left(std::string_view text, std::size_t columns);  ///< right-aligned

}  // namespace storage
