// Whether bytes from outside are text.
#pragma once

#include <cstddef>
#include <string_view>

namespace storage {

/// Bytes of the UTF-8 character that begins at `at` < text.size(); 0: none does, in the sense of is_utf8.
std::size_t character_length(std::string_view text, std::size_t at);
/// UTF-8: no overlong forms, no halves of UTF-16 pairs, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace storage
