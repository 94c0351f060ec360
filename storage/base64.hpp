// Bytes as text, for pictures inside HTML.
#pragma once

#include <string>
#include <string_view>

namespace storage {

/// RFC 4648 with padding, on one line: "Man" -> "TWFu".
std::string base64(std::string_view bytes);

}  // namespace storage
