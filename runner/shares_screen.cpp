// Lays out: all shares in words, a line for each, their failures, what to type.
#include "runner/shares_screen.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "results/text_layout.hpp"
#include "runner/job_names.hpp"
#include "runner/progress.hpp"
#include "runner/shares_words.hpp"
#include "runner/shell_text.hpp"
#include "runner/status_parts.hpp"

namespace runner {
namespace {

using results::grouped;

Style style_of(Standing standing) {
  switch (standing) {
    case Standing::unread:
    case Standing::in_trouble:
    case Standing::failed:
    case Standing::killed:
    case Standing::for_ever:
      return Style::bad;
    case Standing::complete:
      return Style::good;
    case Standing::not_begun:
      return Style::faint;
    default:
      return Style::plain;
  }
}

std::string rate_text(const std::optional<double>& rate) {
  if (!rate) return "";
  return *rate < 10 ? fmt::format("{:.1f}", *rate) : fmt::format("{:.0f}", *rate);
}

std::string left_text(const std::optional<double>& seconds) {
  return seconds.value_or(0) < 1 ? "" : duration_text(*seconds);
}

/// Rows of its feature sets and scans.
struct Rows {
  std::int64_t done = 0, all = 0;
  std::optional<double> seconds_left;  ///< of those that workers are at
};
Rows rows_of(const StatusView& view) {
  Rows rows;
  if (!view.status || !view.at_work) return rows;
  for (const auto& features : view.status->features) {
    rows.done += features.rows_done;
    rows.all += features.rows;
    if (features.seconds_left) rows.seconds_left = std::max(rows.seconds_left.value_or(0), *features.seconds_left);
  }
  return rows;
}

constexpr std::size_t kStateCut = 30;  // columns of a state, where the screen has not room for all
constexpr std::size_t kWide = 200;     // columns that have

/// The cell of a part's state, and what does not fit into it.
void put_state(ScreenItem& item, const SharePart& part, std::size_t columns) {
  const auto state = state_of(part);
  auto& cell = item.cells.at(1);
  cell = columns < kWide ? short_state_of(state, kStateCut) : state;
  item.below = cell == state ? "" : state;
  if (const auto cause = cause_in_words(part); !cause.empty()) item.below += (item.below.empty() ? "" : ": ") + cause;
  item.below_may_go = true;
}

ScreenItem features_item(const SharePart& part, std::size_t columns, std::size_t bar) {
  ScreenItem item;
  const auto rows = part.view ? rows_of(*part.view) : Rows{};
  JobCounts counts;
  counts.done = static_cast<std::size_t>(rows.done);
  counts.left = static_cast<std::size_t>(rows.all - rows.done);
  item.cells = {
      "features", "", rows.all > 0 ? bar_of(counts, bar) : "", "", "", "", "", "", left_text(rows.seconds_left)};
  put_state(item, part, columns);
  item.style = style_of(standing_of(part));
  return item;
}

std::vector<std::string> count_cells(const JobCounts& counts, std::size_t bar) {
  return {bar_of(counts, bar), grouped(counts.committed()), grouped(counts.running), grouped(counts.failed),
          grouped(counts.left)};
}

ScreenItem item_of(const SharePart& part, int shares, std::size_t columns, std::size_t bar) {
  if (part.number == 0) return features_item(part, columns, bar);
  ScreenItem item;
  item.style = style_of(standing_of(part));
  JobCounts counts;
  counts.left = part.jobs.value_or(0);
  if (part.view) counts = part.view->jobs;
  item.cells = {fmt::format("share {} of {}", part.number, shares), ""};
  put_state(item, part, columns);
  const auto numbers = count_cells(counts, bar);
  item.cells.insert(item.cells.end(), numbers.begin(), numbers.end());
  const bool is_unseen = part.view && !part.view->unread.empty() && counts.chosen() == 0;
  if (is_unseen || (!part.view && !part.jobs)) std::fill(item.cells.begin() + 2, item.cells.end(), "");
  const bool works = part.view && part.view->life.life == Life::working && part.view->status;
  item.cells.push_back(works ? rate_text(part.view->status->jobs_per_minute) : "");
  item.cells.push_back(works ? left_text(part.view->status->seconds_left) : "");
  return item;
}

std::string tally_of(const std::vector<Standing>& standings, std::size_t from) {
  std::array<std::size_t, kStandings> counts{};
  for (std::size_t i = from; i < standings.size(); ++i) ++counts[static_cast<std::size_t>(standings[i])];
  std::vector<std::string> words;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) words.push_back(fmt::format("{} {}", grouped(counts[i]), name_of(static_cast<Standing>(i))));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

ScreenPart shares_part(const SharesView& view, ScreenSize size) {
  constexpr std::size_t kOtherLines = 8;
  ScreenPart part;
  part.titles = {"SHARE",    "state", "# done > running ! failed", "done", "running", "failed", "left",
                 "jobs/min", "time"};
  constexpr std::size_t kStateLeast = 17;  // "goes on by itself" is never cut
  part.columns = {
      {0, false}, {0, false, kStateCut, kStateLeast}, {6}, {0, true}, {4, true}, {1, true}, {0, true}, {5, true},
      {2, true}};
  std::vector<const SharePart*> parts;
  for (const auto& each : view.parts) parts.push_back(&each);
  if (size.rows > 0 && parts.size() + kOtherLines > size.rows) {
    std::stable_sort(parts.begin(), parts.end(), [](auto a, auto b) { return standing_of(*a) < standing_of(*b); });
  }
  const std::size_t bar = std::clamp<std::size_t>(size.columns / 4, 12, 40);
  std::vector<Standing> standings;
  for (const auto* each : parts) {
    part.items.push_back(item_of(*each, view.shares, size.columns, bar));
    standings.push_back(standing_of(*each));
  }
  part.more = [standings](std::size_t shown) {
    return fmt::format("and {} more: {}", grouped(standings.size() - shown), tally_of(standings, shown));
  };
  return part;
}

/// "34 of 120 jobs done, 2 running, 1 failed, 83 left | 5.3 jobs/min | 16 min left".
std::string jobs_in_words(const SharesView& view) {
  const auto& jobs = view.jobs;
  if (jobs.chosen() == 0 && !view.is_all) return "how many jobs there are is not known before the images are scanned";
  auto text = fmt::format("{} of {} jobs done", grouped(jobs.committed()), grouped(jobs.chosen()));
  if (jobs.diverged > 0) text += fmt::format(" ({} diverged)", jobs.diverged);
  text +=
      fmt::format(", {} running, {} failed, {} left", grouped(jobs.running), grouped(jobs.failed), grouped(jobs.left));
  if (!view.is_all) text += view.unread.empty() ? " in the shares that have begun" : " in the shares that can be seen";
  if (view.jobs_per_minute) text += fmt::format(" | {} jobs/min", rate_text(view.jobs_per_minute));
  if (view.seconds_left.value_or(0) >= 1) text += fmt::format(" | {} left", duration_text(*view.seconds_left));
  return text;
}

std::string faults_of(const SharesView& view) {
  for (const auto& part : view.parts) {
    if (part.view && part.view->status && !part.view->status->faults.empty()) return part.view->status->faults;
  }
  return "";
}

/// Those that are there, or what makes them.
std::string tables_in_words(const SharesView& view) {
  const auto command = command_of_shares("report", view.directory, view.shares);
  if (!view.report) return "tables of what is done: " + command;
  const auto page = view.report->page.string();
  return view.report->is_older
             ? fmt::format("tables: {}, older than the newest results; made anew by: {}", page, command)
             : "tables: " + page;
}

std::vector<ScreenLine> head_of(const SharesView& view, ScreenSize size) {
  using Need = HeadItem::Need;
  std::vector<HeadItem> items;
  std::vector<Standing> standings;
  std::string features;
  for (const auto& part : view.parts) {
    const auto standing = standing_of(part);
    if (part.number > 0) standings.push_back(standing);
    if (part.number == 0 && standing != Standing::complete) features = fmt::format("features {}; ", name_of(standing));
  }
  const bool failed = features_failed(view);
  if (failed) features = "features failed; ";
  items.push_back({fmt::format("{}: {}{} shares: {}", view.directory, features, view.shares, tally_of(standings, 0)),
                   failed ? Style::bad : Style::strong});
  items.push_back({jobs_in_words(view)});
  if (const auto faults = faults_of(view); !faults.empty()) {
    items.push_back({rehearsal_in_words(faults), Style::bad, Need::cut});
  }
  constexpr std::size_t kMostProblems = 4;  // on a screen
  for (std::size_t i = 0; i < view.problems.size() && (size.rows == 0 || i < kMostProblems); ++i) {
    items.push_back({view.problems[i], Style::bad, Need::cut});
  }
  for (const auto& next : view.next) items.push_back({next});
  if (view.jobs.committed() > 0 && view.unread.empty()) items.push_back({tables_in_words(view)});
  return head_lines(items, size);
}

std::string hint_of(const SharesView& view) {
  for (const auto& failure : view.failures) {
    if (failure.key.empty() || rank_of(failure) == 2) continue;
    return fmt::format("`plume-bench explain {} {}` says why, and what mends it",
                       shell_word(view.directory + "/" + failure.directory), failure.key.substr(0, kShortKey));
  }
  if (view.a_cell.empty() || view.jobs.chosen() == view.jobs.committed()) return "";
  return fmt::format("`plume-bench explain {} {}` says how a cell stands, or a job by its key, whichever share has it",
                     shell_word(view.directory), shell_word(view.a_cell));
}

}  // namespace

std::vector<ScreenLine> screen_of(const SharesView& view, ScreenSize size) {
  size.columns = std::max(size.columns, kLeastColumns);
  std::vector<ScreenPart> parts = {shares_part(view, size)};
  for (auto& part : failure_parts(view.failures, view.failures_more)) parts.push_back(std::move(part));
  return laid_out(head_of(view, size), parts, hint_of(view), size);
}

}  // namespace runner
