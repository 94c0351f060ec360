// Sorts, prints, and says what the scores come to.
#include "runner/score_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <vector>

#include "results/csv.hpp"
#include "results/text_layout.hpp"
#include "runner/detector_words.hpp"
#include "runner/placement.hpp"
#include "runner/sheet_of_scores.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/printable.hpp"
#include "sweeps/backbones.hpp"

namespace runner {
namespace {

using results::grouped;
using workers::Scored;
using workers::ScoredRow;

std::string number(float value) {
  return std::isinf(value) ? (value > 0 ? "inf" : "-inf") : fmt::format("{}", value);
}

std::string shown(const std::string& text) {
  return storage::printable_line(text, 1024);
}

/// Of what `flag` writes: nothing but a regular file, which is replaced, and none that is read.
void check_target(const char* flag, const std::string& target, const std::string& read, const char* what) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(target, read, ignored)) return;
  throw storage::UsageError(
      fmt::format("{} {}: is {}, which would be lost; name another file", flag, shown(target), what));
}

void check_targets(const ScoreQuestion& question) {
  std::error_code ignored;
  for (const auto& [flag, file] : {std::pair("--out", question.out), std::pair("--sheet", question.sheet)}) {
    if (!file) continue;
    const auto status = std::filesystem::symlink_status(*file, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      throw storage::UsageError(
          fmt::format("{} {}: is there and no regular file, which it would replace; name another "
                      "file{}",
                      flag, shown(*file), flag == std::string("--out") ? ", or leave it out to print the scores" : ""));
    }
    check_target(flag, *file, question.model, "the model");
    for (const auto& path : question.paths) check_target(flag, *file, path, "to be scored");
  }
  const auto place = [](const std::string& file) { return std::filesystem::absolute(file).lexically_normal(); };
  if (question.out && question.sheet && place(*question.out) == place(*question.sheet)) {
    throw storage::UsageError("--sheet: is the file of --out; name another one");
  }
}

/// Files of folders are known once they are scored.
void check_targets(const ScoreQuestion& question, const std::vector<ScoredRow>& rows) {
  std::error_code ignored;
  for (const auto& [flag, file] : {std::pair("--out", question.out), std::pair("--sheet", question.sheet)}) {
    if (!file || !std::filesystem::exists(*file, ignored)) continue;
    for (const auto& row : rows) check_target(flag, *file, row.path, "one of the files that were scored");
  }
}

void check_question(const ScoreQuestion& question) {
  std::error_code ignored;  // what cannot be looked at cannot be read either, and that says why
  const auto status = std::filesystem::status(question.model, ignored);
  if (!std::filesystem::exists(status) || std::filesystem::is_directory(status)) {
    throw storage::UsageError(fmt::format(
        "{}: {}; give a model that a training with \"save\" has written, DIR/models/KEY-best.safetensors or -last",
        question.model, std::filesystem::exists(status) ? "is a folder" : "is not there"));
  }
  const bool matrices = std::any_of(question.paths.begin(), question.paths.end(),
                                    [](const std::string& path) { return path.ends_with(".npy"); });
  if (question.sheet && matrices) {
    throw storage::UsageError("--sheet: rows of features have no pictures; leave it out");
  }
  for (const auto& [flag, file] : {std::pair("--out", question.out), std::pair("--sheet", question.sheet)}) {
    if (file && file->empty()) throw storage::UsageError(fmt::format("{}: expected a file, found \"\"", flag));
  }
  check_targets(question);
}

/// Lowest scores first, in the order of the paths where they are equal; then what has none.
void sort(std::vector<ScoredRow>& rows) {
  const auto unread =
      std::stable_partition(rows.begin(), rows.end(), [](const auto& row) { return row.fault.empty(); });
  std::stable_sort(rows.begin(), unread, [](const auto& a, const auto& b) { return a.score < b.score; });
}

struct Counts {
  std::uint64_t scored = 0, normal = 0, unreadable = 0;
};

Counts counts_of(const std::vector<ScoredRow>& rows) {
  Counts counts;
  for (const auto& row : rows) {
    row.fault.empty() ? ++counts.scored : ++counts.unreadable;
    if (row.is_normal) ++counts.normal;
  }
  return counts;
}

/// Which detector, and how its scores fell.
void say_summary(const Scored& scored, const Counts& counts, std::ostream& out) {
  out << fmt::format("Detector: {}, {}\n", sweeps::describe(scored.facts.job), epoch_in_words(scored.facts));
  const char* rows = scored.source.backbone == sweeps::kOwnFeatures ? "rows" : "images";
  out << fmt::format("Scored: {} {}", grouped(counts.scored), rows);
  if (scored.threshold) {
    out << fmt::format(", {} above the threshold of {:.4g} (normal), {} not (anomaly)", grouped(counts.normal),
                       *scored.threshold, grouped(counts.scored - counts.normal));
  } else {
    out << "; the model has no threshold, so no verdicts";
  }
  if (counts.unreadable > 0) out << fmt::format("; {} could not be read", grouped(counts.unreadable));
  if (scored.passed_over > 0) {
    out << fmt::format("; {} other file{} passed over", grouped(static_cast<std::uint64_t>(scored.passed_over)),
                       scored.passed_over == 1 ? "" : "s");
  }
  out << "\n";
}

void write_sheet(const ScoreQuestion& question, const Scored& scored, std::ostream& out) {
  const auto html = workers::to_html(sheet_of(scored, question.model));
  storage::write_atomically(std::filesystem::absolute(*question.sheet), html);
  out << fmt::format("Sheet: {} ({:.1f} MB)\n", shown(*question.sheet), static_cast<double>(html.size()) / 1e6);
}

}  // namespace

std::string scores_csv(const Scored& scored) {
  std::string text = "path,score,threshold,verdict\n";
  const auto threshold = scored.threshold ? number(*scored.threshold) : "";
  for (const auto& row : scored.rows) {
    const bool has_score = row.fault.empty();
    const char* verdict = !has_score ? "unreadable" : !scored.threshold ? "" : row.is_normal ? "normal" : "anomaly";
    text += fmt::format("{},{},{},{}\n", results::csv_field(row.path),
                        has_score ? number(static_cast<float>(row.score)) : "", threshold, verdict);
  }
  return text;
}

int print_scores(const ScoreQuestion& question, const ScoreComputing& computing) {
  check_question(question);
  const auto site = read_site(question.site);
  workers::ScoreTask task{question.model, question.paths,
                          choose_threads(question.threads, 1, usable_cpus(), std::nullopt),
                          [&](const std::string& backbone) {
                            const auto& facts = sweeps::backbone_facts(backbone);
                            return site.find_weights(backbone, facts.weights_file).file.string();
                          }};
  computing.set_up(task.threads);
  auto scored = computing.score_files(task, [](const std::string& line) { std::cerr << line << std::endl; });
  check_targets(question, scored.rows);
  sort(scored.rows);
  const auto counts = counts_of(scored.rows);
  if (counts.scored == 0) {
    throw storage::Error(fmt::format("score: nothing of what was given could be read ({} failed, named above)",
                                     grouped(counts.unreadable)));
  }
  auto& out = question.out ? std::cout : std::cerr;
  const auto csv = scores_csv(scored);
  if (question.out) {
    storage::write_atomically(std::filesystem::absolute(*question.out), csv);
  } else {
    std::cout << csv << std::flush;
  }
  say_summary(scored, counts, out);
  if (question.out) out << fmt::format("Scores: {}\n", shown(*question.out));
  if (question.sheet) write_sheet(question, scored, out);
  out.flush();
  return counts.unreadable > 0 ? 3 : 0;
}

}  // namespace runner
