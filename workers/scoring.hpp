// Scores of rows that no training has seen, by a saved detector: what `plume-bench score` computes. The header knows no
// LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workers/feature_set.hpp"
#include "workers/model_file.hpp"

namespace workers {

struct ScoreTask {
  std::string model;               ///< file
  std::vector<std::string> paths;  ///< image files and folders or, for a detector of own features, .npy matrices [n, L]
  int threads = 1;
  /// Where the weights of a backbone are: a file, or random:SEED. Throws where they are nowhere.
  std::function<std::string(const std::string& backbone)> find_weights;
};

struct ScoredRow {
  std::string path;        ///< a file; of a matrix "x.npy#17", rows counted from 0
  double score = 0;        ///< logit, a float32 value: higher is more normal
  bool is_normal = false;  ///< by the threshold; false where the model has none
  std::string fault = {};  ///< why there is no score, one line; "": there is one
};

struct Scored {
  ModelFacts facts;
  RowSource source;
  /// The model's threshold in the unit of scores, float32: the highest logit that is no normal row's, inf where none is
  /// above it.
  std::optional<float> threshold;
  std::vector<ScoredRow> rows;   ///< those with a score in the order of the paths, and the faults in theirs
  std::int64_t passed_over = 0;  ///< files in folders that are no images
};

/// Every row by the steps of an extraction and of a training's evaluation, so that the rows of a training's test split
/// get the scores that it had. Reads the images while it computes, and keeps those of a batch. What cannot be read is a
/// fault, told to `on_fault` at once. The process is set up for computing (trainer_settings.hpp).
/// Throws UsageError for paths that this detector cannot score and for weights that are not those it was trained on,
/// Error for a model that is none.
Scored score_files(const ScoreTask& task, const std::function<void(const std::string& line)>& on_fault);

}  // namespace workers
