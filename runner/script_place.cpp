// Looks for files by their names, and for the directory that a script names.
#include "runner/script_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "runner/script_again.hpp"
#include "runner/shell_text.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Without "." and slashes at its end, so that its last part is its name.
fs::path with_its_name(const fs::path& directory) {
  const auto plain = [](const fs::path& path) { return path.has_filename() ? path : path.parent_path(); };
  const auto path = plain(directory.lexically_normal());
  const auto name = path.filename();
  std::error_code ignored;
  return name == "." || name == ".." ? plain(fs::absolute(path, ignored).lexically_normal()) : path;
}

/// The script of the form array whose runs lie in a directory of that name; "" for any other name.
const char* script_for(const std::string& name) {
  if (name == "features") return "extract.sbatch";
  const bool is_share = name.rfind("share-", 0) == 0 && name.find("-of-") != std::string::npos;
  return is_share ? "share.sbatch" : "";
}

/// The 3 of "share-3-of-8".
std::optional<int> task_in(const std::string& name) {
  int task = 0;
  const auto from = name.data() + std::min(name.size(), name.find('-') + 1);
  const auto [end, error] = std::from_chars(from, name.data() + name.size(), task);
  return error == std::errc() && task > 0 ? std::optional(task) : std::nullopt;
}

bool asks_chain(const fs::path& script) {
  std::ifstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line[first] != '#' && line.find(" chain \"$out\"") != std::string::npos)
      return true;
  }
  return false;
}

/// "" for what cannot be read.
std::string text_of(const fs::path& script) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  try {
    return storage::read_regular_file(script, kMostBytes);
  } catch (const storage::Error&) {
    return "";
  }
}

bool is_same_place(const fs::path& one, const fs::path& other) {
  std::error_code first, second;
  const auto canonical = fs::weakly_canonical(one, first), other_canonical = fs::weakly_canonical(other, second);
  if (first || second) return one.lexically_normal() == other.lexically_normal();
  return canonical == other_canonical || fs::equivalent(one, other, first);
}

/// The directory that the scripts in DIR/slurm were written for, by the text of one of them; "" where it tells none.
fs::path written_for(const std::string& script, const std::string& text) {
  if (script == "submit") {
    const auto folder = place_named_in(text, "cd ");
    return folder ? fs::path(*folder).parent_path() : fs::path();
  }
  const auto out = place_named_in(text, "out=");
  if (!out) return {};
  const fs::path place = script == "run.sbatch" ? fs::path(*out) : fs::path(*out).parent_path();  // of DIR/share-...
  const bool is_plain = place.string().find_first_of("$\"`") == std::string::npos;
  return is_plain ? place : fs::path();
}

/// `script` and `submit` of the scripts of `directory`; marked where they were written for another one.
ScriptPlace placed(const fs::path& directory, const fs::path& script, const std::string& submit) {
  const auto home = directory.empty() ? fs::path(".") : directory;
  ScriptPlace place{script, submit, asks_chain(script)};
  const auto text = text_of(script);
  const auto theirs = written_for(script.filename().string(), text);
  const auto share = home / "slurm" / "share.sbatch";
  const auto work = is_file(share) ? text_of(share) : text;
  if (theirs.empty() || is_same_place(theirs, home)) {
    place.only = only_in_script(work);
    if (!place.only.empty()) place.to_write_for_all = line_to_write_again(work, home.string(), WithOnly::no);
    return place;
  }
  place.runs_instead = theirs.string();
  place.to_write_again = line_to_write_again(work, home.string());
  place.submit.clear();
  place.asks_chain = false;
  return place;
}

}  // namespace

std::string why_not_submitted(const ScriptPlace& scripts) {
  if (scripts.runs_instead.empty()) return "";
  return fmt::format(
      "{} would run {}, not this directory, which was moved or copied: do not submit it; write the scripts again, {}: "
      "{}",
      scripts.script.string(), scripts.runs_instead, kAsBefore, scripts.to_write_again);
}

fs::path folder_of_array(const fs::path& directory) {
  const auto here = with_its_name(directory);
  if (*script_for(here.filename().string()) == '\0') return {};
  return here.has_parent_path() ? here.parent_path() : fs::path(".");
}

std::optional<ScriptPlace> scripts_of(const fs::path& directory) {
  const auto run = directory / "slurm" / "run.sbatch";
  if (is_file(run)) return placed(directory, run, "sbatch " + shell_word(run.string()));
  const auto line = [](const fs::path& submit) { return "bash " + shell_word(submit.string()); };
  const auto own = directory / "slurm" / "submit";
  if (is_file(own)) return placed(directory, own, line(own));
  const auto here = with_its_name(directory);
  const std::string name = script_for(here.filename().string());
  const auto folder = here.parent_path() / "slurm";
  if (name.empty() || !is_file(folder / name) || !is_file(folder / "submit")) return std::nullopt;
  auto place = placed(here.parent_path(), folder / name, line(folder / "submit"));
  if (name == "share.sbatch") place.task = task_in(here.filename().string());
  return place;
}

}  // namespace runner
