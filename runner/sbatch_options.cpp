// Splits a line as sbatch does (src/sbatch/opt.c of Slurm) and compares its words with two lists.
#include "runner/sbatch_options.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "storage/json.hpp"

namespace runner {
namespace {

/// An option that may not be given, and what to do instead.
struct Option {
  std::string_view name, letter, instead;
};

/// Given twice, Slurm takes the last and the forecast the first.
constexpr Option kWithFlags[] = {{"--time", "-t", "--time"},
                                 {"--partition", "-p", "--partition"},
                                 {"--account", "-A", "--account"},
                                 {"--qos", "-q", "--qos"},
                                 {"--nodes", "-N", "--nodes"},
                                 {"--mem", "", "--memory"},
                                 {"--cpus-per-task", "-c", "--cpus-per-task"},
                                 {"--gpus-per-node", "", "--gpus-per-node"},
                                 {"--ntasks-per-node", "", "--workers-per-node"},
                                 {"--ntasks", "-n", "--workers-per-node"}};

constexpr Option kOfTheScript[] = {
    {"--array", "-a", "for an array: --form array"},
    {"--signal", "", "when it drains: --drain"},
    {"--output", "-o", "`status` reads its output where it is"},
    {"--error", "-e", "`status` reads its errors in its output"},
    {"--open-mode", "", "one output holds all starts of a job"},
    {"--job-name", "-J", "`status` finds its outputs and its jobs by their names"},
    {"--wrap", "", "for lines of shell: --setup"},
    {"--wait", "-W", "what submits another job would wait for itself"},
    {"--test-only", "", "nothing would be submitted; `plume-bench plan` and `slurm` look at the cluster"}};

/// Options that begin like others of these, and are whole.
constexpr std::string_view kWholeAnyway[] = {"--gpus"};
/// Letters without a value: others may follow in the same word.
constexpr std::string_view kLettersAlone = "HOQWhksvV";

/// Words of the line up to a "#"; nothing where a quote has no end.
std::optional<std::vector<std::string>> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_escape = c == '\\' && quote != '\'' && i + 1 < text.size();
    if (is_escape) {
      words.back() += text[++i];
    } else if (quote != '\0') {
      c == quote ? static_cast<void>(quote = '\0') : static_cast<void>(words.back() += c);
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      break;
    } else if (c == ' ' || c == '\t') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') return std::nullopt;
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string name_in(const std::string& word) {
  return word.substr(0, word.find('='));
}

bool is(const Option& option, const std::string& word) {
  const bool by_letter = !option.letter.empty() && !word.starts_with("--") && word.starts_with(option.letter);
  return by_letter || name_in(word) == option.name;
}

/// sbatch takes any beginning of a name that only one option has.
bool may_abbreviate(const std::string& word, const Option& option) {
  const auto name = name_in(word);
  for (const auto whole : kWholeAnyway) {
    if (name == whole) return false;
  }
  constexpr std::size_t kLeast = 3;  // "--" ends the options
  return name.size() >= kLeast && name.starts_with("--") && option.name.starts_with(name);
}

std::string wrong_in_word(const std::string& word) {
  const auto quoted = storage::in_quotes(word);
  for (const auto& option : kOfTheScript) {
    if (is(option, word)) {
      return fmt::format("expected an option that the script does not rest on, found {}; {}", quoted, option.instead);
    }
  }
  for (const auto& option : kWithFlags) {
    if (is(option, word)) {
      return fmt::format("expected an option that `slurm` has no flag for, found {}; write {}", quoted, option.instead);
    }
  }
  const auto abbreviates = [&](const Option& option) {
    return fmt::format("expected the whole name of an option, found {}, which sbatch may take for {}", quoted,
                       option.name);
  };
  for (const auto& option : kOfTheScript) {
    if (may_abbreviate(word, option)) return abbreviates(option);
  }
  for (const auto& option : kWithFlags) {
    if (may_abbreviate(word, option)) return abbreviates(option);
  }
  const bool is_bundle = word.size() > 2 && word[1] != '-' && kLettersAlone.find(word[1]) != std::string_view::npos;
  return is_bundle ? fmt::format("expected one option a word, found {}; write -{} by itself", quoted, word[1]) : "";
}

}  // namespace

std::string wrong_in_options(const std::string& text) {
  if (!text.starts_with("-")) {
    return fmt::format("expected an option of sbatch, e.g. --constraint=a100, found {}", storage::in_quotes(text));
  }
  const auto words = words_of(text);
  if (!words) {
    return fmt::format("expected quotes in pairs, found {}; sbatch refuses the script", storage::in_quotes(text));
  }
  for (const auto& word : *words) {
    if (!word.starts_with("-")) continue;  // the value of the option before it
    if (auto wrong = wrong_in_word(word); !wrong.empty()) return wrong;
  }
  return "";
}

bool has_option(const std::string& text, const std::string& option) {
  const auto words = words_of(text);
  if (!words) return false;
  for (const auto& word : *words) {
    if (name_in(word) == option) return true;
  }
  return false;
}

std::string option_value(const std::string& text, const std::string& option, const std::string& letter) {
  const auto words = words_of(text);
  if (!words) return "";
  for (std::size_t i = 0; i < words->size(); ++i) {
    const auto& word = (*words)[i];
    if (word == option || word == letter) return i + 1 < words->size() ? (*words)[i + 1] : "";
    if (word.starts_with(option + "=")) return word.substr(option.size() + 1);
    if (!letter.empty() && !word.starts_with("--") && word.starts_with(letter)) return word.substr(letter.size());
  }
  return "";
}

}  // namespace runner
