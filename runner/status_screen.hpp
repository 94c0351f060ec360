// The screen of `status`: text of a given size from plain values. Knows no terminal and no file.
#pragma once

#include <string>
#include <vector>

#include "runner/status_view.hpp"

namespace runner {

enum class Style { plain, strong, good, bad, faint };
struct ScreenLine {
  std::string text;  ///< printable, no wider than the screen
  Style style = Style::plain;
  bool operator==(const ScreenLine&) const = default;
};
struct ScreenSize {
  std::size_t columns = 100;
  std::size_t rows = 0;  ///< 0: as many as it takes
};

/// At most size.rows lines. Where not everything fits, each part shows its most telling lines and says how many more
/// there are.
std::vector<ScreenLine> screen_of(const StatusView& view, ScreenSize size);

/// The lines as text, with colours where `colours`.
std::string text_of(const std::vector<ScreenLine>& lines, bool colours);

}  // namespace runner
