// The lists of the screen: tables, workers, features, failures, each with its most telling items first. Private to
// status_screen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runner/status_fit.hpp"
#include "runner/status_screen.hpp"

namespace runner {

struct ScreenItem {
  std::vector<std::string> cells;
  Style style = Style::plain;
};
struct ScreenPart {
  std::vector<std::string> titles;
  std::vector<FitColumn> columns;
  std::vector<ScreenItem> items;
  std::function<std::string(std::size_t shown)>
      more;  ///< of the items after `shown`: "and 250 more: 249 working, 1 idle"
};

/// In their order on the screen; those without items too.
std::vector<ScreenPart> parts_of(const StatusView& view, std::size_t columns);

/// "[######>>!....]" in `width` columns: done, running, failed, left. Whatever there is of a kind shows where there is
/// room.
std::string bar_of(const JobCounts& counts, std::size_t width);

}  // namespace runner
