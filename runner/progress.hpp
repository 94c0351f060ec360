// The progress line: rewritten in place in a terminal, a line now and then in a log file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "runner/coordinator.hpp"

namespace runner {

struct ProgressView {
  Counts jobs;
  Counts features;
  std::int64_t jobs_before = 0;  ///< committed by earlier runs
  bool scanning = false;         ///< images are being scanned; else, while jobs wait, their features are computed
  std::int64_t images_done = 0, images_total = 0;
  double images_seconds = 0;  ///< since the first of them was begun
  bool of_images = true;      ///< else they are rows of features
  bool draining = false;
  double work_done = 0;  ///< relative cost of the jobs done in this run
  double work_left = 0;
  double seconds = 0;  ///< since the first job of this run started; 0 before
  std::string last;    ///< what happened last, e.g. a job and its AUROC; may be empty
};

/// "jobs 12/24 done, 2 running, 0 failed, 10 left | 5.3 jobs/min | 2 min left". While images are scanned: "scan: 12000
/// of 60000 images | 2100 images/s | 23 s left", and while their features are computed the same with "features".
std::string progress_text(const ProgressView& view);

/// How the rows of a run's feature sets were made.
struct FeatureProfile {
  std::int64_t rows = 0;
  double seconds = 0;     ///< from the first to the last of them
  workers::Spent spent;   ///< of all workers together
  bool backbone = false;  ///< some went through one
  bool of_images = true;
};
/// "features: 4200 rows in 52 s (80.8 images/s): 93 % in the backbone, 2 % waiting for images, 5 % writing".
std::string profile_text(const FeatureProfile& profile);

/// "40 s", "2 min", "1 h 05 min", "2 d 3 h".
std::string duration_text(double seconds);

class ProgressLine {
 public:
  /// In a terminal (decided by the caller) the line is rewritten; else a line every `every_seconds`, and when the
  /// number done changes by a tenth.
  ProgressLine(std::FILE* stream, bool terminal, double every_seconds);
  /// `now`: seconds, monotonic.
  void show(const ProgressView& view, double now);
  /// Prints a message of its own line without tearing the progress line.
  void message(const std::string& line);
  /// Ends the line with the last state; a log that has it already gets no second one.
  void finish(const ProgressView& view);

 private:
  void clear();
  std::FILE* stream_;
  bool terminal_;
  double every_seconds_;
  double last_shown_ = -1e9;
  std::int64_t last_tenth_ = -1;
  std::string on_screen_;
  std::string last_text_;  ///< last line of a log
};

/// Columns of the terminal behind `descriptor`, $COLUMNS, else 100.
std::size_t terminal_width(int descriptor);

}  // namespace runner
