// Text of users and of the paper as LaTeX. Private to this folder.
#pragma once

#include <string>
#include <string_view>

namespace results {

/// ASCII that pdflatex typesets as `text`, with amssymb and no other package: every character that means something to
/// TeX is escaped, "é" is \'{e}, "λ" is $\lambda$; what has no such form is named, e.g. {[}U+1F600{]}; bytes that are
/// not UTF-8 are "?".
std::string latex_text(std::string_view text);
/// The same for running text: `code` in a typewriter font, and long words may be broken.
std::string latex_prose(std::string_view text);

}  // namespace results
