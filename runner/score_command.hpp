// `plume-bench score`: prints what a saved detector makes of images, or of rows of features.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/site.hpp"
#include "workers/scoring.hpp"

namespace runner {

struct ScoreQuestion {
  std::string model;
  std::vector<std::string> paths;
  std::optional<std::string> out;    ///< file of the scores; default: standard output
  std::optional<std::string> sheet;  ///< file of the contact sheet; default: none
  SiteFlags site;
  std::optional<int> threads;  ///< default: all CPUs of this process
};

/// What needs LibTorch, which this folder's library does not know.
struct ScoreComputing {
  void (*set_up)(int threads);  ///< workers::set_up_computation
  workers::Scored (*score_files)(const workers::ScoreTask& task,
                                 const std::function<void(const std::string& line)>& on_fault);
};

/// The lines of the CSV file with its header: path, score, threshold, verdict; worst (lowest score) first, then what
/// could not be read. Numbers are the shortest that read back as the same float32.
std::string scores_csv(const workers::Scored& scored);

/// Returns 0, or 3 where something could not be read. Throws Error where nothing could.
int print_scores(const ScoreQuestion& question, const ScoreComputing& computing);

}  // namespace runner
