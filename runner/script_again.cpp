// Reads the options of sbatch and the line that starts the program.
#include "runner/script_again.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "runner/shell_text.hpp"

namespace runner {
namespace {

/// Options of sbatch that are flags with the same value.
constexpr std::pair<std::string_view, std::string_view> kSame[] = {{"--partition", "--partition"},
                                                                   {"--account", "--account"},
                                                                   {"--qos", "--qos"},
                                                                   {"--mem", "--memory"},
                                                                   {"--time", "--time"},
                                                                   {"--nodes", "--nodes"},
                                                                   {"--signal", "--drain"},
                                                                   {"--gpus-per-node", "--gpus-per-node"},
                                                                   {"--array", "--shares"}};
/// Flags of the sweep and the site, each with a value; the others are those of `run`.
constexpr std::string_view kOfSweep[] = {"--scale", "--substitute", "--only", "--site",
                                         "--data",  "--weights",    "--cache"};
constexpr std::string_view kOfScript[] = {"--out",     "--share",        "--threads",
                                          "--workers", "--drain-within", "--end-within"};

bool is_one(std::string_view word, const auto& list) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

/// The words of the line that runs or extracts the sweep, from the sweep on.
std::vector<std::string> call_in(const std::string& script) {
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    auto words = words_of_shell(line);
    const auto plume = std::find(words.begin(), words.end(), "\"${plume[@]}\"");
    if (words.end() - plume < 3 || (plume[1] != "run" && plume[1] != "extract")) continue;
    words.erase(words.begin(), plume + 2);
    return words;
  }
  return {};
}

void add_options(const std::string& script, bool is_array, std::vector<std::string>& flags) {
  std::istringstream lines(script);
  const std::string begin = "#SBATCH ";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(begin)) continue;
    const auto option = line.substr(begin.size(), line.find('=') - begin.size());
    const auto same =
        std::find_if(std::begin(kSame), std::end(kSame), [&](auto& each) { return each.first == option; });
    if (same == std::end(kSame) || line.find('=') == std::string::npos || (is_array && option == "--nodes")) continue;
    auto value = line.substr(line.find('=') + 1);
    if (option == "--signal") value.erase(0, value.find('@') + 1);
    const auto at_once = value.find('%');
    if (option == "--array") value = value.substr(value.find('-') + 1, at_once - value.find('-') - 1);
    flags.insert(flags.end(), {std::string(same->second), value});
    if (option == "--array" && at_once != std::string::npos)
      flags.insert(flags.end(), {"--at-once", line.substr(line.find('%') + 1)});
  }
}

int number_of_option(const std::string& script, const std::string& option) {
  const auto at = script.find("#SBATCH " + option + "=");
  if (at == std::string::npos) return 0;
  int value = 0;
  const auto* from = script.data() + at + 8 + option.size() + 1;
  std::from_chars(from, script.data() + script.size(), value);
  return value;
}

/// One task is rank 0's where a launcher starts the workers; else they share the CPUs of the one task.
void add_workers(const std::string& script, int workers, std::vector<std::string>& flags) {
  const int tasks = number_of_option(script, "--ntasks-per-node"), cpus = number_of_option(script, "--cpus-per-task");
  if (workers == 0) workers = tasks - 1;
  if (workers < 1) return;
  flags.insert(flags.end(), {"--workers-per-node", std::to_string(workers)});
  const int each = tasks > 0 ? cpus : cpus / workers;
  if (each > 0) flags.insert(flags.end(), {"--cpus-per-task", std::to_string(each)});
  if (number_of_option(script, "--gpus-per-node") == 0) flags.insert(flags.end(), {"--gpus-per-node", "0"});
}

}  // namespace

std::vector<std::string> words_of_shell(std::string_view line) {
  std::vector<std::string> words(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\'') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && c == '\\' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else if (!is_quoted && c == ' ') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::optional<std::string> place_named_in(const std::string& script, std::string_view before) {
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(before)) continue;
    const auto words = words_of_shell(std::string_view(line).substr(before.size()));
    return words.size() == 1 && words[0].starts_with("/") ? std::optional(words[0]) : std::nullopt;
  }
  return std::nullopt;
}

std::string only_in_script(const std::string& script) {
  const auto call = call_in(script);
  const auto flag = std::find(call.begin(), call.end(), "--only");
  return call.end() - flag > 1 ? flag[1] : "";
}

std::string line_to_write_again(const std::string& script, const std::string& directory, WithOnly with_only) {
  const auto call = call_in(script);
  const bool is_array = script.find("\n#SBATCH --array=") != std::string::npos;
  std::vector<std::string> flags, of_run;
  int workers = 0;
  for (std::size_t i = 1; i < call.size(); ++i) {
    if (call[i] == "--workers" && i + 1 < call.size()) workers = std::atoi(call[i + 1].c_str());
    if (is_one(call[i], kOfScript)) {
      ++i;
    } else if (is_one(call[i], kOfSweep) && i + 1 < call.size()) {
      if (call[i] != "--only" || with_only == WithOnly::as_it_was) flags.insert(flags.end(), {call[i], call[i + 1]});
      ++i;
    } else if (call[i] != "--no-epoch-lines" && call[i] != "\"$@\"" && call[i] != "&") {
      of_run.push_back(call[i]);
    }
  }
  if (is_array || script.find("\nsrun ") != std::string::npos)
    flags.insert(flags.end(), {"--form", is_array ? "array" : "srun"});
  add_options(script, is_array, flags);
  add_workers(script, workers, flags);
  if (!is_array && script.find("\n  scontrol requeue ") != std::string::npos)
    flags.insert(flags.end(), {"--next", "requeue"});
  if (!is_array && script.find(" chain \"$out\"") == std::string::npos) flags.insert(flags.end(), {"--next", "stop"});
  if (!of_run.empty()) of_run.insert(of_run.begin(), "--");
  const auto sweep = call.empty() ? std::string("SWEEP") : shell_word(call[0]);
  auto line = fmt::format("plume-bench slurm {} --out {} --force", sweep, shell_word(directory));
  for (const auto& words : {flags, of_run}) line += words.empty() ? "" : " " + shell_words(words);
  return line;
}

}  // namespace runner
