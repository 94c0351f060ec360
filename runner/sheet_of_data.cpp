// Chooses rows and looks at them.
#include "runner/sheet_of_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "results/text_layout.hpp"
#include "sweeps/backbones.hpp"

namespace runner {
namespace {

using datasets::Split;
using results::grouped;
using workers::ChannelStatistics;

constexpr std::size_t kMostOfAClass = 8;
constexpr std::size_t kMostPictures = 160;
constexpr std::size_t kMostClasses = 80;

/// What the images are normalised with for the sheet; a channel without spread is not divided.
ChannelStatistics usable(ChannelStatistics statistics) {
  for (double& spread : statistics.std_dev) spread = spread > 1e-7 ? spread : 1;
  return statistics;
}

class SheetMaker {
 public:
  SheetMaker(const workers::DataToCheck& check, const datasets::Images& images,
             const std::array<workers::SplitScan, 2>& scans, const ViewOfModel& view)
      : check_(check), images_(images), view_(view), never_(images.only_anomalies()) {
    statistics_ = usable(workers::statistics_for(sweeps::Normalisation::dataset, scans[0], {}));
    for (const Split split : {Split::train, Split::test}) {
      auto& rows = rows_[static_cast<int>(split)];
      rows.resize(images.classes().size());
      std::set<std::int64_t> skipped;
      for (const auto& row : scans[static_cast<std::size_t>(split)].skipped) skipped.insert(row.row);
      for (std::int64_t i = 0; i < images.size(split); ++i) {
        if (skipped.contains(i)) continue;
        rows[static_cast<std::size_t>(images.label(split, i))].push_back(i);
      }
    }
  }

  workers::ContactSheet sheet() const {
    workers::ContactSheet sheet;
    sheet.title = fmt::format("{} as the model sees it", check_.spec.id);
    sheet.notes = {
        fmt::format(
            "{} training and {} test images of {} classes; shown are some evenly spread over the training split, "
            "over the test split for a class that is only an anomaly.",
            grouped(images_.size(Split::train)), grouped(images_.size(Split::test)), images_.classes().size()),
        fmt::format("{}Normalised with mean {} and std {}, resized to {} x {}; then the normalisation is undone for "
                    "the eye. Point at a picture for its row.",
                    images_.first_square() > 0
                        ? fmt::format("Cropped, resized to {0} x {0} first. ", images_.first_square())
                        : "",
                    three(statistics_.mean), three(statistics_.std_dev), square_, square_)};
    for (const auto k : classes_in_order()) sheet.classes.push_back(shown(k));
    if (sheet.classes.size() < images_.classes().size()) {
      sheet.notes.push_back(fmt::format("{} classes are not shown.", images_.classes().size() - sheet.classes.size()));
    }
    return sheet;
  }

 private:
  static std::string three(const std::array<double, 3>& values) {
    return fmt::format("{:.3f} {:.3f} {:.3f}", values[0], values[1], values[2]);
  }

  bool is_anomaly(std::size_t k) const {
    return rows_[0][k].empty() || std::find(never_.begin(), never_.end(), images_.classes()[k]) != never_.end();
  }

  std::vector<std::size_t> classes_in_order() const {
    std::vector<std::size_t> order;
    for (const bool anomalies : {false, true}) {
      for (std::size_t k = 0; k < images_.classes().size(); ++k) {
        if (is_anomaly(k) == anomalies) order.push_back(k);
      }
    }
    // The last ones are the anomalies, and few: they are shown in any case.
    if (order.size() > kMostClasses) order.erase(order.begin() + kMostClasses / 2, order.end() - kMostClasses / 2);
    return order;
  }

  workers::SheetClass shown(std::size_t k) const {
    workers::SheetClass shown;
    shown.name = images_.classes()[k];
    shown.only_anomaly = is_anomaly(k);
    shown.about = fmt::format("{} train, {} test", grouped(rows_[0][k].size()), grouped(rows_[1][k].size()));
    const auto split = shown.only_anomaly && !rows_[1][k].empty() ? Split::test : Split::train;
    const auto classes = std::min(images_.classes().size(), kMostClasses);
    const auto most = std::min(kMostOfAClass, kMostPictures / classes);
    for (const auto row : workers::evenly_spread(rows_[static_cast<int>(split)][k], most)) {
      shown.pictures.push_back(picture(split, row));
    }
    return shown;
  }

  workers::SheetPicture picture(Split split, std::int64_t row) const {
    const auto image = images_.read(split, row);
    auto view = view_(image, images_.first_square(), statistics_, square_);
    return {std::move(view.picture), images_.row_id(split, row), fmt::format("{} x {}", image.width, image.height),
            fmt::format("input {:.2f} to {:.2f}", view.least, view.most)};
  }

  const workers::DataToCheck& check_;
  const datasets::Images& images_;
  const ViewOfModel& view_;
  std::vector<std::string> never_;
  ChannelStatistics statistics_;
  int square_ = sweeps::known_backbones().front().input_size;
  std::vector<std::vector<std::int64_t>> rows_[2];  ///< by split and class
};

}  // namespace

workers::ContactSheet sheet_of(const workers::DataToCheck& check, const datasets::Images& images,
                               const std::array<workers::SplitScan, 2>& scans, const ViewOfModel& view) {
  return SheetMaker(check, images, scans, view).sheet();
}

}  // namespace runner
