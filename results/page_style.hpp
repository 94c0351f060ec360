// The style sheet of a page, compiled in from page.css. Private to this folder.
#pragma once

#include <string_view>

namespace results {

std::string_view page_style();

}  // namespace results
