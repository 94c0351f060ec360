// A screen's text from a head, lists and a last line: what each list shows where not everything fits. Knows nothing of
// runs, no terminal and no file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runner/status_fit.hpp"

namespace runner {

/// Narrower terminals are taken for as wide.
inline constexpr std::size_t kLeastColumns = 20;

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

struct ScreenItem {
  std::vector<std::string> cells;
  Style style = Style::plain;
  std::string below = {};     ///< what belongs to the last cell: lines of its own where there is room, else beside it
  bool below_may_go = false;  ///< else it is left out
};
struct ScreenPart {
  std::vector<std::string> titles;
  std::vector<FitColumn> columns;
  std::vector<ScreenItem> items;
  std::size_t rest = 0;  ///< further ones, of which no more is known than their number
  std::function<std::string(std::size_t shown)>
      more;  ///< of the items after `shown`: "and 250 more: 249 working, 1 idle"
};

/// `text` folded into at most `most` lines; "…" ends one that is not all.
void add_folded(std::vector<ScreenLine>& lines, const std::string& text, std::size_t columns, Style style,
                std::size_t most);

/// A sentence of the head.
struct HeadItem {
  std::string text;
  Style style = Style::plain;
  /// What becomes of it where there are few lines: `whole` stays as it is, of `cut` the middle goes, `spare` goes
  /// first.
  enum class Need { whole, cut, spare } need = Need::whole;
};
/// At most size.rows lines, and no more than two thirds of them where cutting can help it.
std::vector<ScreenLine> head_lines(const std::vector<HeadItem>& items, ScreenSize size);

/// At most size.rows lines: the head, as much of each part as there is room for, and the hint, "" for none.
std::vector<ScreenLine> laid_out(std::vector<ScreenLine> head, const std::vector<ScreenPart>& parts,
                                 const std::string& hint, ScreenSize size);

/// The lines as text, with colours where `colours`.
std::string text_of(const std::vector<ScreenLine>& lines, bool colours);

}  // namespace runner
