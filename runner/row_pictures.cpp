// Looks for files; what is in them and how it is drawn is for results/.
#include "runner/row_pictures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <set>
#include <system_error>
#include <utility>

#include "results/dump.hpp"
#include "results/planned_runs.hpp"
#include "results/row_figures.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/printable.hpp"
#include "sweeps/job.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostNamed = 10;
constexpr std::uintmax_t kMostFigureBytes = std::uintmax_t{1} << 24;

/// A run and its dump.
struct Found {
  results::PlannedRun run;
  sweeps::JobKey key;  ///< that the run had when it was made
  fs::path file;
};

/// Results of older engines stand in the ledger under the keys that their jobs have now.
sweeps::JobKey key_of_result(const results::PlannedRun& run) {
  return sweeps::key_of(*run.job, run.done->engine_version);
}

std::vector<Found> dumps_of(const std::vector<std::string>& directories, const std::vector<results::PlannedRun>& runs) {
  std::vector<Found> found;
  for (const results::PlannedRun& run : runs) {
    if (run.done == nullptr || !sweeps::is_trained(run.job->method)) continue;
    const sweeps::JobKey key = key_of_result(run);
    for (const std::string& directory : directories) {
      const fs::path file = results::dump_file(directory, key);
      std::error_code ignored;
      if (!fs::exists(file, ignored)) continue;
      found.push_back({run, key, file});
      break;
    }
  }
  return found;
}

/// Files that are called like dumps and belong to no run.
std::vector<std::string> strangers(const std::vector<std::string>& directories,
                                   const std::vector<results::PlannedRun>& runs) {
  std::set<std::string> known;
  for (const results::PlannedRun& run : runs) {
    known.insert(run.key.hex);
    if (run.done != nullptr) known.insert(key_of_result(run).hex);
  }
  std::vector<std::string> files;
  for (const std::string& directory : directories) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fs::path(directory) / "dumps", ignored)) {
      const fs::path& file = entry.path();
      if (file.extension() == ".h5" && !known.contains(file.stem().string())) files.push_back(file.string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string auroc_text(const std::optional<double>& auroc) {
  return auroc ? storage::shortest(*auroc) : "none";
}

/// Why the rows cannot be those of this result, as where features have changed since; "" where they can.
std::string another_training(const results::Dump& dump, const results::JobResult& result) {
  if (result.epochs.empty()) return "";
  const results::EpochRecord& last = result.epochs.back();
  if (dump.last.epoch == last.epoch && dump.last.auroc == last.auc()) return "";
  return fmt::format(
      "of another training of this job: its last epoch is {} with AUROC {}, that of the result {} with {}; remove it, "
      "and give `run` --redo-unsaved",
      dump.last.epoch, auroc_text(dump.last.auroc), last.epoch, auroc_text(last.auc()));
}

/// At most some by name.
std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
    shown.push_back(storage::printable_line(names[i], 200));
  if (names.size() > kMostNamed) shown.push_back(fmt::format("and {} more", names.size() - kMostNamed));
  return fmt::format("{}", fmt::join(shown, ", "));
}

/// "t-SNE 3 of 8" on standard error: in a terminal rewritten in place and gone at the end, else a line each.
class Progress {
 public:
  explicit Progress(std::size_t all) : all_(all), terminal_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() {
    if (terminal_ && shown_) std::fputs("\r\x1b[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::size_t number) {
    shown_ = true;
    fmt::print(stderr, "{}t-SNE {} of {}{}", terminal_ ? "\r\x1b[K" : "", number, all_, terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

 private:
  std::size_t all_;
  bool terminal_, shown_ = false;
};

class Gallery {
 public:
  Gallery(fs::path figures, std::optional<double> seconds) : folder_(std::move(figures)), seconds_(seconds) {}

  RowPictures of(const std::vector<Found>& found) {
    Progress progress(std::min(found.size(), kMostDumps));
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i < kMostDumps) {
        add(found[i], i + 1, progress);
      } else {
        beyond_.push_back(found[i].file.filename().string());
      }
    }
    note_what_is_left();
    return std::move(pictures_);
  }

 private:
  std::string earlier(const std::string& name) const {
    try {
      return storage::read_regular_file(folder_ / name, kMostFigureBytes);
    } catch (const storage::Error&) {
      return "";  // not there, or not ours
    }
  }

  void add(const Found& found, std::size_t number, Progress& progress) {
    results::Dump dump;
    try {
      dump = results::read_dump(found.file);
    } catch (const std::exception& error) {  // memory too: a file may be larger than it
      pictures_.notes.push_back(fmt::format("Not drawn: {}", storage::printable_line(error.what(), 500)));
      return;
    }
    if (dump.key != found.key.hex) {
      pictures_.notes.push_back(fmt::format("Not drawn: {}: a dump of another job", found.file.string()));
      return;
    }
    if (const auto why = another_training(dump, found.run.done->result); !why.empty()) {
      pictures_.notes.push_back(fmt::format("Not drawn: {}: {}", found.file.string(), why));
      return;
    }
    const results::EarlierFile files = [&](const std::string& name) { return earlier(name); };
    const bool known = results::has_row_figures(dump, files);
    if (!known && !is_time_for(dump)) {
      late_.push_back(found.file.filename().string());
      return;
    }
    if (!known) progress.show(number);
    for (results::Figure& figure : results::row_figures(found.run, dump, files)) {
      if (!known) keep(figure);
      pictures_.figures.push_back(std::move(figure));
    }
  }

  /// Cores differ, and others may be at work on them.
  bool is_time_for(const results::Dump& dump) const {
    constexpr double kSlower = 2;
    if (!seconds_) return true;
    const double spent = std::chrono::duration<double>(Clock::now() - begun_).count();
    return spent + kSlower * results::seconds_of_row_figures(dump) < *seconds_;
  }

  /// What a later report finds even if this one is broken off. Whatever becomes of these files, they are checked before
  /// they are used, and drawing writes them for good.
  void keep(const results::Figure& figure) const {
    storage::replace_view(folder_ / (figure.name + ".csv"), figure.data);
    storage::replace_view(folder_ / (figure.name + ".gp"), figure.script);
  }

  void note_what_is_left() {
    if (!late_.empty()) {
      pictures_.notes.push_back(
          fmt::format("Not yet drawn, because it takes some time, which `plume-bench report` takes: "
                      "{}",
                      listed(late_)));
    }
    if (!beyond_.empty()) {
      pictures_.notes.push_back(
          fmt::format("A report draws the first {} dumps; not drawn: {}", kMostDumps, listed(beyond_)));
    }
  }

  fs::path folder_;
  std::optional<double> seconds_;
  Clock::time_point begun_ = Clock::now();
  RowPictures pictures_;
  std::vector<std::string> late_, beyond_;
};

}  // namespace

RowPictures row_pictures(const std::vector<std::string>& directories, const fs::path& report,
                         const std::vector<sweeps::Plan>& plans, const results::Ledger& ledger,
                         std::optional<double> seconds) {
  const std::vector<results::PlannedRun> runs = results::planned_runs(plans, ledger);
  RowPictures pictures = Gallery(report / "figures", seconds).of(dumps_of(directories, runs));
  const std::vector<std::string> others = strangers(directories, runs);
  if (!others.empty()) pictures.notes.push_back("Not drawn, for they are of no run of this report: " + listed(others));
  return pictures;
}

}  // namespace runner
