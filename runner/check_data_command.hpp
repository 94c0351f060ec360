// `plume-bench check data`: finds a data set, scans it and prints what it is and what a model would see of it.
#pragma once

#include <optional>
#include <string>

#include "runner/data_scan.hpp"
#include "runner/site.hpp"
#include "workers/model_view.hpp"

namespace runner {

struct DataQuestion {
  std::string id;
  std::optional<std::string> sweep;  ///< file whose entry of that id holds
  std::optional<std::string> kind;   ///< instead of a sweep
  SiteFlags site;
  std::optional<int> threads;        ///< default: all CPUs of this process
  std::optional<std::string> sheet;  ///< file of the contact sheet; default: check-ID.html
  bool no_sheet = false;
};

/// What needs LibTorch, which this folder's library does not know.
struct DataComputing {
  void (*set_up)(int threads);  ///< workers::set_up_computation
  ScanRows scan_rows;           ///< workers::scan_rows
  workers::ModelView (*view)(const datasets::Image& image, int first_square,
                             const workers::ChannelStatistics& statistics, int square);  ///< workers::view_of_model
};

/// The data set's settings: the sweep's entry, else a kind's own. Throws UsageError that says every way to declare one.
sweeps::DatasetSpec asked_dataset(const DataQuestion& question);

/// Prints an aligned line a fact and flushes each, then lines that begin with "Note:"; returns 0. Throws UsageError for
/// a data set that is not known or not there, Error for the first thing in it that is damaged.
int print_data_check(const DataQuestion& question, const DataComputing& computing);

}  // namespace runner
