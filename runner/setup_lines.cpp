// Asks `bash -n`.
#include "runner/setup_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/ask_program.hpp"
#include "storage/error.hpp"
#include "workers/one_line.hpp"

namespace runner {
namespace {

/// The first line that bash says of the text, a warning too (a here-document without its end is one); "" for nothing.
std::string said_by_bash(const std::string& text) {
  // The outer bash runs only this line: a warning is on standard error, and the status 0.
  const auto answer = ask_program({"bash", "-c", "bash -n -c \"$0\" bash 2>&1; true", text}, {"BASH_ENV=", "LC_ALL=C"});
  return workers::one_line(answer.output.substr(0, answer.output.find('\n')));
}

}  // namespace

void refuse_broken_setup(const std::vector<std::string>& setup, const std::vector<ScriptFile>& scripts) {
  if (setup.empty()) return;
  const auto refuse = [](const std::string& why) {
    throw storage::UsageError(
        fmt::format("--setup or \"setup\" of the site file: expected lines of shell that are whole: {}", why));
  };
  const auto lines = fmt::format("{}\n", fmt::join(setup, "\n"));
  if (const auto said = said_by_bash(lines); !said.empty()) refuse(said);
  // "echo \" is whole by itself, and takes the brace in.
  if (!said_by_bash("{ :\n" + lines + "}\n").empty()) {
    refuse(fmt::format("the script's next line would be a part of `{}`", setup.back()));
  }
  for (const auto& script : scripts) {
    if (const auto said = said_by_bash(script.text); !said.empty()) refuse(fmt::format("in {}: {}", script.name, said));
  }
}

}  // namespace runner
