// Which classes' test rows lie on the right side of the threshold: of each row a map of normal classes and test
// classes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/csv.hpp"
#include "results/figure_source.hpp"
#include "results/gnuplot_script.hpp"

namespace results {
namespace {

constexpr std::size_t kMostPanels = 12;
constexpr std::size_t kMostClasses = 40;     ///< on either side of a map
constexpr std::size_t kMostForNumbers = 12;  ///< more leave no room for them
constexpr std::size_t kMostBytes = 16;       ///< of a class's name

/// Shares in percent, by column of the table and test class, one a run.
using Shares = std::map<std::pair<std::size_t, std::size_t>, std::vector<double>>;
struct Panel {
  const FigureRow* row;
  Shares shares;
};
struct Data {
  std::vector<Panel> panels;
  std::size_t columns = 0;                    ///< of the table, those that are shown
  std::vector<std::string> classes;           ///< of the data set, in the order in which runs name them
  std::map<std::string, std::size_t> places;  ///< of classes
  std::size_t rows_with_shares = 0;
};

std::size_t place_of(Data& data, const std::string& name) {
  const auto [place, is_new] = data.places.try_emplace(name, data.classes.size());
  if (is_new) data.classes.push_back(name);
  return place->second;
}

Shares shares_of(Data& data, const FigureRow& row) {
  Shares shares;
  for (std::size_t column = 0; column < data.columns; ++column) {
    for (const CountedRun& run : row.counted(column, sweeps::Mode::last)) {
      const EpochRecord& last = run.result->epochs.back();
      for (std::size_t i = 0; i < last.shares.size(); ++i) {
        const std::size_t place = place_of(data, run.result->classes.at(i));
        if (last.shares[i]) shares[{column, place}].push_back(*last.shares[i] * 100);
      }
    }
  }
  return shares;
}

Data data_of(const FigureSource& source) {
  Data data;
  data.columns = std::min(source.table.columns.size(), kMostClasses);
  for (const FigureRow& row : source.rows) {
    if (!row.trained) continue;
    Panel panel{&row, shares_of(data, row)};
    if (panel.shares.empty()) continue;
    if (++data.rows_with_shares <= kMostPanels) data.panels.push_back(std::move(panel));
  }
  return data;
}

/// As the table prints it, where it is one of its columns.
std::string title_of(const std::string& name, const Table& table) {
  const auto column = std::find(table.columns.begin(), table.columns.end(), name);
  return column == table.columns.end() ? name
                                       : table.column_title(static_cast<std::size_t>(column - table.columns.begin()));
}

std::string lines_of(const Data& data, const FigureSource& source) {
  std::string lines = "panel,normal,test,share,n,row,normal_class,test_class\n";
  for (std::size_t panel = 0; panel < data.panels.size(); ++panel) {
    for (const auto& [place, values] : data.panels[panel].shares) {
      const auto& [column, test] = place;
      if (test >= kMostClasses) continue;
      lines += fmt::format("{},{},{},{},{},{},{},{}\n", panel, column, test, csv_number(summarise(values).mean),
                           values.size(), data_text(data.panels[panel].row->row->name),
                           data_text(source.table.column_title(column)), data_text(data.classes[test]));
    }
  }
  return lines;
}

std::string tics_of(const std::vector<std::string>& names, std::size_t count) {
  std::string tics;
  for (std::size_t i = 0; i < count; ++i)
    tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ", gnuplot_tic(names[i], kMostBytes), i);
  return tics;
}

constexpr int kTitle = 28, kLeft = 112, kMapWidth = 235, kBetween = 20;

std::string panel_script(const Figure& figure, const Data& data, std::size_t panel, bool numbers) {
  const std::string where = fmt::format("'{}.csv' skip 1 using ($1=={} ? $3 : NaN):2", figure.name, panel);
  std::string text =
      fmt::format("set title {}\nplot {}:(0.5):(0.5):4 with boxxyerror fs solid 1.0 noborder fc palette notitle",
                  gnuplot_text(data.panels[panel].row->row->name, 36), where);
  if (numbers) {
    const auto numbers_where = [&](const char* condition, const char* colour) {
      return fmt::format(
          ", \\\n  '{}.csv' skip 1 using ($1=={}&&$4{} ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font "
          "',9' tc rgb '{}' notitle",
          figure.name, panel, condition, colour);
    };
    text += numbers_where(">62", "#FFFFFF") + numbers_where("<=62", "#000000");
  }
  return text + "\n";
}

/// Of the names under a map, which stand upright.
int label_height(const std::vector<std::string>& names) {
  std::size_t longest = 3;
  for (const std::string& name : names) longest = std::max(longest, std::min(name.size(), kMostBytes));
  return 20 + static_cast<int>(longest) * 6;
}

std::string script_of(const Figure& figure, const Data& data, const FigureSource& source) {
  const std::size_t tests = std::min(data.classes.size(), kMostClasses);
  std::vector<std::string> normals, tested;
  for (std::size_t i = 0; i < data.columns; ++i) normals.push_back(source.table.column_title(i));
  for (std::size_t i = 0; i < tests; ++i) tested.push_back(title_of(data.classes[i], source.table));
  const int cell = std::clamp(kMapWidth / static_cast<int>(tests), 8, 24);
  const int map_height = std::max(40, cell * static_cast<int>(data.columns));
  const int bar_height = std::max(map_height, 110);
  const int panel_height = kTitle + map_height + label_height(tested);
  const int height = panel_height * static_cast<int>((data.panels.size() + 1) / 2) + 10;
  std::string text =
      script_start(figure.name, height) +
      fmt::format(
          "set multiplot\nunset key\nset border 0\nset xrange [-0.5:{0}]\nset yrange [{1}:-0.5]\n"
          "set palette defined (0 '#F7FBFF', 25 '#C6DBEF', 50 '#6BAED6', 75 '#2171B5', 100 '#08306B')\n"
          "set cbrange [0:100]\nset cbtics 25 scale 0.5 font ',10'\n"
          "set xtics ({2}) rotate by 90 right scale 0 font ',10'\nset title offset 0,-0.6\n",
          static_cast<double>(tests) - 0.5, static_cast<double>(data.columns) - 0.5, tics_of(tested, tests));
  for (std::size_t i = 0; i < data.panels.size(); ++i) {
    const bool is_left = i % 2 == 0;
    const int top = static_cast<int>(i / 2) * panel_height + kTitle;
    const int left = is_left ? kLeft : kLeft + kMapWidth + kBetween;
    text += margins({left, left + kMapWidth, top, top + map_height}, height);
    text +=
        is_left ? fmt::format("set ytics ({}) scale 0 font ',10'\n", tics_of(normals, data.columns)) : "unset ytics\n";
    text += i == 0 ? fmt::format(
                         "set colorbox user vertical origin screen {:.4f}, screen {:.4f} size screen 0.02, screen "
                         "{:.4f}\nset cblabel '% on the right side' font ',10' offset -0.5,0\n",
                         630.0 / kFigureWidth, 1 - static_cast<double>(top + bar_height) / height,
                         static_cast<double>(bar_height) / height)
                   : "unset colorbox\n";
    text += panel_script(figure, data, i, tests <= kMostForNumbers);
  }
  return text + "unset multiplot\nset output\n";
}

}  // namespace

std::optional<Figure> shares_figure(const FigureSource& source) {
  const Data data = data_of(source);
  if (data.panels.empty()) return std::nullopt;
  Figure figure = source.figure("shares", "share of each class on the right side of the threshold");
  figure.caption =
      "Percent of each class's test rows (across) on the right side of the threshold, by normal class (down): of "
      "the normal class the rows that are accepted, of every other class those that are rejected. Last epoch, "
      "mean over the seeds; a map a row.";
  figure.caption += cut_words("rows", data.panels.size(), data.rows_with_shares);
  figure.caption += cut_words("normal classes", data.columns, source.table.columns.size());
  figure.caption += cut_words("test classes", std::min(data.classes.size(), kMostClasses), data.classes.size());
  figure.caption += missing_words(source);
  figure.data = lines_of(data, source);
  figure.script = script_of(figure, data, source);
  return figure;
}

}  // namespace results
