// The log file, through spdlog.
#include "runner/event_log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include "storage/error.hpp"
#include "storage/printable.hpp"

namespace runner {

struct EventLog::State {
  std::shared_ptr<spdlog::logger> logger;

  /// Names and causes come from files and other programs: none of them makes two events of one, or moves the cursor of
  /// whoever reads the log.
  void write(spdlog::level::level_enum level, const std::string& line) {
    constexpr std::size_t kMostBytes = 16'384;
    logger->log(level, "{}", storage::printable_line(line, kMostBytes));
  }
};

EventLog::EventLog(const std::filesystem::path& file) : state_(std::make_unique<State>()) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_st>(file.string());
    state_->logger = std::make_shared<spdlog::logger>("run", sink);
  } catch (const spdlog::spdlog_ex& error) {
    throw storage::Error(file.string() + ": the log cannot be opened: " + error.what());
  }
  state_->logger->set_pattern("%Y-%m-%dT%H:%M:%SZ %l %v", spdlog::pattern_time_type::utc);
  state_->logger->flush_on(spdlog::level::info);
  // A full disk must not end a run that can still go on; the journal says so itself.
  state_->logger->set_error_handler([](const std::string&) {});
}

EventLog::~EventLog() = default;

void EventLog::info(const std::string& line) {
  state_->write(spdlog::level::info, line);
}
void EventLog::warning(const std::string& line) {
  state_->write(spdlog::level::warn, line);
}
void EventLog::error(const std::string& line) {
  state_->write(spdlog::level::err, line);
}

}  // namespace runner
