// Text that goes into shell scripts.
#pragma once

#include <string>
#include <vector>

namespace runner {

/// One word of a shell command line, whatever is in it: as it is where nothing in it is special, else in single quotes.
std::string shell_word(const std::string& text);
/// Words separated by spaces.
std::string shell_words(const std::vector<std::string>& words);
/// True where the text has a line break or another control character: it has no place in a script.
bool has_control_characters(const std::string& text);

}  // namespace runner
