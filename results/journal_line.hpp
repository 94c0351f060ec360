// One line of the journal as bytes: its seal (the checksum at its end) and how a line that is not good is bad. Opens no
// file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "results/journal.hpp"

namespace results {

enum class LineState {
  good,
  damaged,  ///< not the bytes that were written: cut short, or its checksum does not match
  wrong,    ///< the bytes that were written, but they cannot be right: a key that is not its job's, an AUROC of 1.2
};

struct ReadLine {
  LineState state = LineState::good;
  std::optional<Entry> entry;  ///< there when good
  std::string why;             ///< one line, beginning with the origin, when not
};

/// Never throws for a damaged or wrong line. Throws Error for a line of another format or engine version: it is whole,
/// and only another plume-bench may judge it, so nobody may cut it or move it aside.
ReadLine read_line(std::string_view line, const std::string& origin, Engines engines = Engines::ours);

}  // namespace results
