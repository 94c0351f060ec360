// Means over the classes as bars: ours in the best and the last epoch, the paper's and others' printed ones.
#include <fmt/format.h>

#include <algorithm>

#include "results/csv.hpp"
#include "results/figure_source.hpp"
#include "results/gnuplot_script.hpp"

namespace results {
namespace {

using sweeps::Mode;

constexpr std::size_t kMostBars = 100;
constexpr std::size_t kMostLabel = 40;  ///< bytes
constexpr int kBarHeight = 15;
constexpr double kGap = 0.7;  ///< between rows, in bars

enum Kind { best, last, papers, others };

struct Bar {
  Kind kind;
  double mean;
  std::optional<double> std_dev;
  std::size_t n = 0;  ///< seeds, or runs; 0: unknown
};
/// Bars that stand under each other beside one label.
struct Bars {
  std::string group;
  std::string label;
  std::vector<Bar> bars;
};

std::optional<Bar> ours(const Row& row, const Table& table, const std::vector<Value>& values, Mode mode) {
  const auto at = std::find(table.modes.begin(), table.modes.end(), mode);
  const auto index = static_cast<std::size_t>(at - table.modes.begin());
  if (index >= values.size()) return std::nullopt;
  const Value& value = values[index];
  const Kind kind = mode == Mode::best ? best : last;
  if (row.statistic != sweeps::Statistic::max) {
    if (!value.summary.mean) return std::nullopt;
    return Bar{kind, *value.summary.mean, value.summary.std_dev, value.summary.n};
  }
  if (!value.max) return std::nullopt;
  return Bar{kind, *value.max, std::nullopt, value.summary.n};
}

std::optional<Bar> printed(const Row& row, const std::optional<Published>& published) {
  if (!published) return std::nullopt;
  const bool literature =
      row.published != nullptr ? row.published->kind == sweeps::PublishedRow::Kind::literature : row.only_printed;
  return Bar{literature ? others : papers, published->mean, published->std_dev, published->n};
}

Bars bars_of(const Row& row, const Table& table, const std::string& label, const std::vector<Value>& values,
             const std::optional<Published>& published) {
  Bars bars{row.group, label, {}};
  const auto add = [&](const std::optional<Bar>& bar) {
    if (bar) bars.bars.push_back(*bar);
  };
  add(ours(row, table, values, Mode::best));
  add(ours(row, table, values, Mode::last));
  add(printed(row, published));
  return bars;
}

/// Of a row's mean, or, where its columns are chosen and there is none, of each column.
std::vector<Bars> bars_of(const Table& table) {
  std::vector<Bars> all;
  for (const Row& row : table.rows) {
    if (table.columns_are == sweeps::Columns::chosen) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        all.push_back(
            bars_of(row, table, row.name + ", " + table.column_title(i), row.cells[i].by_mode, row.cells[i].published));
      }
      continue;
    }
    const bool one_class = table.columns.size() == 1 && !row.published_mean && !row.cells.empty();
    all.push_back(
        bars_of(row, table, row.name, row.mean_by_mode, one_class ? row.cells[0].published : row.published_mean));
  }
  return all;
}

/// Where everything stands, from above: data lines and the labels beside them.
struct Layout {
  std::string data = "at,kind,mean,std,low,high,n,what,row\n";
  std::string tics;
  double at = 0;
  std::size_t bars = 0;
  std::size_t longest = 10;  ///< label, in bytes
  bool has[4] = {};
  std::string group;
};

void add_tic(Layout& layout, double at, const std::string& label) {
  layout.tics += fmt::format("{}{} {:.2f}", layout.tics.empty() ? "" : ", ", gnuplot_tic(label, kMostLabel), at);
  layout.longest = std::max(layout.longest, label.size());
}

void add(Layout& layout, const Bars& bars) {
  constexpr const char* kWords[] = {"ours best", "ours last", "the paper's", "others'"};
  if (bars.group != layout.group) {
    layout.group = bars.group;
    if (!bars.group.empty()) add_tic(layout, layout.at, "[" + bars.group + "]");
    layout.at += 1;
  }
  add_tic(layout, layout.at + (static_cast<double>(bars.bars.size()) - 1) / 2, bars.label);
  for (const Bar& bar : bars.bars) {
    const double spread = bar.std_dev.value_or(0);
    layout.data +=
        fmt::format("{:.2f},{},{},{},{},{},{},{},{}\n", layout.at, static_cast<int>(bar.kind), csv_number(bar.mean),
                    csv_number(bar.std_dev), csv_number(bar.mean - spread), csv_number(bar.mean + spread),
                    bar.n == 0 ? "" : fmt::format("{}", bar.n), kWords[bar.kind], data_text(bars.label));
    layout.has[bar.kind] = true;
    layout.at += 1;
    ++layout.bars;
  }
  layout.at += kGap;
}

/// Where the bars begin: labels stand right-aligned before them, some 6.6 pixels a character.
int left_of(const Layout& layout) {
  return 24 + static_cast<int>(6.6 * static_cast<double>(std::min(layout.longest, kMostLabel)));
}

std::string script_of(const Figure& figure, const Layout& layout) {
  struct Fill {
    const char *colour, *style, *title;
  };
  constexpr Fill kFills[] = {{"#0072B2", "solid 1.0 border lc rgb '#0072B2'", "ours, best epoch"},
                             {"#56B4E9", "solid 1.0 border lc rgb '#0072B2'", "ours, last epoch"},
                             {"#E69F00", "solid 1.0 border lc rgb '#7A5500'", "the paper's own, as printed"},
                             {"#CCCCCC", "solid 1.0 border lc rgb '#888888'", "other papers', as printed there"}};
  std::vector<std::string> titles;
  for (const int kind : {best, last, papers, others}) {
    if (layout.has[kind]) titles.emplace_back(kFills[kind].title);
  }
  const int left = left_of(layout), right = 640;
  const Legend legend = legend_of(titles, right - left);
  const int top = legend.height, below = 52;
  const int height = top + below + static_cast<int>(layout.at * kBarHeight) + 10;
  std::string text =
      script_start(figure.name, height) + margins({left, right, top, height - below}, height) + legend.script;
  text += fmt::format(
      "set xrange [0:100]\nset yrange [{:.2f}:-1]\nset ytics ({}) scale 0\nset xtics 10\nset grid xtics lc rgb "
      "'#DDDDDD'\n"
      "set xlabel 'AUROC in percent'\nset arrow 1 from 50, graph 0 to 50, graph 1 nohead dt 2 lc rgb '#666666'\n",
      layout.at - kGap + 0.2, layout.tics);
  std::string plots;
  for (int kind = best; kind <= others; ++kind) {
    if (!layout.has[kind]) continue;
    plots += fmt::format(
        "{}'{}.csv' skip 1 using ($2=={} ? $3/2 : NaN):1:($3/2):(0.42) with boxxyerror fs {} fc rgb '{}' title {}",
        plots.empty() ? "plot " : ", \\\n  ", figure.name, kind, kFills[kind].style, kFills[kind].colour,
        gnuplot_text(kFills[kind].title));
  }
  plots += fmt::format(
      ", \\\n  '{0}.csv' skip 1 using (valid(4) ? $3 : NaN):1:5:6 with xerrorbars pt 0 lc rgb '#000000' notitle"
      ", \\\n  '{0}.csv' skip 1 using ($6 > 100 ? 100 : $6):1:(sprintf('%.1f', $3)) with labels left offset 0.6,0 font "
      "',10' notitle\n",
      figure.name);
  return text + plots + "set output\n";
}

}  // namespace

std::optional<Figure> bars_figure(const FigureSource& source) {
  const std::vector<Bars> all = bars_of(source.table);
  Layout layout;
  std::size_t with_bars = 0, shown = 0;
  for (const Bars& bars : all) {
    if (bars.bars.empty()) continue;
    ++with_bars;
    if (layout.bars + bars.bars.size() > kMostBars) continue;
    ++shown;
    add(layout, bars);
  }
  if (layout.bars == 0) return std::nullopt;
  const bool chosen = source.table.columns_are == sweeps::Columns::chosen;
  Figure figure = source.figure("bars", chosen ? "AUROC" : "AUROC, mean over the classes");
  figure.caption =
      "AUROC in percent, with its value behind each bar; error bars: one standard deviation over seeds (ddof = "
      "1), where there is one. The best epoch is selected on the test split, as in the paper; the last one is "
      "not selected. Dashed: chance.";
  if (layout.has[papers] || layout.has[others])
    figure.caption += " Printed numbers are copied from the paper, not computed.";
  figure.caption += cut_words("labels", shown, with_bars);
  if (with_bars < all.size())
    figure.caption += fmt::format(" Without a number: {} of {}.", all.size() - with_bars, all.size());
  figure.caption += missing_words(source);
  figure.data = layout.data;
  figure.script = script_of(figure, layout);
  return figure;
}

}  // namespace results
