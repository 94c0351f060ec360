// gnuplot 5.4's words for texts, colours, sizes and places.
#include "results/gnuplot_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "storage/printable.hpp"

namespace results {
namespace {

std::string with_each(const std::string& text, char which, const char* instead) {
  std::string changed;
  for (const char c : text) changed += c == which ? std::string(instead) : std::string(1, c);
  return changed;
}

double share_of(int pixels, int all) {
  return static_cast<double>(pixels) / all;
}

}  // namespace

std::string gnuplot_text(const std::string& text, std::size_t most) {
  return "'" + with_each(storage::printable_line(text, most), '\'', "''") + "'";
}

std::string gnuplot_tic(const std::string& text, std::size_t most) {
  return with_each(gnuplot_text(text, most), '%', "%%");
}

Look look_of(std::size_t n) {
  constexpr std::array kColours{"#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#B8A800"};
  struct Shape {
    int full, hollow;
  };
  constexpr std::array kShapes{Shape{7, 6}, Shape{5, 4}, Shape{9, 8}, Shape{13, 12}, Shape{11, 10}, Shape{15, 14}};
  const Shape shape = kShapes[n % kShapes.size()];
  const auto round = static_cast<int>(n / kColours.size());
  return {kColours[n % kColours.size()], shape.full, shape.hollow, 1 + round % 5};
}

std::string script_start(const std::string& name, int height) {
  std::string id = name;
  for (char& c : id) {
    if (c == '-' || c == '.') c = '_';
  }
  return fmt::format(
      "# `gnuplot -d {0}.gp` in this folder draws {0}.svg from {0}.csv.\n"
      "reset session\n"
      "set encoding utf8\n"
      "set terminal svg size {1},{2} fixed noenhanced background '#ffffff' font 'sans-serif,12' name '{3}'\n"
      "set output '{0}.svg'\n"
      "set datafile separator comma\n"
      "set tics nomirror\n"
      "set border 3 lc rgb '#444444'\n",
      name, kFigureWidth, height, id);
}

std::string margins(const Frame& frame, int height) {
  return fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n",
      share_of(frame.left, kFigureWidth), share_of(frame.right, kFigureWidth), 1 - share_of(frame.top, height),
      1 - share_of(frame.bottom, height));
}

Legend legend_of(const std::vector<std::string>& labels, int width) {
  constexpr double kCharacter = 7.2, kSample = 60;  // pixels, as gnuplot reckons
  constexpr std::size_t kLine = 18;
  std::size_t longest = 0;
  for (const std::string& label : labels) longest = std::max(longest, std::min(label.size(), kMostLabelBytes));
  const std::size_t columns = 2 * (static_cast<double>(longest) * kCharacter + kSample) < width ? 2 : 1;
  return {static_cast<int>(14 + kLine * ((labels.size() + columns - 1) / columns)),
          fmt::format(
              "set key at screen 0.5,screen 0.995 top center {} Left reverse maxcols {} width 1 samplen 2 spacing 1\n",
              columns == 1 ? "vertical" : "horizontal", columns)};
}

std::string tens_around(double low, double high) {
  const double from = std::clamp(std::floor(low / 10) * 10, 0.0, 90.0);
  return fmt::format("[{}:{}]", from, std::clamp(std::ceil(high / 10) * 10, from + 10, 100.0));
}

}  // namespace results
