// Pieces of gnuplot scripts. Nothing of a text that a user wrote is ever obeyed. Private to this folder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace results {

/// Pixels: what a page shows side by side with its text.
inline constexpr int kFigureWidth = 700;

/// `text` as a string of gnuplot: in single quotes, in which it expands nothing (no backquotes, macros, escapes); one
/// line of at most `most` bytes, cut in the middle.
std::string gnuplot_text(const std::string& text, std::size_t most = 60);
/// The same for the label of a tic, in which "%" would begin a format.
std::string gnuplot_tic(const std::string& text, std::size_t most = 60);

/// How the n-th thing of a figure looks: told apart by colour (Okabe and Ito's, for the colour-blind), by point type
/// and, from the ninth on, by dashes.
struct Look {
  const char* colour;  ///< "#0072B2"
  int point;           ///< gnuplot's point type, filled
  int hollow_point;    ///< the same shape, empty
  int dash;
};
Look look_of(std::size_t n);

/// Up to and with `set output`: the script draws `<name>.svg`, `height` pixels high.
std::string script_start(const std::string& name, int height);
/// Where the next plot's frame lies, in pixels from the figure's left and top.
struct Frame {
  int left, right, top, bottom;
};
std::string margins(const Frame& frame, int height);
/// A legend at the top, in the middle, of as many columns (one or two) as its labels leave room for.
struct Legend {
  int height;          ///< pixels, with the space below it
  std::string script;  ///< for a figure of any height
};
/// `width`: of the plot's frame, which gnuplot holds it to.
Legend legend_of(const std::vector<std::string>& labels, int width);
inline constexpr std::size_t kMostLabelBytes = 48;  ///< of a label in it

/// "[20:90]": tens of percent around `low` and `high`, within 0 and 100.
std::string tens_around(double low, double high);

}  // namespace results
