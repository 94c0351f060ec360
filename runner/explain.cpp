// Puts the sentences together.
#include "runner/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "results/text_layout.hpp"
#include "runner/attempts_folder.hpp"
#include "runner/explain_cell.hpp"
#include "runner/explain_reason.hpp"
#include "runner/job_names.hpp"
#include "runner/progress.hpp"
#include "runner/shares_directory.hpp"
#include "runner/shell_text.hpp"
#include "runner/unreadable.hpp"
#include "storage/error.hpp"
#include "storage/is_there.hpp"
#include "storage/printable.hpp"

namespace runner {
namespace {

constexpr std::size_t kCellsShown = 12;
constexpr std::size_t kLongestLine = 4000;

std::string attempt_line(const results::Attempt& attempt, const sweeps::JobKey& key, const RunPicture& picture,
                         const IsThere& is_there) {
  using End = results::Attempt::End;
  auto line = fmt::format("  attempt {}", attempt.number);
  if (!attempt.at.empty()) line += fmt::format(", begun {} on {}", attempt.at, attempt.worker);
  if (attempt.end == End::done) return line + ": a result";
  if (attempt.end == End::none) return line + (is_at_work(picture) ? ": under way" : ": no end is known");
  line += fmt::format(": {}: {}; {}", attempt.cause, attempt.message, budget_of(attempt));
  const auto errors = attempt_folder(picture.directory, key, attempt.number) / "stderr.txt";
  if (is_there(errors)) line += "; its trainer's standard error: " + errors.string();
  return line;
}

void add_attempts(std::vector<std::string>& lines, const results::JobHistory* history, const sweeps::JobKey& key,
                  const RunPicture& picture, const IsThere& is_there) {
  if (history != nullptr) {
    for (const auto& attempt : history->attempts) lines.push_back(attempt_line(attempt, key, picture, is_there));
    if (history->taken_back) {
      lines.push_back(
          fmt::format("  the result of attempt {} was taken back: {}", *history->taken_back, history->why_taken_back));
    }
  }
  lines.push_back(
      fmt::format("its whole story: grep {} {}", short_key(key), (picture.directory / "logs" / "run.log").string()));
}

std::string cells_in_words(const std::vector<std::string>& cells) {
  if (cells.empty()) return "in no table";
  const std::vector<std::string> shown(
      cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(std::min(cells.size(), kCellsShown)));
  const auto more = cells.size() > kCellsShown ? fmt::format(" and {} more", cells.size() - kCellsShown) : "";
  return fmt::format("in {}{}", fmt::join(shown, ", "), more);
}

}  // namespace

std::vector<std::string> explain_job(const JobAddress& address, const RunPicture& picture, const IsThere& is_there) {
  const JobStates states(picture);
  const auto& plan = (*picture.plans)[address.plan];
  const auto& key = plan.keys[address.job];
  const auto reason = reason_of(address.plan, address.job, states, picture);
  std::vector<std::string> lines;
  lines.push_back((*picture.names)[address.plan][address.job]);
  lines.push_back(fmt::format("key {}, {}", key.hex, cells_in_words(cells_with(address.plan, address.job, picture))));
  lines.push_back(fmt::format("{}: {}", reason.word, reason.sentence));
  add_attempts(lines, picture.history->find(key), key, picture, is_there);
  if (!reason.mend.empty()) lines.push_back(reason.mend);
  return lines;
}

std::vector<std::string> explain_cell(const CellAddress& address, const RunPicture& picture) {
  const JobStates states(picture);
  const auto& plan = (*picture.plans)[address.plan];
  std::vector<CellJob> jobs;
  for (const auto job : jobs_of(address, plan)) {
    CellJob one{labelled((*picture.names)[address.plan][job], plan.keys[job]), std::nullopt, ""};
    if (states.of(address.plan, job) != JobState::done) one.missing = reason_of(address.plan, job, states, picture);
    jobs.push_back(std::move(one));
  }
  return cell_lines(address.text, jobs);
}

std::vector<std::string> explain_former(const FormerJob& former, const RunPicture& picture, const IsThere& is_there) {
  const auto* history = picture.history->find(former.key);
  std::vector<std::string> lines;
  lines.push_back(history->job ? sweeps::describe(*history->job)
                               : std::string("a job that the journal does not describe"));
  lines.push_back(fmt::format("key {}", former.key.hex));
  if (!picture.unread.empty()) {
    lines.push_back(
        fmt::format("{}of which sweep it is, is not known: {}", history->done ? "done; " : "", picture.unread));
    add_attempts(lines, history, former.key, picture, is_there);
    return lines;
  }
  lines.push_back(fmt::format("of no sweep of this directory (any more): {}",
                              history->done ? "its result stays in the journal and is in no table"
                                            : "nothing runs it, and no table waits for it"));
  add_attempts(lines, history, former.key, picture, is_there);
  return lines;
}

namespace {

using storage::is_there;

/// Of the first plan that has one; "" where none is known.
std::string a_cell_of(const RunPicture& picture) {
  for (const auto& plan : *picture.plans) {
    if (auto cell = first_cell_of(plan); !cell.empty()) return cell;
  }
  return "";
}

/// Of a question without a word for what.
std::string what_may_be_asked(const std::filesystem::path& directory, const std::string& a_cell) {
  const auto folder = shell_word(directory.string());
  return fmt::format(
      "explain: expected a job (its key, or its name) or a cell (TABLE/ROW/COLUMN) after {0}, found nothing; {1}",
      folder,
      a_cell.empty() ? "`plume-bench status` names what failed, with keys"
                     : fmt::format("e.g. plume-bench explain {} {}", folder, shell_word(a_cell)));
}

int print_lines(const std::vector<std::string>& lines, const std::vector<std::string>& problems,
                const std::string& unread_scripts) {
  for (const auto& problem : problems)
    std::cerr << "plume-bench: " << storage::printable_line(problem, kLongestLine) << std::endl;
  const auto width = isatty(STDOUT_FILENO) == 1 ? terminal_width(STDOUT_FILENO) : kLongestLine;
  for (const auto& line : lines) {
    const std::string indent(line.find_first_not_of(' '), ' ');
    std::cout << results::folded(storage::printable_line(line, kLongestLine), width, indent, indent + "    ");
  }
  return exit_status_with(problems, unread_scripts);
}

}  // namespace

std::vector<std::string> explain(const Address& address, const RunPicture& picture) {
  if (const auto* job = std::get_if<JobAddress>(&address)) return explain_job(*job, picture, is_there);
  if (const auto* cell = std::get_if<CellAddress>(&address)) return explain_cell(*cell, picture);
  return explain_former(std::get<FormerJob>(address), picture, is_there);
}

int print_explanation(const ExplainQuestion& question) {
  refuse_a_folder_of_something_else(question.directory);
  if (const auto shares = shares_in(question.directory)) {
    SharesDirectory directory(question.directory, *shares);
    directory.ask_slurm(ask_programs(), false);
    directory.look();
    if (question.what.empty())
      throw storage::UsageError(what_may_be_asked(question.directory, directory.view().a_cell));
    const auto view = directory.view();
    return print_lines(explain_in_shares(question.what, directory), view.problems, view.unread_scripts);
  }
  RunDirectory directory(question.directory, nullptr,
                         is_awaited(question.directory) ? IfAbsent::awaited : IfAbsent::refused);
  directory.ask_slurm(ask_programs(), false);
  directory.look();
  const auto picture = directory.picture();
  if (question.what.empty()) throw storage::UsageError(what_may_be_asked(question.directory, a_cell_of(picture)));
  return print_lines(explain(address_of(question.what, picture), picture), picture.problems, picture.unread_scripts);
}

}  // namespace runner
