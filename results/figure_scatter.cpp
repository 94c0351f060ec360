// The best epoch of each training against its last.
#include <fmt/format.h>

#include <algorithm>

#include "results/csv.hpp"
#include "results/figure_source.hpp"
#include "results/gnuplot_script.hpp"

namespace results {
namespace {

using sweeps::Mode;

constexpr std::size_t kMostRows = 16;
constexpr std::size_t kMostPoints = 2500;

struct Point {
  std::size_t row;
  double last, best;
  const CountedRun* run;
};

std::vector<Point> points_of(const std::vector<const FigureRow*>& rows) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t column = 0; column < rows[i]->runs.cells.size(); ++column) {
      for (const CountedRun& run : rows[i]->counted(column, Mode::best)) {
        const auto last = auc_percent(*run.result, Mode::last), best = auc_percent(*run.result, Mode::best);
        if (last && best) points.push_back({i, *last, *best, &run});
      }
    }
  }
  return points;
}

std::string script_of(const Figure& figure, const std::vector<const FigureRow*>& rows) {
  std::vector<std::string> names;
  for (const FigureRow* row : rows) names.push_back(row->row->name);
  const Legend legend = legend_of(names, 480);
  const int top = legend.height, height = top + 540;
  std::string text = script_start(figure.name, height) + legend.script +
                     margins({110, 590, top + 6, top + 486}, height) +
                     "set xrange [0:100]\nset yrange [0:100]\nset xtics 10\nset ytics 10\nset grid lc rgb '#DDDDDD'\n"
                     "set xlabel 'AUROC in the last epoch, percent'\n"
                     "set ylabel 'AUROC in the best epoch (selected on the test split), percent'\n"
                     "set arrow 1 from 0,0 to 100,100 nohead lc rgb '#444444'\n"
                     "set arrow 2 from 50,0 to 50,100 nohead dt 3 lc rgb '#666666'\n"
                     "set arrow 3 from 0,50 to 100,50 nohead dt 3 lc rgb '#666666'\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Look look = look_of(i);
    text += fmt::format("{}'{}.csv' skip 1 using ($1=={} ? $2 : NaN):3 with points pt {} ps 0.7 lc rgb '{}' title {}",
                        i == 0 ? "plot " : ", \\\n  ", figure.name, i, i < 8 ? look.hollow_point : look.point,
                        look.colour, gnuplot_text(rows[i]->row->name, kMostLabelBytes));
  }
  return text + "\nset output\n";
}

}  // namespace

std::optional<Figure> scatter_figure(const FigureSource& source) {
  std::vector<const FigureRow*> rows;
  std::size_t all = 0;
  for (const FigureRow& row : source.rows) {
    if (!row.trained || points_of({&row}).empty()) continue;
    if (++all <= kMostRows) rows.push_back(&row);
  }
  if (rows.empty()) return std::nullopt;
  const std::vector<Point> points = points_of(rows);
  const std::size_t step = (points.size() + kMostPoints - 1) / kMostPoints;
  Figure figure = source.figure("scatter", "best epoch against last");
  figure.caption =
      "Each point is a training: its AUROC in the last epoch, and in the best one, which is selected on the test "
      "split. On the diagonal nothing is gained by selecting; far above it the best epoch says more of the "
      "selection than of the training. Dotted: chance.";
  if (step > 1) figure.caption += fmt::format(" One of every {} trainings is drawn.", step);
  figure.caption += cut_words("rows", rows.size(), all);
  figure.caption += missing_words(source);
  figure.data = "row,last,best,seed,row_name,class\n";
  for (std::size_t i = 0; i < points.size(); i += step) {
    const Point& point = points[i];
    figure.data +=
        fmt::format("{},{},{},{},{},{}\n", point.row, csv_number(point.last), csv_number(point.best), point.run->seed,
                    data_text(rows[point.row]->row->name), data_text(point.run->normal_class));
  }
  figure.script = script_of(figure, rows);
  return figure;
}

}  // namespace results
