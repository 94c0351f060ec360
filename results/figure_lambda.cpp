// AUROC by lambda: of all trainings of a table that differ in nothing else, whether rows, columns or the best of an
// axis name them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

#include "results/csv.hpp"
#include "results/figure_source.hpp"
#include "results/gnuplot_script.hpp"

namespace results {
namespace {

using sweeps::Job;
using sweeps::Mode;

constexpr std::size_t kMostSeries = 12;

/// One value of lambda.
struct AtLambda {
  std::set<std::string> classes;  ///< planned
  std::size_t planned = 0;
  std::map<std::uint64_t, std::map<std::string, const JobResult*>> runs;  ///< by seed and class; those committed
};
struct Series {
  Job job;  ///< without class, seed and lambda
  std::map<double, AtLambda> lambdas;
  std::set<std::string> classes;  ///< that every lambda has
  std::string name;
};

Job without_lambda(Job job) {
  job.normal_class.clear();
  job.members.clear();
  job.seed = 0;
  job.training.lambda = 0;
  return job;
}

void keep_common_classes(Series& series) {
  series.classes = series.lambdas.begin()->second.classes;
  for (const auto& [lambda, at] : series.lambdas) {
    std::erase_if(series.classes, [&](const std::string& name) { return !at.classes.contains(name); });
  }
}

std::vector<Series> series_of(const FigureSource& source) {
  std::vector<Series> all;
  std::map<Job, std::size_t> places;
  std::set<std::size_t> seen;
  for (const FigureRow& row : source.rows) {
    for (const std::size_t index : row.runs.planned) {
      const Job& job = source.plan->jobs.at(index);
      if (!sweeps::is_trained(job.method) || !seen.insert(index).second) continue;
      const Job rest = without_lambda(job);
      const auto [place, is_new] = places.try_emplace(rest, all.size());
      if (is_new) all.push_back({rest, {}, {}, ""});
      AtLambda& at = all[place->second].lambdas[job.training.lambda];
      at.classes.insert(job.normal_class);
      ++at.planned;
      const auto done = source.ledger->done.find(source.plan->keys.at(index));
      if (done != source.ledger->done.end()) at.runs[job.seed][job.normal_class] = &done->second.result;
    }
  }
  std::erase_if(all, [](const Series& series) { return series.lambdas.size() < 2; });
  for (Series& series : all) keep_common_classes(series);
  std::erase_if(all, [](const Series& series) { return series.classes.empty(); });
  std::vector<Job> jobs;
  for (const Series& series : all) jobs.push_back(series.job);
  const std::vector<std::string> names = sweeps::setting_names(jobs);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].name = names[i];
  return all;
}

/// Over the seeds of which every common class is there.
Summary summary_of(const Series& series, const AtLambda& at, Mode mode) {
  std::vector<double> means;
  for (const auto& [seed, by_class] : at.runs) {
    std::vector<double> values;
    for (const std::string& name : series.classes) {
      const auto run = by_class.find(name);
      const auto percent = run == by_class.end() ? std::nullopt : auc_percent(*run->second, mode);
      if (percent) values.push_back(*percent);
    }
    if (values.size() == series.classes.size()) means.push_back(*summarise(values).mean);
  }
  return summarise(means);
}

struct Data {
  std::string lines = "at,series,mode,n,mean,std,lambda,setting\n";
  std::set<double> lambdas;
  std::size_t points = 0;
  double low = 100, high = 0;
};

void add_lines(Data& data, const Series& series, std::size_t number, Mode mode) {
  for (const auto& [lambda, at] : series.lambdas) {
    const Summary summary = summary_of(series, at, mode);
    if (!summary.mean) continue;
    ++data.points;
    const double spread = summary.std_dev.value_or(0);
    data.low = std::min(data.low, *summary.mean - spread);
    data.high = std::max(data.high, *summary.mean + spread);
    data.lines +=
        fmt::format("{},{},{},{},{},{},{},{}\n", std::distance(data.lambdas.begin(), data.lambdas.find(lambda)), number,
                    mode == Mode::best ? 0 : 1, summary.n, csv_number(summary.mean), csv_number(summary.std_dev),
                    csv_number(lambda), data_text(series.name));
  }
}

Data data_of(const std::vector<Series>& all) {
  Data data;
  for (const Series& series : all) {
    for (const auto& [lambda, at] : series.lambdas) data.lambdas.insert(lambda);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Mode mode : {Mode::best, Mode::last}) add_lines(data, all[i], i, mode);
  }
  return data;
}

std::string label_of(const Series& series, int mode) {
  return series.name + (mode == 0 ? ", best epoch" : ", last epoch");
}

std::string script_of(const Figure& figure, const std::vector<Series>& all, const Data& data) {
  std::vector<std::string> labels;
  for (const Series& series : all) {
    for (const int mode : {0, 1}) labels.push_back(label_of(series, mode));
  }
  const Legend legend = legend_of(labels, kFigureWidth - 80);
  const int top = legend.height, height = top + 370;
  std::string tics;
  std::size_t at = 0;
  for (const double lambda : data.lambdas) {
    tics += fmt::format("{}'{}' {}", tics.empty() ? "" : ", ", csv_number(lambda), at++);
  }
  std::string text = script_start(figure.name, height) + legend.script +
                     margins({70, 690, top + 6, top + 310}, height) +
                     fmt::format(
                         "set xrange [-0.5:{}]\nset yrange {}\nset xtics ({})\n"
                         "set grid lc rgb '#DDDDDD'\nset xlabel 'λ (weight of the noise loss; not to scale)'\n"
                         "set ylabel 'AUROC in percent'\n",
                         static_cast<double>(data.lambdas.size()) - 0.5, tens_around(data.low, data.high), tics);
  const double width = 0.2 / static_cast<double>(2 * all.size());
  bool first = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Look look = look_of(i);
    for (const int mode : {0, 1}) {
      const double offset = (static_cast<double>(2 * i) + mode + 0.5) * width - 0.1;
      const std::string where =
          fmt::format("'{}.csv' skip 1 using ($2=={}&&$3=={} ? $1{:+.4f} : NaN):5", figure.name, i, mode, offset);
      text += fmt::format(
          "{0}{1} with lines lw 1.5 dt {2} lc rgb '{3}' notitle, \\\n  {1}:(valid(6) ? $6 : 0) with yerrorbars pt 0 lc "
          "rgb "
          "'{3}' notitle, \\\n  {1} with points pt {4} ps 1 lc rgb '{3}' title {5}",
          first ? "plot " : ", \\\n  ", where, mode == 0 ? 1 : 2, look.colour,
          mode == 0 ? look.point : look.hollow_point, gnuplot_text(label_of(all[i], mode), kMostLabelBytes));
      first = false;
    }
  }
  return text + ", \\\n  50 with lines dt 3 lc rgb '#666666' notitle\nset output\n";
}

}  // namespace

std::optional<Figure> lambda_figure(const FigureSource& source) {
  if (source.plan == nullptr) return std::nullopt;
  std::vector<Series> series = series_of(source);
  const std::size_t all = series.size();
  if (series.size() > kMostSeries) series.erase(series.begin() + kMostSeries, series.end());
  const Data data = data_of(series);
  if (data.points == 0) return std::nullopt;
  Figure figure = source.figure("lambda", "AUROC by λ");
  figure.caption =
      "AUROC in percent of trainings that differ in λ only: mean over the classes within each seed, then mean "
      "and standard deviation over the seeds that are complete in every class. The best epoch is selected on "
      "the test split; dashed: the last one. Dotted: chance.";
  const bool cut = std::any_of(series.begin(), series.end(), [](const Series& one) {
    return std::any_of(one.lambdas.begin(), one.lambdas.end(),
                       [&](const auto& at) { return at.second.classes.size() > one.classes.size(); });
  });
  if (cut) figure.caption += " Only classes that every λ has are averaged.";
  figure.caption += cut_words("settings", series.size(), all);
  figure.caption += missing_words(source);
  figure.data = data.lines;
  figure.script = script_of(figure, series, data);
  return figure;
}

}  // namespace results
