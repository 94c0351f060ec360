// Box plots of a class's runs, a colour a row: the best epoch above, the last below.
#include <fmt/format.h>

#include <algorithm>

#include "results/csv.hpp"
#include "results/figure_source.hpp"
#include "results/gnuplot_script.hpp"
#include "results/quantiles.hpp"

namespace results {
namespace {

using sweeps::Mode;

constexpr std::size_t kMostRows = 12;
constexpr std::size_t kMostColumns = 40;
constexpr std::size_t kBoxesInAStrip = 48;  ///< side by side in kFigureWidth
constexpr std::size_t kMostBytes = 20;      ///< of a class's name
constexpr std::size_t kMostPointsOfABox = 20;
constexpr std::size_t kMostPoints = 2000;  ///< of single runs, drawn over the boxes
constexpr Mode kModes[] = {Mode::best, Mode::last};

/// What is drawn, with its lines.
struct Data {
  std::string lines = "column,row,mode,n,low,first_quartile,median,third_quartile,high,run,row_name,column_name\n";
  std::vector<const FigureRow*> rows;
  std::size_t columns = 0;
  std::size_t points = 0;
  bool left_out = false;  ///< some
  double low = 100, high = 0;
};

std::vector<double> percents(const std::vector<CountedRun>& runs, Mode mode) {
  std::vector<double> values;
  for (const CountedRun& run : runs) {
    if (const auto percent = auc_percent(*run.result, mode)) values.push_back(*percent);
  }
  return values;
}

bool has_runs(const FigureRow& row, std::size_t columns) {
  for (std::size_t column = 0; column < columns; ++column) {
    if (!row.counted(column, Mode::best).empty()) return true;
  }
  return false;
}

/// A line a box, then one a run.
void add_lines(Data& data, const FigureSource& source, std::size_t row, std::size_t column, std::size_t mode) {
  const auto values = percents(data.rows[row]->counted(column, kModes[mode]), kModes[mode]);
  if (values.empty()) return;
  const std::string names = data_text(data.rows[row]->row->name) + "," + data_text(source.table.column_title(column));
  const FiveNumbers five = five_numbers(values);
  data.low = std::min(data.low, five.low);
  data.high = std::max(data.high, five.high);
  data.lines += fmt::format("{},{},{},{},{},{},{},{},{},,{}\n", column, row, mode, values.size(), csv_number(five.low),
                            csv_number(five.first_quartile), csv_number(five.median), csv_number(five.third_quartile),
                            csv_number(five.high), names);
  if (values.size() > kMostPointsOfABox || data.points + values.size() > kMostPoints) {
    data.left_out = true;
    return;
  }
  data.points += values.size();
  for (const double value : values) {
    data.lines += fmt::format("{},{},{},,,,,,,{},{}\n", column, row, mode, csv_number(value), names);
  }
}

/// Names of so many classes stand side by side without leaning.
bool have_room(const Table& table, std::size_t columns) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    longest = std::max(longest, std::min(table.column_title(i).size(), kMostBytes));
  return columns * (longest * 7 + 10) < kFigureWidth - 70;
}

/// The boxes of columns [from, to) in one mode.
struct Strip {
  std::size_t mode, from, to;
  bool leaning;  ///< names
};

std::string script_of(const Strip& strip, const Figure& figure, const FigureSource& source, const Data& data) {
  const auto [mode, from, to, leaning] = strip;
  std::string tics;
  for (std::size_t column = from; column < to; ++column) {
    tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ", gnuplot_tic(source.table.column_title(column), kMostBytes),
                        column);
  }
  std::string text =
      fmt::format("set xrange [{}:{}]\nset xtics ({}){}\nset ylabel '{}' offset 1,0\n", static_cast<double>(from) - 0.5,
                  static_cast<double>(to) - 0.5, tics, leaning ? " rotate by -30 left" : " norotate center",
                  mode == 0 ? "best epoch" : "last epoch");
  for (std::size_t border = from; border + 1 < to; ++border) {
    text += fmt::format("set arrow from {0}.5, graph 0 to {0}.5, graph 1 nohead lc rgb '#DDDDDD' back\n", border);
  }
  const double width = 0.9 / static_cast<double>(data.rows.size());
  for (std::size_t row = 0; row < data.rows.size(); ++row) {
    const Look look = look_of(row);
    const double offset = (static_cast<double>(row) + 0.5) * width - 0.45;
    const std::string start = fmt::format("{}'{}.csv' skip 1 using ($2=={}&&$3=={} ? $1{:+.5f} : NaN)",
                                          row == 0 ? "plot " : ", \\\n  ", figure.name, row, mode, offset);
    const std::string again =
        fmt::format(", \\\n  '{}.csv' skip 1 using ($2=={}&&$3=={} ? $1{:+.5f} : NaN)", figure.name, row, mode, offset);
    const double box = 0.8 * width;
    text += fmt::format(
        "{}:6:5:9:8:({:.5f}) with candlesticks fs transparent solid 0.35 lc rgb '{}' dt {} title {} "
        "whiskerbars 0.5",
        start, box, look.colour, look.dash, gnuplot_text(data.rows[row]->row->name, kMostLabelBytes));
    text += fmt::format("{}:7:7:7:7:({:.5f}) with candlesticks lw 2 lc rgb '{}' notitle", again, box, look.colour);
    text += fmt::format("{}:10 with points pt {} ps 0.35 lc rgb '{}' notitle", again, look.point, look.colour);
  }
  return text + "\nunset key\nunset arrow\n";
}

std::string script_of(const Figure& figure, const FigureSource& source, const Data& data) {
  const std::size_t in_a_strip = std::clamp<std::size_t>(kBoxesInAStrip / data.rows.size(), 1, 20);
  const std::size_t strips = (data.columns + in_a_strip - 1) / in_a_strip;
  const std::size_t even = (data.columns + strips - 1) / strips;
  const bool leaning = !have_room(source.table, even);
  constexpr int kPanel = 190;
  const int labels = leaning ? 78 : 46;
  std::vector<std::string> names;
  for (const FigureRow* row : data.rows) names.push_back(row->row->name);
  const Legend legend = legend_of(names, kFigureWidth - 70);
  const int top = legend.height;
  const int height = top + static_cast<int>(strips) * 2 * (kPanel + labels);
  std::string text = script_start(figure.name, height) + "set multiplot\n" + legend.script + "set yrange " +
                     tens_around(data.low, data.high) + "\nset ytics 10\nset grid ytics lc rgb '#DDDDDD'\n";
  int at = top;
  for (std::size_t from = 0; from < data.columns; from += even) {
    for (std::size_t mode = 0; mode < 2; ++mode, at += kPanel + labels) {
      text += margins({60, 690, at + 8, at + kPanel}, height) +
              script_of(Strip{mode, from, std::min(from + even, data.columns), leaning}, figure, source, data);
    }
  }
  return text + "unset multiplot\nset output\n";
}

}  // namespace

std::optional<Figure> boxes_figure(const FigureSource& source) {
  Data data;
  data.columns = std::min(source.table.columns.size(), kMostColumns);
  std::size_t with_runs = 0;
  for (const FigureRow& row : source.rows) {
    if (!has_runs(row, data.columns)) continue;
    if (++with_runs <= kMostRows) data.rows.push_back(&row);
  }
  if (data.rows.empty()) return std::nullopt;
  for (std::size_t column = 0; column < data.columns; ++column) {
    for (std::size_t row = 0; row < data.rows.size(); ++row) {
      for (std::size_t mode = 0; mode < 2; ++mode) add_lines(data, source, row, column, mode);
    }
  }
  Figure figure = source.figure("boxes", "AUROC of single runs by class");
  figure.caption =
      "AUROC in percent of the runs of each class, coloured by row. Boxes: quartiles and median; whiskers: the "
      "lowest and the highest run; points: the runs. Above in the best epoch, which is selected on the test "
      "split, below in the last one.";
  if (data.left_out) {
    figure.caption += fmt::format(" Points are drawn only in boxes of at most {} runs, and of {} runs in all.",
                                  kMostPointsOfABox, kMostPoints);
  }
  figure.caption += cut_words("rows", data.rows.size(), with_runs);
  figure.caption += cut_words("classes", data.columns, source.table.columns.size());
  figure.caption += missing_words(source);
  figure.data = data.lines;
  figure.script = script_of(figure, source, data);
  return figure;
}

}  // namespace results
