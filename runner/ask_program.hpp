// Asks another program, such as squeue, for a few lines: without a shell, and it gets neither long nor much to say.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace runner {

struct AskLimits {
  std::chrono::duration<double> deadline{2};
  std::size_t most_bytes = std::size_t{1} << 20;  ///< of what it prints
};

struct Answer {
  bool found = true;   ///< false: there is no such program on the PATH
  std::string output;  ///< what it printed, where `why` is empty
  std::string why;     ///< why that is no answer, e.g. "squeue did not answer within 2 s"; one line
};

/// How other programs are asked; replaced in tests. `environment`: NAME=VALUE, over what this process has.
using Ask = std::function<Answer(const std::vector<std::string>& command, const std::vector<std::string>& environment)>;

/// Runs `command` with nothing to read, in a process group of its own, which is killed at the deadline, and in `folder`
/// (ours where it is empty), which must be there. Never throws for what the program does.
Answer ask_program(const std::vector<std::string>& command, const std::vector<std::string>& environment = {},
                   const AskLimits& limits = {}, const std::filesystem::path& folder = {});

/// ask_program() with the usual limits.
Ask ask_programs();

}  // namespace runner
