// Lays out: the run in words, its tables, its workers, its features, its failures, what to do.
#include "runner/status_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "results/text_layout.hpp"
#include "runner/job_names.hpp"
#include "runner/progress.hpp"
#include "runner/status_fit.hpp"
#include "runner/status_parts.hpp"
#include "storage/columns.hpp"

namespace runner {
namespace {

using results::grouped;

constexpr std::size_t kLeastColumns = 20;
constexpr std::size_t kLongestText = 4000;
constexpr std::size_t kLeastForBody = 4;  // lines below the head that parts are worth anything in

/// Folded at spaces, and within words that are longer than a line.
std::vector<std::string> folded_lines(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  const std::string folded = results::folded(text, columns, "", "  ");
  for (std::size_t at = 0; at < folded.size();) {
    const auto end = std::min(folded.find('\n', at), folded.size());
    for (std::string_view line = std::string_view(folded).substr(at, end - at); !line.empty();) {
      const auto bytes = std::max<std::size_t>(1, storage::bytes_within(line, columns));
      lines.emplace_back(line.substr(0, bytes));
      line.remove_prefix(bytes);
    }
    at = end + 1;
  }
  return lines;
}

/// In at most `most` lines; "…" ends one that is not all.
void add_folded(std::vector<ScreenLine>& lines, const std::string& text, std::size_t columns, Style style,
                std::size_t most) {
  auto all = folded_lines(storage::cut_to(text, kLongestText), columns);
  if (all.size() > most) {
    all.resize(most);
    all.back() = storage::cut_to(all.back(), columns - 1) + "…";
  }
  for (auto& line : all) lines.push_back({std::move(line), style});
}

Style style_of(const StatusView& view) {
  switch (view.life.life) {
    case Life::died:
    case Life::silent:
      return Style::bad;
    case Life::ended:
      return view.status->exit_status == 0 ? Style::good : view.status->exit_status == 4 ? Style::strong : Style::bad;
    default:
      return Style::strong;
  }
}

std::string where_in_words(const RunStatus& status) {
  auto text = fmt::format(" | at work for {} on {}, process {}",
                          duration_text(static_cast<double>(status.written - status.started)), status.host, status.pid);
  if (!status.slurm_job.empty()) text += fmt::format(", Slurm job {}", status.slurm_job);
  if (status.slurm_restart > 0) text += fmt::format(" (restart {})", status.slurm_restart);
  return text;
}

/// "34 of 120 jobs done, 2 running, 1 failed, 83 left | 5.3 jobs/min | 16 min left".
std::string jobs_in_words(const StatusView& view) {
  const auto& jobs = view.jobs;
  auto text = fmt::format("{} of {} jobs done", grouped(jobs.committed()), grouped(jobs.chosen()));
  if (jobs.diverged > 0) text += fmt::format(" ({} diverged)", jobs.diverged);
  if (view.at_work) text += fmt::format(", {} running", grouped(jobs.running));
  text += fmt::format(", {} failed, {} left", grouped(jobs.failed), grouped(jobs.left));
  if (!view.at_work) return text;
  if (view.status->jobs_per_minute) {
    const double rate = *view.status->jobs_per_minute;
    text += rate < 10 ? fmt::format(" | {:.1f} jobs/min", rate) : fmt::format(" | {:.0f} jobs/min", rate);
  }
  if (view.status->seconds_left && jobs.left + jobs.running > 0) {
    text += fmt::format(" | {} left", duration_text(*view.status->seconds_left));
  }
  if (view.status->deadline) {
    const auto left = static_cast<double>(*view.status->deadline - view.status->written);
    text += left > 0 ? fmt::format(" | its allocation ends in {}", duration_text(left))
                     : std::string(" | its allocation has ended");
  }
  return text;
}

std::vector<ScreenLine> head_of(const StatusView& view, ScreenSize size) {
  const std::size_t most = size.rows == 0 || size.rows > 12 ? 3 : 1;
  std::vector<ScreenLine> lines;
  auto first = fmt::format("{}: {}", view.directory, view.headline);
  if (view.status && view.at_work) first += where_in_words(*view.status);
  add_folded(lines, first, size.columns, style_of(view), most);
  if (view.jobs.chosen() > 0) add_folded(lines, jobs_in_words(view), size.columns, Style::plain, most);
  if (!view.selection.empty()) {
    const auto others = view.jobs.not_chosen == 0
                            ? ""
                            : fmt::format("; {} other jobs are not its business", grouped(view.jobs.not_chosen));
    add_folded(lines, fmt::format("run with {}{}", view.selection, others), size.columns, Style::plain, most);
  }
  if (!view.caution.empty()) add_folded(lines, view.caution, size.columns, Style::bad, most);
  for (const auto& problem : view.problems) add_folded(lines, problem, size.columns, Style::bad, most);
  const std::size_t most_of_next = size.rows == 0 ? kLongestText : size.rows > 24 ? 6 : most;
  for (const auto& next : view.next) add_folded(lines, next, size.columns, Style::plain, most_of_next);
  return lines;
}

/// How to learn more, where there is something to learn.
std::string hint_of(const StatusView& view) {
  for (const auto& failure : view.failures) {
    if (failure.key.empty() || !failure.final) continue;
    return fmt::format("`plume-bench explain {} {}` says what became of a job", view.directory,
                       failure.key.substr(0, kShortKey));
  }
  if (view.jobs.chosen() == view.jobs.committed() && view.life.life != Life::working) return "";
  return fmt::format("`plume-bench explain {} KEY` (or TABLE/ROW/COLUMN) says why a job (a cell) is not done",
                     view.directory);
}

void add_part(std::vector<ScreenLine>& lines, const ScreenPart& part, std::size_t shown, std::size_t columns) {
  if (part.items.empty()) return;
  std::vector<std::vector<std::string>> rows{part.titles};
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(part.items[i].cells);
  const auto text = fitted(rows, part.columns, columns);
  lines.push_back({text[0], Style::faint});
  for (std::size_t i = 0; i < shown; ++i) lines.push_back({text[i + 1], part.items[i].style});
  if (shown == part.items.size()) return;
  lines.push_back({storage::cut_to("  " + part.more(shown), columns), Style::faint});
}

}  // namespace

std::vector<ScreenLine> screen_of(const StatusView& view, ScreenSize size) {
  size.columns = std::max(size.columns, kLeastColumns);
  auto lines = head_of(view, size);
  const auto hint = hint_of(view);
  const auto parts = parts_of(view, size.columns);
  std::vector<std::size_t> items;
  std::size_t parts_shown = 0, all = 0;
  for (const auto& part : parts) {
    items.push_back(part.items.size());
    parts_shown += part.items.empty() ? 0 : 1;
    all += part.items.empty() ? 0 : part.items.size() + 1;
  }
  std::size_t room = size.rows == 0 ? all : size.rows - std::min(size.rows, lines.size() + (hint.empty() ? 0 : 1));
  // Blank lines are the first thing to go.
  const bool airy = size.rows == 0 || room >= parts_shown * kLeastForBody + parts_shown;
  if (airy && size.rows > 0) room -= parts_shown + (hint.empty() ? 0 : 1);
  const auto shares = shares_of_room(items, room);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (shares[i] == 0 && size.rows > 0 && lines.size() + 2 > size.rows) continue;
    if (airy && items[i] > 0) lines.push_back({});
    add_part(lines, parts[i], shares[i], size.columns);
  }
  if (airy && !hint.empty()) lines.push_back({});
  if (!hint.empty()) lines.push_back({storage::cut_to(hint, size.columns), Style::faint});
  if (size.rows > 0 && lines.size() > size.rows) lines.resize(size.rows);
  return lines;
}

std::string text_of(const std::vector<ScreenLine>& lines, bool colours) {
  constexpr std::string_view kOn[] = {"", "\033[1m", "\033[32m", "\033[31m", "\033[2m"};
  std::string text;
  for (const auto& line : lines) {
    const bool coloured = colours && line.style != Style::plain && !line.text.empty();
    text += coloured ? fmt::format("{}{}\033[0m\n", kOn[static_cast<std::size_t>(line.style)], line.text)
                     : line.text + "\n";
  }
  return text;
}

}  // namespace runner
