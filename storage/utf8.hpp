// Whether bytes from outside are text.
#pragma once

#include <string_view>

namespace storage {

/// UTF-8: no overlong forms, no halves of UTF-16 pairs, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);
/// UTF-8 without control characters: what may be a name, since names go into JSON, tables and identities.
bool is_plain_text(std::string_view text);

}  // namespace storage
