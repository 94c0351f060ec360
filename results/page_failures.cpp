// What did not come out, and what happened on the way.
#include <fmt/format.h>

#include <utility>

#include "results/html_parts.hpp"
#include "results/html_text.hpp"
#include "results/page_parts.hpp"

namespace results {
namespace {

constexpr std::size_t kMostRows = 200;

using Rows = std::vector<std::vector<std::string>>;

/// A table of at most kMostRows rows, and a line where there are more.
std::string bounded_table(const std::string& title, const std::vector<std::string>& header, Rows rows,
                          std::string_view where_else) {
  if (rows.empty()) return "";
  const std::size_t all = rows.size();
  if (all > kMostRows) rows.resize(kMostRows);
  std::string text = element("h3", html_text(title)) + "\n" + text_table(title, header, rows);
  if (all > kMostRows) text += element("p", fmt::format("The first {} of {}; {}", kMostRows, all, where_else)) + "\n";
  return text;
}

std::string notes_list(const std::vector<std::string>& notes) {
  if (notes.empty()) return "";
  std::string items;
  for (std::size_t i = 0; i < notes.size() && i < kMostRows; ++i) items += element("li", html_text(notes[i])) + "\n";
  if (notes.size() > kMostRows) items += element("li", fmt::format("and {} more", notes.size() - kMostRows)) + "\n";
  return element("h3", "What happened on the way") + "\n" + element("ul", "\n" + items) + "\n";
}

}  // namespace

std::string failures_html(const std::vector<PlannedRun>& runs, const std::vector<std::string>& notes) {
  Rows failed, diverged;
  for (const PlannedRun& run : runs) {
    if (run.done != nullptr && run.done->result.outcome == Outcome::diverged) {
      const int epoch = run.done->result.diverged_epoch.value_or(0);
      diverged.push_back({sweeps::describe(*run.job), fmt::format("epoch {}", epoch), run.key.hex});
    } else if (run.failed != nullptr) {
      failed.push_back({sweeps::describe(*run.job), run.failed->cause, run.failed->message, run.key.hex});
    }
  }
  return bounded_table("Failed jobs", {"job", "cause", "message", "key"}, std::move(failed),
                       "the journal has them all.") +
         bounded_table("Diverged: a loss stopped being finite", {"job", "in", "key"}, std::move(diverged),
                       "epochs.csv has them all.") +
         notes_list(notes);
}

}  // namespace results
