// DIR/logs/run.log: one line an event with UTC time; warnings also reach the terminal. spdlog stays in event_log.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace runner {

class EventLog {
 public:
  /// Opens (appends to) `file`. Throws storage::Error naming it.
  explicit EventLog(const std::filesystem::path& file);
  ~EventLog();
  void info(const std::string& line);
  void warning(const std::string& line);
  void error(const std::string& line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runner
