// Finds the command that was meant, so that the flags suggested are its own.
#include "runner/command_refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/nearest.hpp"

namespace runner {
namespace {

/// A command, or a part of one: `check weights` is `weights` of `check`.
struct UsedCommand {
  const CLI::App* app;
  std::string name;                ///< "check weights"; "" for the program itself
  int next = 1;                    ///< index of the first argument after it
  std::vector<std::string> parts;  ///< what may follow as a part of it
};

std::vector<std::string> parts_of(const CLI::App& app) {
  std::vector<std::string> parts;
  for (const auto* part : app.get_subcommands({})) {
    if (!part->get_group().empty()) parts.push_back(part->get_name());
  }
  return parts;
}

/// As far as the arguments begin with known words.
UsedCommand used_command(const CLI::App& app, int argc, char** argv) {
  UsedCommand used{&app, "", 1, parts_of(app)};
  while (used.next < argc && std::find(used.parts.begin(), used.parts.end(), argv[used.next]) != used.parts.end()) {
    used.name += (used.name.empty() ? "" : " ") + std::string(argv[used.next]);
    used.app = used.app->get_subcommand(argv[used.next++]);
    used.parts = parts_of(*used.app);
  }
  return used;
}

bool has_flag(const CLI::App& app, const std::string& name) {
  const auto options = app.get_options();
  return std::any_of(options.begin(), options.end(), [&](const auto* option) { return option->check_name(name); });
}

/// For a flag of `run` that was given to `slurm` itself, before "--"; "" where there is none.
std::string hint_at_run_flag(const CLI::App& app, int argc, char** argv) {
  for (int i = 1; i < argc && std::string(argv[i]) != "--"; ++i) {
    const std::string word = argv[i];
    const auto name = word.substr(0, word.find('='));
    if (word.rfind("--", 0) != 0 || has_flag(*app.get_subcommand("slurm"), name)) continue;
    if (!has_flag(*app.get_subcommand("run"), name)) continue;
    return fmt::format(
        "{0}: a flag of `run`, not of `slurm`; write it after --, at the end: -- {0}, or give it to the script when "
        "you submit that: sbatch DIR/slurm/run.sbatch {0}",
        name);
  }
  return "";
}

}  // namespace

[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const auto used = used_command(app, argc, argv);
  const auto see = fmt::format("see plume-bench {}{}--help", used.name, used.name.empty() ? "" : " ");
  if (!used.parts.empty() && used.next < argc && argv[used.next][0] != '-') {
    const std::string word = argv[used.next];
    throw storage::UsageError(fmt::format("{}: no such command{}{}; {}", word,
                                          used.name.empty() ? "" : " after " + storage::in_quotes(used.name),
                                          storage::suggestion(word, used.parts), see));
  }
  if (!used.parts.empty() && !used.name.empty()) {
    throw storage::UsageError(
        fmt::format("{}: a word is missing after it: {}; {}", used.name, storage::listed(used.parts), see));
  }
  const bool is_unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (const auto misplaced = hint_at_run_flag(app, argc, argv);
      used.name == "slurm" && is_unknown && !misplaced.empty()) {
    throw storage::UsageError(fmt::format("{}; {}", misplaced, see));
  }
  std::vector<std::string> words;
  for (const auto* option : used.app->get_options()) words.push_back(option->get_name());
  std::string hint;
  for (int i = 1; i < argc && is_unknown; ++i) {
    const std::string word(argv[i]);
    if (word.rfind("--", 0) != 0) continue;
    const auto name = word.substr(0, word.find('='));
    if (std::find(words.begin(), words.end(), name) == words.end()) hint = storage::suggestion(name, words);
  }
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  throw storage::UsageError(fmt::format("{}{}; {}", what, hint, see));
}

}  // namespace runner
