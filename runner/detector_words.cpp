// Words for the epoch of a model.
#include "runner/detector_words.hpp"

#include <fmt/format.h>

namespace runner {

std::string epoch_in_words(const workers::ModelFacts& facts) {
  constexpr double kChance = 0.5;
  auto words = fmt::format("{} epoch ({} of {}, counted from 0)", facts.which, facts.epoch, facts.job.training.epochs);
  if (!facts.auroc) return words;
  words += fmt::format(", AUROC {:.1f} % on its test split", 100 * *facts.auroc);
  if (facts.which == "best") words += ", which selected the epoch";
  if (*facts.auroc < kChance)
    words += "; below 50 %: it ranks anomalies above normal rows, do not believe its verdicts";
  return words;
}

}  // namespace runner
