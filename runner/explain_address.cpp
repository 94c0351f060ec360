// Names may hold slashes and spaces: what is typed is compared with whole addresses, not taken apart.
#include "runner/explain_address.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "results/grid.hpp"
#include "results/text_layout.hpp"
#include "runner/job_names.hpp"
#include "runner/status_view.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/nearest.hpp"

namespace runner {
namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool is_hexadecimal(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// A way to write the name of a row or column.
struct Spelling {
  std::string text;
  std::vector<std::size_t> which;  ///< a row or column; all columns for a mean
};

std::string joined(const std::vector<std::string>& labels, const char* between) {
  std::string text;
  for (const auto& label : labels) {
    if (!label.empty()) text += (text.empty() ? "" : between) + label;
  }
  return text;
}

/// As the sweep names them and as the table prints them, e.g. "Plane" for "airplane".
struct Spellings {
  std::vector<Spelling> rows, columns;
};

/// What is typed, and a name, as they are compared: a table prints names on one line.
std::string comparable(const std::string& text) {
  return lower(results::on_one_line(text));
}

/// Of the mean over a table's columns, where it prints one.
void add_mean(Spellings& all, const sweeps::PlannedTable& table, const results::Grid& grid) {
  std::vector<std::size_t> every(table.columns.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  const bool prints_mean = table.columns_are == sweeps::Columns::mean ||
                           (table.columns_are != sweeps::Columns::chosen && table.columns.size() != 1);
  if (prints_mean || table.columns.size() > 1) {
    for (const char* mean : {"mean", "average"}) all.columns.push_back({mean, every});
  }
  if (!prints_mean) return;
  all.columns.push_back({table.transposed ? grid.blocks.back().labels.front() : grid.columns.back(), every});
}

Spellings spellings_of(const sweeps::Plan& plan, const sweeps::PlannedTable& table) {
  Spellings all;
  for (std::size_t r = 0; r < table.rows.size(); ++r) all.rows.push_back({table.rows[r].name, {r}});
  for (std::size_t c = 0; c < table.columns.size(); ++c) all.columns.push_back({table.columns[c], {c}});
  const auto printed = results::aggregate(plan, table, {});
  const auto grid = results::grid_of(printed, false);
  for (std::size_t c = 0; c < table.columns.size(); ++c) all.columns.push_back({printed.column_title(c), {c}});
  add_mean(all, table, grid);
  for (std::size_t r = 0; table.transposed && r < table.rows.size(); ++r) all.rows.push_back({grid.columns.at(r), {r}});
  for (const auto& block : grid.blocks) {
    if (block.row == nullptr) continue;
    const auto row = static_cast<std::size_t>(block.row - printed.rows.data());
    for (const char* between : {" ", "/", " + "}) all.rows.push_back({joined(block.labels, between), {row}});
    if (!block.group.empty()) all.rows.push_back({block.group + "/" + joined(block.labels, " "), {row}});
  }
  return all;
}

/// Markdown's escapes taken back, as in the source of a table's page.
std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '\\' && i + 1 < text.size() && std::string_view("\\|*[").find(text[i + 1]) != std::string_view::npos;
    if (is_escape) ++i;
    const bool is_less = text.compare(i, 4, "&lt;") == 0;
    plain += is_less ? '<' : text[i];
    if (is_less) i += 3;
  }
  return plain;
}

std::vector<std::string> names_of_rows(const sweeps::PlannedTable& table) {
  std::vector<std::string> names;
  for (const auto& row : table.rows) {
    if (!row.only_printed) names.push_back(row.name);
  }
  return names;
}

/// "no row "lambda 5" in table main (did you mean "full, lambda 5"?)", else with what there is.
/// `text` "": it is not there at all.
std::string no_such(const char* what, const std::string& text, const std::string& table,
                    const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 8;
  std::vector<std::string> holding;  // the word typed is a part of theirs
  for (const auto& name : names) {
    if (lower(name).find(lower(text)) != std::string::npos) holding.push_back(name);
  }
  const auto near = holding.size() == 1 ? std::optional(holding.front()) : storage::nearest(text, names);
  const auto begin = text.empty() ? fmt::format("a {} of table {} is missing", what, table)
                                  : fmt::format("no {} {} in table {}", what, storage::in_quotes(text), table);
  if (near) return fmt::format("{} (did you mean {}?)", begin, storage::in_quotes(*near));
  auto shown = holding.empty() ? names : holding;
  const auto more = shown.size() > kMostNames ? fmt::format(" and {} more", shown.size() - kMostNames) : "";
  shown.resize(std::min(shown.size(), kMostNames));
  for (auto& name : shown) name = storage::in_quotes(name);
  return fmt::format("{}; its {}s are {}{}", begin, what, fmt::join(shown, ", "), more);
}

class CellFinder {
 public:
  CellFinder(const std::string& text, const RunPicture& picture)
      : typed_(text), asked_(comparable(text)), picture_(picture) {}

  std::optional<CellAddress> find() {
    for (std::size_t p = 0; p < picture_.plans->size(); ++p) {
      const auto& tables = (*picture_.plans)[p].tables;
      for (std::size_t t = 0; t < tables.size(); ++t) {
        table_names_.push_back(tables[t].id);
        if (asked_.rfind(comparable(tables[t].id) + "/", 0) != 0) continue;
        if (auto found = find_in(p, t)) return found;
      }
    }
    return std::nullopt;
  }
  /// Of the tables that the text begins with: which part of it is none of theirs, and what is near.
  const std::vector<std::string>& wrong() const { return wrong_; }
  const std::vector<std::string>& table_names() const { return table_names_; }

 private:
  std::optional<CellAddress> find_in(std::size_t p, std::size_t t) {
    const auto& plan = (*picture_.plans)[p];
    const auto& table = plan.tables[t];
    const auto all = spellings_of(plan, table);
    for (const auto& row : all.rows) {
      if (table.rows[row.which.front()].only_printed) continue;
      for (const auto& column : all.columns) {
        const auto way = fmt::format("{}/{}/{}", table.id, row.text, column.text);
        const auto other = fmt::format("{}/{}/{}", table.id, column.text, row.text);
        if (comparable(way) != asked_ && !(table.transposed && comparable(other) == asked_)) continue;
        const auto& name = column.which.size() == 1 ? table.columns[column.which.front()] : column.text;
        return CellAddress{p, t, row.which.front(), column.which,
                           fmt::format("{}/{}/{}", table.id, table.rows[row.which.front()].name, name)};
      }
    }
    wrong_.push_back(what_is_wrong(table, all));
    return std::nullopt;
  }

  std::string what_is_wrong(const sweeps::PlannedTable& table, const Spellings& all) const {
    const auto rest = asked_.substr(table.id.size() + 1), typed = typed_.substr(table.id.size() + 1);
    for (const auto& column : all.columns) {
      const auto end = "/" + comparable(column.text);
      if (rest.size() > end.size() && rest.ends_with(end)) {
        return no_such("row", typed.substr(0, rest.size() - end.size()), table.id, names_of_rows(table));
      }
    }
    for (const auto& row : all.rows) {
      if (rest == comparable(row.text)) return no_such("column", "", table.id, table.columns);
      const auto begin = comparable(row.text) + "/";
      if (rest.size() > begin.size() && rest.starts_with(begin)) {
        return no_such("column", typed.substr(begin.size()), table.id, table.columns);
      }
    }
    return no_such("row", typed.substr(0, rest.find('/')), table.id, names_of_rows(table));
  }

  std::string typed_, asked_;
  const RunPicture& picture_;
  std::vector<std::string> wrong_, table_names_;
};

/// Keys of plans and journal that begin with the digits.
std::set<std::string> keys_with(const std::string& digits, const RunPicture& picture) {
  std::set<std::string> keys;
  for (const auto& plan : *picture.plans) {
    for (const auto& key : plan.keys) {
      if (key.hex.rfind(digits, 0) == 0) keys.insert(key.hex);
    }
  }
  for (const auto& [key, history] : picture.history->jobs()) {
    if (key.hex.rfind(digits, 0) == 0) keys.insert(key.hex);
  }
  return keys;
}

std::optional<JobAddress> job_with(const RunPicture& picture,
                                   const std::function<bool(std::size_t, std::size_t)>& is_it) {
  for (std::size_t p = 0; p < picture.plans->size(); ++p) {
    for (std::size_t j = 0; j < (*picture.plans)[p].jobs.size(); ++j) {
      if (is_it(p, j)) return JobAddress{p, j};
    }
  }
  return std::nullopt;
}

/// run.json is written once all images are scanned: before that no job has a name or a key.
[[noreturn]] void refuse_before_the_scan(const std::string& text, const RunPicture& picture) {
  if (!picture.unread.empty()) {
    throw storage::Error(fmt::format("{}: whether {} has such a job is not known: {}", text, picture.directory.string(),
                                     picture.unread));
  }
  const auto view = view_of(picture);
  auto why =
      fmt::format("{}: no job of {} is known yet: its run.json is written once all images are scanned; it is: {}", text,
                  view.directory, view.headline);
  for (const auto& next : view.next) why += "; " + next;
  throw storage::UsageError(why);
}

Address job_of_key(const std::string& typed, const std::string& digits, const RunPicture& picture) {
  const auto keys = keys_with(digits, picture);
  if (keys.empty()) {
    throw storage::UsageError(
        fmt::format("{}: no job of {} has a key that begins so; lines of {} end their jobs' names "
                    "with one, e.g. [1a2b3c4d]",
                    typed, picture.directory.string(), (picture.directory / "logs/run.log").string()));
  }
  if (keys.size() > 1) {
    throw storage::UsageError(fmt::format("{}: {} jobs have keys that begin so, e.g. {} and {}; give more digits",
                                          typed, keys.size(), *keys.begin(), *keys.rbegin()));
  }
  const auto found =
      job_with(picture, [&](auto p, auto j) { return (*picture.plans)[p].keys[j].hex == *keys.begin(); });
  return found ? Address(*found) : Address(FormerJob{{*keys.begin()}});
}

[[noreturn]] void refuse(const std::string& text, const CellFinder& cells, const RunPicture& picture) {
  if (picture.plans->empty()) refuse_before_the_scan(text, picture);
  const auto expected = "expected the key of a job (its first 6 digits or more), a job's name, or TABLE/ROW/COLUMN";
  if (!cells.wrong().empty()) throw storage::UsageError(fmt::format("{}: {}", text, cells.wrong().front()));
  const auto table = text.substr(0, text.find('/'));
  const auto near = storage::nearest(table, cells.table_names());
  throw storage::UsageError(fmt::format("{}: {}{}", text, expected,
                                        near ? fmt::format(" (did you mean table {}?)", storage::in_quotes(*near))
                                             : "; a table is " + storage::listed(cells.table_names())));
}

}  // namespace

Address address_of(const std::string& text, const RunPicture& picture) {
  if (picture.plans->empty() && picture.history->jobs().empty()) refuse_before_the_scan(text, picture);
  const auto asked = lower(text);
  // A name that looks like a marked or an escaped one is itself first.
  CellFinder cells(text, picture), printed(without_escapes(results::without_marks(text)), picture),
      escaped(without_escapes(text), picture);
  for (auto* way : {&cells, &escaped, &printed}) {
    if (const auto cell = way->find()) return *cell;
  }
  const auto named = job_with(picture, [&](auto p, auto j) {
    const auto& name = (*picture.names)[p][j];
    return lower(name) == asked || lower(labelled(name, (*picture.plans)[p].keys[j])) == asked;
  });
  if (named) return *named;
  if (is_hexadecimal(asked) && asked.size() <= 32) {
    if (asked.size() >= kShortestPrefix) return job_of_key(text, asked, picture);
    throw storage::UsageError(fmt::format("{}: expected at least {} digits of a job's key", text, kShortestPrefix));
  }
  refuse(text, printed, picture);
}

std::vector<std::string> cells_with(std::size_t plan, std::size_t job, const RunPicture& picture) {
  std::vector<std::string> cells;
  for (const auto& table : (*picture.plans)[plan].tables) {
    for (const auto& row : table.rows) {
      for (std::size_t c = 0; c < row.cells.size(); ++c) {
        const auto& jobs = row.cells[c].jobs;
        if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) continue;
        cells.push_back(fmt::format("{}/{}/{}", table.id, row.name, table.columns[c]));
      }
    }
  }
  return cells;
}

std::string first_cell_of(const sweeps::Plan& plan) {
  for (const auto& table : plan.tables) {
    if (table.rows.empty() || table.columns.empty()) continue;
    return fmt::format("{}/{}/{}", table.id, table.rows.front().name, table.columns.front());
  }
  return "";
}

}  // namespace runner
