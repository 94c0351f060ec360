// AUROC over the epochs, a panel a row: the mean of its runs, the band in which they lie, and one run by itself.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/csv.hpp"
#include "results/figure_source.hpp"
#include "results/gnuplot_script.hpp"
#include "results/quantiles.hpp"
#include "storage/printable.hpp"

namespace results {
namespace {

constexpr std::size_t kMostPanels = 12;
constexpr std::size_t kMostEpochs = 250;  ///< of a panel

struct Panel {
  const FigureRow* row;
  std::vector<const JobResult*> runs;  ///< diverged ones too, as far as they came
};
struct Data {
  std::string lines = "panel,epoch,n,mean,low,first_quartile,third_quartile,high,one_run,row\n";
  int last_epoch = 0;
  bool thinned = false;
};

/// Runs with more than one epoch. Of a row that takes the best of an axis, those that it takes.
std::vector<const JobResult*> trained_runs(const FigureRow& row) {
  std::vector<const JobResult*> runs;
  if (row.planned->best_of.empty()) {
    for (const Done* done : row.runs.committed) {
      if (done->result.epochs.size() > 1) runs.push_back(&done->result);
    }
    return runs;
  }
  for (std::size_t column = 0; column < row.runs.cells.size(); ++column) {
    for (const CountedRun& run : row.counted(column, sweeps::Mode::best)) {
      if (run.result->epochs.size() > 1) runs.push_back(run.result);
    }
  }
  return runs;
}

/// AUROC in percent, by epoch.
std::map<int, std::vector<double>> by_epoch(const std::vector<const JobResult*>& runs) {
  std::map<int, std::vector<double>> values;
  for (const JobResult* run : runs) {
    for (const EpochRecord& record : run->epochs) {
      if (const auto auc = record.auc()) values[record.epoch].push_back(*auc * 100);
    }
  }
  return values;
}

std::map<int, double> by_epoch(const JobResult& run) {
  std::map<int, double> values;
  for (const EpochRecord& record : run.epochs) {
    if (const auto auc = record.auc()) values[record.epoch] = *auc * 100;
  }
  return values;
}

/// Every so many epochs, and the last one.
void add_lines(Data& data, const Panel& panel, std::size_t number) {
  const auto epochs = by_epoch(panel.runs);
  if (epochs.empty()) return;
  const auto one_run = by_epoch(*panel.runs.front());
  const std::size_t step = (epochs.size() + kMostEpochs - 1) / kMostEpochs;
  data.thinned = data.thinned || step > 1;
  data.last_epoch = std::max(data.last_epoch, epochs.rbegin()->first);
  std::size_t at = 0;
  for (const auto& [epoch, values] : epochs) {
    const bool is_last = epoch == epochs.rbegin()->first;
    if (at++ % step != 0 && !is_last) continue;
    const FiveNumbers five = five_numbers(values);
    const auto one = one_run.find(epoch);
    data.lines += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", number, epoch, values.size(),
                              csv_number(summarise(values).mean), csv_number(five.low), csv_number(five.first_quartile),
                              csv_number(five.third_quartile), csv_number(five.high),
                              one == one_run.end() ? "" : csv_number(one->second), data_text(panel.row->row->name));
  }
}

constexpr int kPanelHeight = 150, kTitle = 26, kTics = 48;

std::string panel_script(const Figure& figure, const Panel& panel, std::size_t number) {
  const Look look = look_of(number);
  const auto source = [&](const char* columns) {
    return fmt::format("'{}.csv' skip 1 using ($1=={} ? $2 : NaN):{}", figure.name, number, columns);
  };
  return fmt::format("set title {}\n", gnuplot_text(panel.row->row->name, 48)) + "plot " + source("5:8") +
         fmt::format(" with filledcurves fs transparent solid 0.18 fc rgb '{}' notitle, \\\n  ", look.colour) +
         source("6:7") +
         fmt::format(" with filledcurves fs transparent solid 0.35 fc rgb '{}' notitle, \\\n  ", look.colour) +
         source("9") + " with lines lw 0.8 dt 2 lc rgb '#000000' notitle, \\\n  " + source("4") +
         fmt::format(" with linespoints lw 2.5 pt {} ps 0.4 pi {} lc rgb '{}' notitle\n", look.point, 10, look.colour);
}

std::string script_of(const Figure& figure, const std::vector<Panel>& panels, const Data& data) {
  const int rows = static_cast<int>((panels.size() + 1) / 2);
  const int height = rows * (kTitle + kPanelHeight + kTics) + 10;
  std::string text = script_start(figure.name, height) +
                     fmt::format(
                         "set multiplot\nunset key\nset yrange [0:100]\nset ytics 20\nset grid ytics lc rgb '#DDDDDD'\n"
                         "set xrange [0:{}]\nset xlabel 'epoch' offset 0,0.6\nset title offset 0,-0.6\n"
                         "set arrow 1 from graph 0, first 50 to graph 1, first 50 nohead dt 3 lc rgb '#666666'\n",
                         std::max(1, data.last_epoch));
  if (data.last_epoch < 10) text += "set xtics 1\n";
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const int top = static_cast<int>(i / 2) * (kTitle + kPanelHeight + kTics) + kTitle;
    const int left = i % 2 == 0 ? 50 : 395;
    text += margins({left, left + 295, top, top + kPanelHeight}, height) + panel_script(figure, panels[i], i);
  }
  return text + "unset multiplot\nset output\n";
}

}  // namespace

std::optional<Figure> epochs_figure(const FigureSource& source) {
  std::vector<Panel> panels;
  std::size_t all = 0;
  for (const FigureRow& row : source.rows) {
    Panel panel{&row, trained_runs(row)};
    if (by_epoch(panel.runs).empty()) continue;
    if (++all <= kMostPanels) panels.push_back(std::move(panel));
  }
  if (panels.empty()) return std::nullopt;
  Data data;
  for (std::size_t i = 0; i < panels.size(); ++i) add_lines(data, panels[i], i);
  Figure figure = source.figure("epochs", "AUROC over the epochs");
  figure.caption =
      "AUROC in percent on the test split after each epoch (from 0), over all classes and seeds of a row. Line "
      "with marks: the mean; dark band: the middle half of the runs; light band: from the lowest to the highest "
      "run; thin dashes: the row's first run by itself, for means hide how far single runs swing. Diverged runs "
      "count as far as they came. Dotted: chance.";
  if (data.thinned) figure.caption += fmt::format(" Of long trainings about {} epochs are drawn.", kMostEpochs);
  figure.caption += cut_words("rows", panels.size(), all);
  figure.caption += missing_words(source);
  figure.data = data.lines;
  figure.script = script_of(figure, panels, data);
  return figure;
}

}  // namespace results
