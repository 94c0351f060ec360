// Reads images again and makes small pictures of them.
#include "runner/sheet_of_scores.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/exact_resize.hpp"
#include "results/text_layout.hpp"
#include "runner/detector_words.hpp"
#include "workers/score_inputs.hpp"

namespace runner {
namespace {

using results::grouped;

constexpr std::size_t kMostPictures = 200;

workers::SheetPicture picture_of(const workers::ScoredRow& row, const workers::Scored& scored, const char* verdict) {
  const auto image = workers::read_image_file(row.path);
  return {datasets::exact_resize(image, scored.source.first_square, scored.source.size), row.path,
          fmt::format("{} x {}", image.width, image.height), fmt::format("score {}", row.score),
          fmt::format("{:.3f} {}", row.score, verdict)};
}

/// Those of one verdict, in order.
workers::SheetClass shown(const workers::Scored& scored, bool normal, std::size_t& pictures_left) {
  workers::SheetClass shown;
  shown.name = !scored.threshold ? "scored" : normal ? "normal" : "anomaly";
  std::uint64_t count = 0;
  for (const auto& row : scored.rows) {
    if (!row.fault.empty() || row.is_normal != normal) continue;
    ++count;
    if (pictures_left == 0) continue;
    --pictures_left;
    shown.pictures.push_back(picture_of(row, scored, scored.threshold ? shown.name.c_str() : ""));
  }
  shown.about =
      shown.pictures.size() == count ? grouped(count) : fmt::format("{} of {}", shown.pictures.size(), grouped(count));
  return shown;
}

}  // namespace

workers::ContactSheet sheet_of(const workers::Scored& scored, const std::string& model) {
  workers::ContactSheet sheet;
  const auto& facts = scored.facts;
  sheet.title = fmt::format("Scores by the {} epoch of {}", facts.which, sweeps::describe(facts.job));
  sheet.notes = {fmt::format("Detector: {}.", epoch_in_words(facts)),
                 fmt::format("Model {}. The least normal first, {} at most, resized to {} x {}. Point at a picture for "
                             "its path.",
                             model, kMostPictures, scored.source.size, scored.source.size)};
  if (scored.threshold) {
    sheet.notes.push_back(
        fmt::format("A score is a logit: above the threshold, {:.4g}, it is normal; a tenth of the training images is "
                    "not above it.",
                    *scored.threshold));
  }
  const auto unread =
      std::count_if(scored.rows.begin(), scored.rows.end(), [](const auto& row) { return !row.fault.empty(); });
  if (unread > 0)
    sheet.notes.push_back(fmt::format("{} could not be read.", grouped(static_cast<std::uint64_t>(unread))));
  std::size_t pictures_left = kMostPictures;
  for (const bool normal : {false, true}) {
    auto some = shown(scored, normal, pictures_left);
    if (some.about != "0") sheet.classes.push_back(std::move(some));
  }
  return sheet;
}

}  // namespace runner
