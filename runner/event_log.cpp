// The log file, through spdlog.
#include "runner/event_log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include "storage/error.hpp"

namespace runner {

struct EventLog::State {
  std::shared_ptr<spdlog::logger> logger;
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
  state_->logger->info("{}", line);
}
void EventLog::warning(const std::string& line) {
  state_->logger->warn("{}", line);
}
void EventLog::error(const std::string& line) {
  state_->logger->error("{}", line);
}

}  // namespace runner
