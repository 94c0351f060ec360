// Text from files, made fit for a message of one line.
#pragma once

#include <string>
#include <string_view>

namespace storage {

/// `text` as one line that a terminal shows and does not obey: control characters, line separators, marks that turn the
/// direction of writing, and bytes that are not UTF-8 become "?". More than `most` bytes (at least 8) are cut in the
/// middle, between characters: "abc...xyz".
std::string printable_line(std::string_view text, std::size_t most);

/// Whether a terminal obeys one character of UTF-8 instead of showing it: controls (C0, DEL, C1), separators of lines,
/// invisible marks and those that turn the direction of writing.
bool is_obeyed(std::string_view character);

/// UTF-8 that printable_line would show as it is: what may be a name, since names go into messages, JSON, tables and
/// identities.
bool is_plain_text(std::string_view text);

}  // namespace storage
