// Formats and shows progress.
#include "runner/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "storage/printable.hpp"

namespace runner {
namespace {

constexpr double kTerminalEvery = 0.2;  // seconds between rewrites
constexpr double kTenthEvery = 5;       // least seconds between two lines in a log, however fast jobs end

std::int64_t planned(const Counts& c) {
  return c.waiting + c.running + c.done + c.failed;
}

bool jobs_wait_for_features(const ProgressView& view) {
  const bool nothing_else = planned(view.jobs) + view.jobs_before == 0 && view.images_total > 0;
  return nothing_else || (view.jobs.running == 0 && view.features.waiting + view.features.running > 0);
}

/// " | 30 s left", or nothing while too little is done to tell.
std::string time_left(double done, double left, double seconds) {
  constexpr double kLeastShare = 0.05;
  if (left <= 0 || seconds <= 0 || done < kLeastShare * (done + left)) return "";
  return fmt::format(" | {} left", duration_text(left / done * seconds));
}

/// "5.3", "54": digits that mean something.
std::string rate_text(double rate) {
  return rate < 10 ? fmt::format("{:.1f}", rate) : fmt::format("{:.0f}", rate);
}

std::string features_text(const ProgressView& view) {
  const char* things = view.of_images ? "images" : "rows";
  auto text =
      fmt::format("{}: {} of {} {}", view.scanning ? "scan" : "features", view.images_done, view.images_total, things);
  if (view.images_done == 0 || view.images_seconds <= 0) return text;
  const auto done = static_cast<double>(view.images_done);
  return text + fmt::format(" | {} {}/s", rate_text(done / view.images_seconds), things) +
         time_left(done, static_cast<double>(view.images_total - view.images_done), view.images_seconds);
}

}  // namespace

std::string duration_text(double seconds) {
  const auto s = static_cast<std::int64_t>(std::max(0.0, seconds) + 0.5);
  if (s < 100) return fmt::format("{} s", s);
  const auto minutes = (s + 30) / 60;
  if (minutes < 100) return fmt::format("{} min", minutes);
  const auto hours = (minutes + 30) / 60;
  if (hours < 10) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  if (hours < 48) return fmt::format("{} h", hours);
  return fmt::format("{} d {} h", hours / 24, hours % 24);
}

std::string progress_text(const ProgressView& view) {
  if (view.draining) {
    const auto running = view.jobs.running + view.features.running;
    return fmt::format("draining: {} still running, {} jobs left for the next time", running, view.jobs.waiting);
  }
  if (jobs_wait_for_features(view)) return features_text(view);
  const auto done = view.jobs.done + view.jobs_before;
  auto text =
      fmt::format("jobs {}/{} done, {} running, {} failed, {} left", done, planned(view.jobs) + view.jobs_before,
                  view.jobs.running, view.jobs.failed, view.jobs.waiting);
  if (view.jobs.done > 0 && view.seconds > 0) {
    text += fmt::format(" | {} jobs/min", rate_text(static_cast<double>(view.jobs.done) / view.seconds * 60));
    if (view.jobs.waiting + view.jobs.running > 0) text += time_left(view.work_done, view.work_left, view.seconds);
  }
  if (!view.last.empty()) text += " | last: " + view.last;
  return text;
}

std::string profile_text(const FeatureProfile& profile) {
  const auto& spent = profile.spent;
  const double all = spent.waiting + spent.computing + spent.writing;
  const auto share = [all](double seconds) { return all > 0 ? 100 * seconds / all : 0; };
  const char* things = profile.of_images ? "images" : "rows";
  const double rate = profile.seconds > 0 ? static_cast<double>(profile.rows) / profile.seconds : 0;
  return fmt::format("features: {} rows in {} ({:.1f} {}/s): {:.0f} % {}, {:.0f} % waiting for {}, {:.0f} % writing",
                     profile.rows, duration_text(profile.seconds), rate, things, share(spent.computing),
                     profile.backbone ? "in the backbone" : "making rows", share(spent.waiting), things,
                     share(spent.writing));
}

ProgressLine::ProgressLine(std::FILE* stream, bool terminal, double every_seconds)
    : stream_(stream), terminal_(terminal), every_seconds_(every_seconds) {}

void ProgressLine::clear() {
  if (!on_screen_.empty()) std::fputs("\r\033[K", stream_);
  on_screen_.clear();
}

void ProgressLine::show(const ProgressView& view, double now) {
  const auto all = std::max<std::int64_t>(1, planned(view.jobs));
  const auto tenth = view.jobs.done * 10 / all;
  const bool moved = !terminal_ && tenth != last_tenth_ && view.jobs.done > 0 && now - last_shown_ >= kTenthEvery;
  if (now - last_shown_ < (terminal_ ? kTerminalEvery : every_seconds_) && !moved) return;
  last_shown_ = now;
  last_tenth_ = tenth;
  auto text = progress_text(view);
  if (!terminal_) {
    last_text_ = text;
    std::fputs((text + "\n").c_str(), stream_);
    std::fflush(stream_);
    return;
  }
  const auto width = terminal_width(fileno(stream_));
  if (text.size() >= width) text.resize(width - 1);
  if (text == on_screen_) return;
  clear();
  std::fputs(text.c_str(), stream_);
  std::fflush(stream_);
  on_screen_ = text;
}

void ProgressLine::message(const std::string& line) {
  clear();
  constexpr std::size_t kMostBytes = 16'384;
  std::fputs((storage::printable_line(line, kMostBytes) + "\n").c_str(), stream_);
  std::fflush(stream_);
}

void ProgressLine::finish(const ProgressView& view) {
  const auto text = progress_text(view);
  if (text != last_text_) message(text);
}

std::size_t terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  if (const char* columns = std::getenv("COLUMNS")) {
    const auto n = std::strtol(columns, nullptr, 10);
    if (n >= 20 && n <= 10000) return static_cast<std::size_t>(n);
  }
  return 100;
}

}  // namespace runner
