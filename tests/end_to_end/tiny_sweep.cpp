// Writes the sweep, runs it, reads its directory.
#include "tests/end_to_end/tiny_sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "storage/json.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;

/// Features are made by the first test that needs them, under the cache's own rules.
fs::path shared_cache() {
  static const TemporaryFolder cache;
  return cache.path();
}

std::string text_if_there(const fs::path& file) {
  return fs::exists(file) ? read_text(file) : "";
}

std::string member(const storage::JsonValue& line, const char* key) {
  const auto found = line.find(key);
  return found ? found->string() : "";
}

}  // namespace

TinySweep::TinySweep(const SweepShape& shape) {
  write_text(folder() / "sweep.json",
             R"({"version": 1, "name": "tiny",
    "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 24, "test_per_class": 12}},
    "blocks": [{"dataset": "synthetic", "backbone": "efficientnet-lite0", "perturbation": "linear-map", "guidance": "full",
                "lambda": 5, "batch_size": 8, "lr": )" +
                 shape.lr + R"(, "dimension": )" + std::to_string(shape.dimension) + R"(, "epochs": )" +
                 std::to_string(shape.epochs) + R"(, "seeds": )" + std::to_string(shape.seeds) +
                 (shape.block.empty() ? "" : ", " + shape.block) + R"(}], "tables": [{"id": "tiny"}]})");
}

std::vector<std::string> TinySweep::arguments(const std::vector<std::string>& more) const {
  std::vector<std::string> list = {"run", "sweep.json", "--out", "out", "--threads", "1"};
  const auto given = [&](const char* flag) { return std::find(more.begin(), more.end(), flag) != more.end(); };
  if (!given("--cache")) list.insert(list.end(), {"--cache", shared_cache().string()});
  list.insert(list.end(), {"--weights", "efficientnet-lite0=random:1"});
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

std::vector<std::string> TinySweep::command(const std::vector<std::string>& more) const {
  auto list = arguments(more);
  list.insert(list.begin(), program().string());
  if (std::find(more.begin(), more.end(), "--workers") == more.end()) list.insert(list.end(), {"--workers", "1"});
  return list;
}

Ended TinySweep::run(const std::vector<std::string>& more, const std::vector<std::string>& environment) const {
  return Running(command(more), folder(), environment).wait();
}

std::string TinySweep::table() const {
  return text_if_there(out() / "report/tables/tiny.md") + text_if_there(out() / "report/tables/tiny.csv");
}

std::string TinySweep::log() const {
  return text_if_there(out() / "logs/run.log");
}

std::vector<JournalLine> TinySweep::journal() const {
  std::vector<JournalLine> lines;
  std::istringstream text(text_if_there(out() / "journal.jsonl"));
  for (std::string line; std::getline(text, line);) {
    if (text.eof()) break;  // still being written
    const auto value = storage::parse_json(line, "journal", storage::Blame::run);
    if (member(value, "type") == "start") continue;
    const auto attempt = value.find("attempt");
    const auto said = member(value, "message") + member(value, "text");
    lines.push_back({member(value, "type"), member(value, "key"), member(value, "cause"), said,
                     attempt ? static_cast<int>(attempt->integer()) : 0});
  }
  return lines;
}

std::vector<JournalLine> TinySweep::journal(const std::string& type) const {
  auto lines = journal();
  std::erase_if(lines, [&](const JournalLine& line) { return line.type != type; });
  return lines;
}

const std::string& undisturbed_table() {
  static const std::string table = [] {
    const TinySweep sweep;
    const auto ended = sweep.run();
    EXPECT_EQ(ended.status, 0) << ended.errors;
    return sweep.table();
  }();
  return table;
}

std::string last_line_of(const Ended& ended) {
  const auto at = ended.errors.rfind("plume-bench: ");
  if (at == std::string::npos) return "(no line) " + ended.errors;
  const auto line = ended.errors.substr(at);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
  return line;
}

std::string fault(const std::string& text) {
  return "PLUME_FAULT=" + text;
}

}  // namespace tests
