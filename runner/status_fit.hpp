// Rows of text in columns that fit a width: what matters least goes first, then the longest is cut. Knows nothing of
// runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace runner {

struct FitColumn {
  int rank = 0;                 ///< where there is no room, the column of the highest rank is left out; 0: never
  bool right = false;           ///< right-aligned
  std::size_t comfortable = 0;  ///< cut to this width before any column is left out; 0: not cut then
  std::size_t least = 0;        ///< cut to this width when no more can be left out; 0: not cut then
  bool middle = false;          ///< it is the middle that is cut
};

/// Each row as one line of at most `width` columns, two spaces between its cells; columns that are empty in every row
/// take no room. Rows have a cell for each of `columns`.
std::vector<std::string> fitted(const std::vector<std::vector<std::string>>& rows,
                                const std::vector<FitColumn>& columns, std::size_t width);

/// How many items each of several lists shows where `room` lines are there for all, a line of heading each included:
/// one each as far as they reach, then one more each in turn. A list that is cut needs a line of its own that says so.
/// {3, 20} items in 12 lines -> {3, 6}: 1 + 3, 1 + 6 + 1.
std::vector<std::size_t> shares_of_room(const std::vector<std::size_t>& items, std::size_t room);

}  // namespace runner
