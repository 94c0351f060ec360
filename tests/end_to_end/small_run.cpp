// Reads a run's directory while it is at work.
#include "tests/end_to_end/small_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

namespace tests {
namespace {

namespace fs = std::filesystem;

std::string text_so_far(const fs::path& file) {
  return fs::exists(file) ? read_text(file) : "";
}

const fs::path& shared_cache() {
  static const TemporaryFolder cache;
  return cache.path();
}

/// Whole lines only: the last may be half written.
std::vector<nlohmann::json> entries_of(const fs::path& journal) {
  std::vector<nlohmann::json> entries;
  std::istringstream lines(text_so_far(journal));
  for (std::string line; std::getline(lines, line);) {
    auto entry = nlohmann::json::parse(line, nullptr, false);
    if (!entry.is_discarded()) entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

SmallRun::SmallRun(int seeds, int epochs, int dimension) : jobs_(static_cast<std::size_t>(2 * seeds)) {
  const auto numbers = fmt::format(R"("dimension": {}, "epochs": {}, "seeds": {})", dimension, epochs, seeds);
  write_text(folder() / "sweep.json", R"({"version": 1, "name": "small",
    "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 24, "test_per_class": 12}},
    "blocks": [{"dataset": "synthetic", "backbone": "efficientnet-lite0", "lr": 0.001, "batch_size": 8,
                "perturbation": "linear-map", "guidance": "full", "lambda": 5, )" +
                                          numbers + R"(}],
    "tables": [{"id": "small"}]})");
}

std::vector<std::string> SmallRun::arguments(const std::vector<std::string>& more) const {
  std::vector<std::string> list = {"run",       "sweep.json",
                                   "--out",     "out",
                                   "--threads", "1",
                                   "--cache",   shared_cache().string(),
                                   "--weights", "efficientnet-lite0=random:1"};
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

std::vector<std::string> SmallRun::alone(const std::vector<std::string>& more) const {
  auto command = arguments(more);
  command.insert(command.begin(), program().string());
  return command;
}

std::vector<std::string> SmallRun::ranks(int count, const std::vector<std::string>& mpirun_flags,
                                         const std::vector<std::string>& more) const {
  auto command = under_mpirun(count, arguments(more));
  command.insert(command.begin() + 1, mpirun_flags.begin(), mpirun_flags.end());
  return command;
}

std::string SmallRun::log() const {
  return text_so_far(out() / "logs/run.log");
}

std::size_t SmallRun::times_logged(const std::string& text) const {
  const auto all = log();
  std::size_t times = 0;
  for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) ++times;
  return times;
}

std::map<std::string, int> SmallRun::commits() const {
  std::map<std::string, int> commits;
  for (const auto& entry : entries_of(out() / "journal.jsonl")) {
    if (entry.at("type") == "done") ++commits[entry.at("key").get<std::string>()];
  }
  return commits;
}

bool SmallRun::is_complete() const {
  const auto all = commits();
  bool once = true;
  for (const auto& [key, times] : all) once = once && times == 1;
  return once && all.size() == jobs_;
}

int SmallRun::begun_attempts() const {
  const auto entries = entries_of(out() / "journal.jsonl");
  return static_cast<int>(
      std::count_if(entries.begin(), entries.end(), [](const auto& entry) { return entry.at("type") == "start"; }));
}

std::map<std::string, int> SmallRun::ended_attempts() const {
  std::map<std::string, int> causes;
  for (const auto& entry : entries_of(out() / "journal.jsonl")) {
    if (entry.at("type") == "attempt") ++causes[entry.at("cause").get<std::string>()];
  }
  return causes;
}

std::optional<int> SmallRun::exit_status() const {
  const auto text = text_so_far(out() / "exit_status");
  return text.empty() ? std::nullopt : std::optional<int>(std::stoi(text));
}

std::map<std::string, std::string> SmallRun::report() const {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(out() / "report")) {
    if (is_about_times(entry.path())) continue;
    if (entry.is_regular_file()) files[fs::relative(entry.path(), out()).string()] = read_text(entry.path());
  }
  return files;
}

std::map<std::string, std::string> undisturbed_report(int seeds, int epochs, int dimension) {
  static std::map<std::tuple<int, int, int>, std::map<std::string, std::string>> kept;
  auto& report = kept[{seeds, epochs, dimension}];
  if (report.empty()) {
    const SmallRun run(seeds, epochs, dimension);
    const auto ended = run.run(run.alone({"--workers", "2"}));
    EXPECT_EQ(ended.status, 0) << ended.errors;
    report = run.report();
    EXPECT_EQ(report.count("report/tables/small.md"), 1U);
  }
  return report;
}

}  // namespace tests
