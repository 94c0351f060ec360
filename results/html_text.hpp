// Text of users as HTML. Private to this folder.
#pragma once

#include <string>
#include <string_view>

namespace results {

/// `text` on one line, as an element or a quoted attribute shows it and never takes it for markup: what means something
/// to HTML is escaped, what is_obeyed and bytes that are not UTF-8 are "?". More than 20,000 bytes are cut in the
/// middle.
std::string html_text(std::string_view text);

/// The same for running text, in which `code` stands between backticks.
std::string html_prose(std::string_view text);

/// `svg` as the address of an image: nothing of it runs, and its ids meet no other figure's.
std::string svg_address(std::string_view svg);

}  // namespace results
