// One look, or one look after the other: on a terminal's alternate screen, or as blocks where there is no terminal.
#include "runner/status_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "runner/progress.hpp"
#include "runner/status_directory.hpp"
#include "runner/status_json.hpp"
#include "runner/status_screen.hpp"
#include "runner/watch_terminal.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

bool has_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

/// https://no-color.org
bool wants_colours() {
  const char* no = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no == nullptr || *no == '\0') && terminal != nullptr && std::string(terminal) != "dumb";
}

/// Whether nothing more is to be seen without somebody's doing. A chain is followed from one allocation to the next.
bool is_over(const StatusView& view) {
  if (goes_on_by_itself(view.following)) return false;
  if (view.following == Following::chain_end) return true;
  const auto life = view.life.life;
  return life == Life::ended || life == Life::died || life == Life::unknown;
}

int exit_status_of(const StatusView& view) {
  return view.problems.empty() ? 0 : 1;
}

/// What a person would call a change: not that a second has passed.
std::string essence_of(const StatusView& view) {
  auto essence = fmt::format("{} {} {} {} {} {}", static_cast<int>(view.life.life), static_cast<int>(view.following),
                             view.jobs.committed(), view.jobs.failed, view.failures.size(), view.problems.size());
  if (!view.status) return essence;
  essence += fmt::format(" {} {}", name_of(view.status->phase), view.status->feature_rows);
  for (const auto& worker : view.status->workers) essence += name_of(worker.state).front();
  return essence;
}

int print_once(RunDirectory& directory, const StatusQuestion& question) {
  directory.look();
  const auto view = view_of(directory.picture());
  if (question.json) {
    std::cout << status_json(view) << "\n";
  } else if (has_terminal()) {
    // The prompt that follows takes a line.
    const auto size = terminal_size(STDOUT_FILENO);
    std::cout << text_of(screen_of(view, {size.columns, size.rows > 1 ? size.rows - 1 : 1}), wants_colours());
  } else {
    std::cout << text_of(screen_of(view, {terminal_width(STDOUT_FILENO), 0}), false);
  }
  return exit_status_of(view);
}

/// Without a terminal: a block each time something has changed, so that it can be kept in a file.
int print_changes(RunDirectory& directory, const StatusQuestion& question) {
  WatchSignals signals;
  std::string before;
  while (true) {
    directory.look();
    const auto view = view_of(directory.picture());
    const auto now = essence_of(view);
    if (now != before && question.json) std::cout << status_json(view) << std::endl;
    if (now != before && !question.json) {
      std::cout << (before.empty() ? "" : "\n") << storage::utc_now() << "\n"
                << text_of(screen_of(view, {terminal_width(STDOUT_FILENO), 0}), false) << std::flush;
    }
    if (!std::cout) return exit_status_of(view);  // main says that it cannot be written
    before = now;
    if (is_over(view) || signals.wait(question.every_seconds, -1) == WatchEvent::quit) return exit_status_of(view);
  }
}

int watch_on_terminal(RunDirectory& directory, const StatusQuestion& question) {
  directory.look();  // reading a long journal takes seconds: before the terminal is ours
  auto view = view_of(directory.picture());
  bool over = false;
  const bool colours = wants_colours();
  {
    WatchTerminal terminal;
    for (bool look = false;;) {
      if (look) {
        directory.look();
        view = view_of(directory.picture());
      }
      over = is_over(view);
      if (over) break;
      const auto size = terminal.size();
      terminal.show(text_of(screen_of(view, {size.columns, size.rows}), colours));
      const auto event = terminal.wait(question.every_seconds);
      if (event == WatchEvent::quit) break;
      look = event == WatchEvent::time;
    }
  }
  if (over) {
    const auto size = terminal_size(STDOUT_FILENO);
    std::cout << text_of(screen_of(view, {size.columns, size.rows > 1 ? size.rows - 1 : 1}), colours);
  }
  return exit_status_of(view);
}

/// Some seconds pass before the first screen; the next ones read only what was added.
void say_that_it_takes_a_while(const std::filesystem::path& directory) {
  constexpr std::uintmax_t kLong = std::uintmax_t{64} << 20;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(directory / "journal.jsonl", error);
  if (error || bytes < kLong || isatty(STDERR_FILENO) != 1) return;
  std::cerr << fmt::format("reading journal.jsonl ({} MB) ...", bytes / 1'000'000) << std::endl;
}

}  // namespace

int print_status(const StatusQuestion& question) {
  RunDirectory directory(question.directory);
  say_that_it_takes_a_while(question.directory);
  if (!question.watch) return print_once(directory, question);
  if (question.json || !has_terminal()) return print_changes(directory, question);
  return watch_on_terminal(directory, question);
}

}  // namespace runner
