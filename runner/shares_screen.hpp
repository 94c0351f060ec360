// The screen of `status` for a directory of shares: a line for each of them, then what failed in any. Knows no terminal
// and no file.
#pragma once

#include <string>
#include <vector>

#include "runner/shares_directory.hpp"
#include "runner/status_layout.hpp"

namespace runner {

/// At most size.rows lines, as of one run. Where not every share has a line, those that need somebody come first.
std::vector<ScreenLine> screen_of(const SharesView& view, ScreenSize size);

}  // namespace runner
