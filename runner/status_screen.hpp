// The screen of `status`: text of a given size from plain values. Knows no terminal and no file.
#pragma once

#include <string>
#include <vector>

#include "runner/status_layout.hpp"
#include "runner/status_view.hpp"

namespace runner {

/// At most size.rows lines. Where not everything fits, each part shows its most telling lines and says how many more
/// there are.
std::vector<ScreenLine> screen_of(const StatusView& view, ScreenSize size);

}  // namespace runner
