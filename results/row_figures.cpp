// Which rows, their positions, and what gnuplot makes of them.
#include "results/row_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "results/csv.hpp"
#include "results/figure_source.hpp"
#include "results/gnuplot_script.hpp"
#include "results/tsne.hpp"
#include "storage/digest.hpp"
#include "storage/printable.hpp"
#include "sweeps/random_stream.hpp"

namespace results {
namespace {

constexpr std::uint64_t kSeed = 0;
constexpr int kIterations = 1000;
constexpr std::size_t kMostTextBytes = 120;
constexpr std::size_t kFewestRows = 3;  ///< of fewer there is nothing to see
static_assert(kMostRowsOfAFigure <= kMostTsnePoints);

constexpr std::array kKinds{DumpedKind::anomalous, DumpedKind::pseudo, DumpedKind::normal};

/// Blue, orange and purple of Okabe and Ito's, and shapes of their own.
struct KindLook {
  const char* name;   ///< in the data
  const char* title;  ///< in the legend
  const char* colour;
  int point;  ///< gnuplot's
};
KindLook look_of(DumpedKind kind) {
  switch (kind) {
    case DumpedKind::anomalous:
      return {"anomalous", "anomalous rows", "#AA4C92", 4};
    case DumpedKind::pseudo:
      return {"pseudo", "pseudo-anomalies", "#D98600", 8};
    case DumpedKind::normal:
      break;
  }
  return {"normal", "normal rows", "#0072B2", 6};
}

const DumpedEpoch& epoch_of(const Dump& dump) {
  return dump.best ? *dump.best : dump.last;
}

// ---- which rows

std::size_t count_of(const std::vector<ShownRow>& rows, DumpedKind kind) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const ShownRow& row) { return row.kind == kind; }));
}

const RowNames& names_of(const Dump& dump, DumpedKind kind) {
  return kind == DumpedKind::anomalous ? dump.anomalous : dump.normal;
}

const DumpedRows& rows_of(const DumpedEpoch& epoch, DumpedKind kind) {
  return kind == DumpedKind::anomalous ? epoch.anomalous : kind == DumpedKind::pseudo ? epoch.pseudo : epoch.normal;
}

// ---- which figures

struct Space {
  const char* name;   ///< in the files' names
  const char* title;  ///< after "where they lie"
  std::vector<float> DumpedRows::*values;
  std::int64_t Dump::*length;
};
const std::array kSpaces{Space{"features", "before the classifier", &DumpedRows::features, &Dump::dimension},
                         Space{"embedding", "in the embedding", &DumpedRows::embeddings, &Dump::embedding}};

/// One figure to be made.
struct Wanted {
  const Space* space;
  int dimensions;
  std::string name;
  std::string origin;  ///< what its numbers are made from, on one line
};

std::vector<Wanted> wanted_figures(const Dump& dump, std::size_t count) {
  std::vector<Wanted> wanted;
  if (count < kFewestRows) return wanted;
  const std::string checksum = checksum_of(dump);
  for (const Space& space : kSpaces) {
    if (dump.*space.length == 0) continue;
    for (const int dimensions : {2, 3}) {
      wanted.push_back(
          {&space, dimensions, fmt::format("tsne-{}-{}-{}d", dump.key, space.name, dimensions),
           fmt::format("# t-SNE, version 1, of dump {}: epoch {}, {}, {} rows, {} dimensions, perplexity {}, {} "
                       "iterations, seed {}",
                       checksum, epoch_of(dump).epoch, space.name, count, dimensions, tsne_perplexity(count),
                       kIterations, kSeed)});
    }
  }
  return wanted;
}

/// The script's first two lines.
std::string mark_of(const Wanted& wanted, const std::string& data) {
  return fmt::format("{}\n# SHA-256 of {}.csv: {}\n", wanted.origin, wanted.name, storage::hex(storage::sha256(data)));
}

/// An earlier report's numbers; "" where there are none, or they are of something else or damaged.
std::string earlier_data(const Wanted& wanted, const EarlierFile& earlier) {
  std::string data = earlier(wanted.name + ".csv");
  if (data.empty() || !earlier(wanted.name + ".gp").starts_with(mark_of(wanted, data))) return "";
  return data;
}

// ---- their numbers

/// Texts stand last in a line.
std::string data_of(const Dump& dump, const std::vector<ShownRow>& rows, const TsnePicture& picture, int dimensions) {
  std::string text = dimensions == 2 ? "x,y,kind,class,id\n" : "x,y,z,kind,class,id\n";
  auto position = picture.positions.begin();
  for (const ShownRow& row : rows) {
    for (int d = 0; d < dimensions; ++d) text += csv_number(*position++) + ",";
    const RowNames& names = names_of(dump, row.kind);
    const auto label = static_cast<std::size_t>(names.labels.at(row.index));
    text += fmt::format("{},{},{}\n", look_of(row.kind).name, data_text(dump.classes.at(label)),
                        data_text(names.ids.at(row.index)));
  }
  return text;
}

std::vector<double> affinities_of(const Dump& dump, const std::vector<ShownRow>& rows, const Space& space) {
  const auto length = static_cast<std::size_t>(dump.*space.length);
  std::vector<float> values;
  values.reserve(rows.size() * length);
  for (const ShownRow& row : rows) {
    const auto from =
        (rows_of(epoch_of(dump), row.kind).*space.values).begin() + static_cast<std::ptrdiff_t>(row.index * length);
    values.insert(values.end(), from, from + static_cast<std::ptrdiff_t>(length));
  }
  return tsne_affinities(values, rows.size(), length, tsne_perplexity(rows.size()));
}

// ---- their scripts

/// Points of each kind. `coordinates`: columns, "1" or "1:2", before the last one.
std::string plot_of(const std::string& command, const std::string& name, const std::vector<ShownRow>& rows,
                    const std::string& coordinates, int last, bool titled) {
  std::string text = command;
  const char* between = " ";
  for (const DumpedKind kind : kKinds) {
    if (count_of(rows, kind) == 0) continue;
    const KindLook look = look_of(kind);
    text += fmt::format(
        "{}'{}.csv' skip 1 using {}:(strcol({}) eq '{}' ? ${} : NaN) with points pt {} ps {} lc rgb '{}' {}", between,
        name, coordinates, last + 1, look.name, last, look.point, last == 2 ? "0.55" : "0.4", look.colour,
        titled ? fmt::format("title '{}'", look.title) : "notitle");
    between = ", \\\n  ";
  }
  return text + "\n";
}

/// Above the plots.
constexpr int kLegendHeight = 32;
constexpr const char* kLegend =
    "set key at screen 0.5,screen 0.985 top center horizontal Left reverse maxrows 1 width 1 samplen 1\n";

/// A square around all points, so that both axes have one scale.
std::string script_in_2d(const std::string& name, const std::vector<ShownRow>& rows) {
  constexpr int kSide = 550, kLeft = (kFigureWidth - kSide) / 2, kTop = kLegendHeight;
  constexpr int kHeight = kTop + kSide + 10;
  return script_start(name, kHeight) + kLegend + margins({kLeft, kLeft + kSide, kTop, kTop + kSide}, kHeight) +
         fmt::format(
             "unset tics\nset border 15 lc rgb '#BBBBBB'\nstats '{}.csv' skip 1 using 1:2 nooutput\n"
             "half = 0.53 * (STATS_max_x - STATS_min_x > STATS_max_y - STATS_min_y ? STATS_max_x - STATS_min_x : "
             "STATS_max_y - STATS_min_y)\nif (half == 0) half = 1\n"
             "x = (STATS_min_x + STATS_max_x) / 2\ny = (STATS_min_y + STATS_max_y) / 2\n"
             "set xrange [x-half:x+half]\nset yrange [y-half:y+half]\n",
             name) +
         plot_of("plot", name, rows, "1", 2, true) + "set output\n";
}

/// Three angles side by side; the legend is that of the first.
std::string script_in_3d(const std::string& name, const std::vector<ShownRow>& rows) {
  constexpr std::array kAngles{std::pair{65, 25}, std::pair{65, 115}, std::pair{20, 70}};
  constexpr int kPanel = 250;
  const int height = kLegendHeight + kPanel + 20;
  std::string text = script_start(name, height) + "set multiplot\n" + kLegend +
                     "unset tics\nset border 4095 lc rgb '#BBBBBB'\nset xyplane relative 0\n"
                     "set view equal xyz\n";
  for (std::size_t i = 0; i < kAngles.size(); ++i) {
    // Margins would make gnuplot draw as large as the whole figure.
    text += fmt::format("set origin {:.5f},{:.5f}\nset size {:.5f},{:.5f}\n", static_cast<double>(i) / 3, 20.0 / height,
                        1.0 / 3, static_cast<double>(kPanel) / height);
    text += fmt::format(
        "set view {}, {}, 1.4\nset label 1 'turned by {} degrees, tilted by {}' at screen {:.5f},screen "
        "{:.5f} center font ',10' tc rgb '#444444'\n",
        kAngles[i].first, kAngles[i].second, kAngles[i].second, kAngles[i].first, (static_cast<double>(i) + 0.5) / 3,
        10.0 / height);
    text += plot_of("splot", name, rows, "1:2", 3, i == 0) + "unset key\n";
  }
  return text + "unset multiplot\nset output\n";
}

// ---- their words

std::string run_words(const PlannedRun& run) {
  return storage::printable_line(fmt::format("{}, normal class {}, {}, seed {}", run.job->dataset,
                                             run.job->normal_class, run.setting, run.job->seed),
                                 2 * kMostTextBytes);
}

std::string count_words(const Dump& dump, const std::vector<ShownRow>& rows) {
  std::string words;
  for (const DumpedKind kind : {DumpedKind::normal, DumpedKind::pseudo, DumpedKind::anomalous}) {
    const std::size_t all = names_of(dump, kind).ids.size(), shown = count_of(rows, kind);
    words += fmt::format("{}{}{} {}",
                         words.empty()                   ? ""
                         : kind == DumpedKind::anomalous ? " and "
                                                         : ", ",
                         shown, shown < all ? fmt::format(" of {}", all) : "",
                         kind == DumpedKind::pseudo ? "pseudo-anomalies made from them" : look_of(kind).title);
  }
  return words;
}

/// The title says of which run.
std::string caption_of(const Dump& dump, const std::vector<ShownRow>& rows, const Wanted& wanted) {
  const DumpedEpoch& epoch = epoch_of(dump);
  const std::string auroc = epoch.auroc ? fmt::format("AUROC {:.1f} %", *epoch.auroc * 100) : "no AUROC";
  return fmt::format(
      "{} at epoch {} (the first is 0), {}, {}: {} of the test split, {}. By t-SNE of {} numbers a row, perplexity "
      "{:.4g}. Which rows are neighbours says something; how far clusters lie apart, how large they are and where says "
      "little.",
      wanted.dimensions == 2 ? "Rows" : "Rows from three angles", epoch.epoch,
      dump.best ? "the best, selected on the test split" : "the last", auroc, count_words(dump, rows),
      wanted.space->title, dump.*wanted.space->length, tsne_perplexity(rows.size()));
}

Figure figure_of(const PlannedRun& run, const Dump& dump, const std::vector<ShownRow>& rows, const Wanted& wanted,
                 std::string data) {
  Figure figure;
  figure.name = wanted.name;
  figure.title = fmt::format("{}, {}-D, {}", wanted.space->title, wanted.dimensions, run_words(run));
  figure.title.front() = static_cast<char>(figure.title.front() - 'a' + 'A');
  figure.caption = caption_of(dump, rows, wanted);
  figure.script = mark_of(wanted, data) +
                  (wanted.dimensions == 2 ? script_in_2d(wanted.name, rows) : script_in_3d(wanted.name, rows));
  figure.data = std::move(data);
  return figure;
}

}  // namespace

std::vector<ShownRow> shown_rows(const Dump& dump) {
  std::vector<ShownRow> shown;
  for (const DumpedKind kind : kKinds) {
    const std::size_t count = names_of(dump, kind).ids.size();
    const bool anomalous = kind == DumpedKind::anomalous;
    const sweeps::RandomStream stream(kSeed, dump.key, "", anomalous ? "tsne/anomalous" : "tsne/normal");
    std::vector<std::int64_t> order = stream.permutation(0, static_cast<std::int64_t>(count));
    order.resize(std::min(count, kMostRowsOfAFigure / kKinds.size()));
    std::sort(order.begin(), order.end());
    for (const std::int64_t index : order) shown.push_back({kind, static_cast<std::size_t>(index)});
  }
  return shown;
}

std::vector<Figure> row_figures(const PlannedRun& run, const Dump& dump, const EarlierFile& earlier) {
  const std::vector<ShownRow> rows = shown_rows(dump);
  std::vector<Figure> figures;
  const Space* space = nullptr;  // of the affinities
  std::vector<double> affinities;
  for (const Wanted& wanted : wanted_figures(dump, rows.size())) {
    std::string data = earlier_data(wanted, earlier);
    if (data.empty()) {
      if (space != wanted.space) affinities = affinities_of(dump, rows, *wanted.space);
      space = wanted.space;
      const TsnePicture picture = tsne(affinities, rows.size(), {wanted.dimensions, kIterations, kSeed});
      data = data_of(dump, rows, picture, wanted.dimensions);
    }
    figures.push_back(figure_of(run, dump, rows, wanted, std::move(data)));
  }
  return figures;
}

bool has_row_figures(const Dump& dump, const EarlierFile& earlier) {
  const std::vector<Wanted> wanted = wanted_figures(dump, shown_rows(dump).size());
  return std::none_of(wanted.begin(), wanted.end(),
                      [&](const Wanted& one) { return earlier_data(one, earlier).empty(); });
}

double seconds_of_row_figures(const Dump& dump) {
  const auto n = static_cast<double>(shown_rows(dump).size());
  return n * n * (4 * kIterations * 1.3e-9 + static_cast<double>(dump.dimension + dump.embedding) * 1e-10);
}

}  // namespace results
