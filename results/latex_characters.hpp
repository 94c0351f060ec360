// How LaTeX writes a character beyond ASCII. Private to this folder.
#pragma once

namespace results {

/// ASCII, complete in itself; null where there is no such form.
const char* latex_character(char32_t code);

}  // namespace results
