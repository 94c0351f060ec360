// What is wrong with a command line, in one line.
#pragma once

#include <CLI/CLI.hpp>

namespace runner {

/// CLI11's complaint as our one line, with the nearest right word for a mistyped flag or command. Throws UsageError.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace runner
