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
  std::vector<std::string> words;
  for (const auto* option : used.app->get_options()) words.push_back(option->get_name());
  std::string hint;
  for (int i = 1; i < argc && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr; ++i) {
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
