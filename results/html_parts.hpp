// Small pieces of a page. `text` is HTML already, where it is not said to be plain. Private to this folder.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace results {

/// <tag attributes>text</tag>.
std::string element(std::string_view tag, const std::string& text, std::string_view attributes = "");
/// A section with a heading of level 2 and an id to jump to; "" without text.
std::string page_section(std::string_view id, std::string_view title, const std::string& text);
/// Terms and what they are, as HTML; pairs without text are left out, and a list without pairs is "".
std::string description_list(const std::vector<std::pair<std::string, std::string>>& facts);
/// Plain texts as a table with a header, in a frame that scrolls by itself; `title` is its name to those who hear it.
/// "" without rows. Numbers are columns of `numbers`, counted from 0.
std::string text_table(const std::string& title, const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& numbers = {});
/// A table in a frame that scrolls by itself, by the keyboard too.
std::string in_a_frame(const std::string& table, const std::string& title);
/// "1 job", "3 jobs", "12,345 jobs".
std::string counted(std::size_t count, std::string_view one, std::string_view several);

}  // namespace results
