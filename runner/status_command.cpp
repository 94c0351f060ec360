// One look, or one look after the other: on a terminal's alternate screen, or as blocks where there is no terminal.
#include "runner/status_command.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "runner/ask_program.hpp"
#include "runner/look_aside.hpp"
#include "runner/progress.hpp"
#include "runner/shares_directory.hpp"
#include "runner/shares_screen.hpp"
#include "runner/shares_words.hpp"
#include "runner/status_directory.hpp"
#include "runner/status_json.hpp"
#include "runner/status_screen.hpp"
#include "runner/unreadable.hpp"
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
  if (view.following == Following::chain_end || view.following == Following::before_run ||
      view.following == Following::script_lost)
    return true;
  const auto life = view.life.life;
  return life == Life::ended || life == Life::died || life == Life::unknown;
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

/// What is looked at: a run, or shares.
class Watched {
 public:
  virtual ~Watched() = default;
  virtual void look() = 0;
  virtual std::vector<ScreenLine> screen(ScreenSize size) const = 0;
  virtual std::string json() const = 0;
  virtual std::string essence() const = 0;
  virtual bool is_over() const = 0;
  virtual int exit_status() const = 0;
};

class WatchedRun : public Watched {
 public:
  WatchedRun(const std::filesystem::path& directory, bool watch)
      : directory_(directory, nullptr, is_awaited(directory) ? IfAbsent::awaited : IfAbsent::refused) {
    directory_.ask_slurm(ask_programs(), watch);
  }
  void look() override {
    directory_.look();
    view_ = view_of(directory_.picture());
  }
  std::vector<ScreenLine> screen(ScreenSize size) const override { return screen_of(view_, size); }
  std::string json() const override { return status_json(view_); }
  std::string essence() const override { return essence_of(view_); }
  bool is_over() const override { return runner::is_over(view_); }
  int exit_status() const override { return exit_status_with(view_.problems, view_.unread_scripts); }

 private:
  RunDirectory directory_;
  StatusView view_;
};

class WatchedShares : public Watched {
 public:
  WatchedShares(const std::filesystem::path& directory, int shares, bool watch) : directory_(directory, shares) {
    directory_.ask_slurm(ask_programs(), watch);
  }
  void look() override {
    directory_.look();
    view_ = directory_.view();
  }
  std::vector<ScreenLine> screen(ScreenSize size) const override { return screen_of(view_, size); }
  std::string json() const override { return status_json(view_); }
  std::string essence() const override {
    std::string essence;
    for (const auto& part : view_.parts) {
      essence += part.view ? essence_of(*part.view) : "-";
      essence +=
          fmt::format("{}{}{};", static_cast<int>(standing_of(part)), is_gone(part) ? "-" : "", part.stop ? "!" : "");
    }
    return essence;
  }
  /// Shares that have not begun may be waiting in a queue, but not without features, and not where Slurm knows better.
  bool is_over() const override {
    const bool none_begins = features_failed(view_);
    const bool has_run = has_anything_run(view_);
    return std::all_of(view_.parts.begin(), view_.parts.end(), [&](const auto& part) {
      if (waits_for_ever(part)) return true;
      if (part.view) return runner::is_over(*part.view);
      return none_begins || part.stop || (has_run && is_gone(part));
    });
  }
  int exit_status() const override { return exit_status_with(view_.problems, view_.unread_scripts); }

 private:
  SharesDirectory directory_;
  SharesView view_;
};

std::unique_ptr<Watched> watched_in(const StatusQuestion& question) {
  const std::filesystem::path directory = question.directory;
  if (const auto shares = shares_in(directory))
    return std::make_unique<WatchedShares>(directory, *shares, question.watch);
  return std::make_unique<WatchedRun>(directory, question.watch);
}

int print_once(Watched& watched, const StatusQuestion& question) {
  watched.look();
  if (question.json) {
    std::cout << watched.json() << "\n";
  } else if (has_terminal()) {
    // The prompt that follows takes a line.
    const auto size = terminal_size(STDOUT_FILENO);
    std::cout << text_of(watched.screen({size.columns, size.rows > 1 ? size.rows - 1 : 1}), wants_colours());
  } else {
    std::cout << text_of(watched.screen({terminal_width(STDOUT_FILENO), 0}), false);
  }
  return watched.exit_status();
}

/// A pipe whose reader has gone, which else shows with the next change alone.
bool nobody_reads() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLNVAL)) != 0;
}

constexpr double kPatience = 5;  // seconds; a look takes milliseconds

/// Without a terminal: a block each time something has changed, so that it can be kept in a file.
int print_changes(Watched& watched, const StatusQuestion& question) {
  WatchSignals signals;
  LookAside aside([&] { watched.look(); });
  std::string before;
  int exit_status = 0;
  while (true) {
    aside.begin();
    for (auto event = WatchEvent::time; event != WatchEvent::ended;) {
      event = signals.wait(kPatience, -1, aside.ended());
      if (event == WatchEvent::quit) std::_Exit(exit_status);  // what hangs in a look cannot be waited for
    }
    aside.take();
    exit_status = watched.exit_status();
    const auto now = watched.essence();
    if (now != before && question.json) std::cout << watched.json() << std::endl;
    if (now != before && !question.json) {
      std::cout << (before.empty() ? "" : "\n") << storage::utc_now() << "\n"
                << text_of(watched.screen({terminal_width(STDOUT_FILENO), 0}), false) << std::flush;
    }
    if (!std::cout) return exit_status;  // main says that it cannot be written
    before = now;
    if (watched.is_over() || signals.wait(question.every_seconds, -1) == WatchEvent::quit) return exit_status;
    if (nobody_reads()) return exit_status;
  }
}

/// The screen as it was, its last line but for a word on why nothing moves.
std::string with_notice(std::string lines, double seconds) {
  if (lines.ends_with('\n')) lines.pop_back();
  const auto last = lines.rfind('\n');
  lines.resize(last == std::string::npos ? 0 : last + 1);
  return lines + fmt::format("its files have not answered for {:.0f} s; q leaves\n", seconds);
}

/// False to quit. Meanwhile nothing is drawn anew: what is drawn is being looked at.
bool look_beside(LookAside& aside, WatchTerminal& terminal, const std::string& drawn) {
  aside.begin();
  for (double waited = 0;;) {
    const auto event = terminal.wait(kPatience, aside.ended());
    if (event == WatchEvent::quit) return false;
    if (event == WatchEvent::ended) break;
    if (event == WatchEvent::time) waited += kPatience;
    terminal.show(waited > 0 ? with_notice(drawn, waited) : drawn);
  }
  aside.take();
  return true;
}

int watch_on_terminal(Watched& watched, const StatusQuestion& question) {
  watched.look();  // reading a long journal takes seconds: before the terminal is ours
  bool over = false;
  const bool colours = wants_colours();
  {
    LookAside aside([&] { watched.look(); });
    auto terminal = std::make_unique<WatchTerminal>();
    for (std::string drawn;;) {
      over = watched.is_over();
      if (over) break;
      const int exit_status = watched.exit_status();
      const auto size = terminal->size();
      drawn = text_of(watched.screen({size.columns, size.rows}), colours);
      terminal->show(drawn);
      const auto event = terminal->wait(question.every_seconds);
      if (event == WatchEvent::quit) break;
      if (event == WatchEvent::time && !look_beside(aside, *terminal, drawn)) {
        terminal.reset();
        std::_Exit(exit_status);  // what hangs in a look cannot be waited for
      }
    }
  }
  if (over) {
    const auto size = terminal_size(STDOUT_FILENO);
    std::cout << text_of(watched.screen({size.columns, size.rows > 1 ? size.rows - 1 : 1}), colours);
  }
  return watched.exit_status();
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
  refuse_a_folder_of_something_else(question.directory);
  const auto watched = watched_in(question);
  say_that_it_takes_a_while(question.directory);
  if (!question.watch) return print_once(*watched, question);
  if (question.json || !has_terminal()) return print_changes(*watched, question);
  return watch_on_terminal(*watched, question);
}

}  // namespace runner
