// What the end of a trainer process means: a cause and one line for people. Pure.
#pragma once

#include <string>

#include "workers/child_process.hpp"
#include "workers/messages.hpp"

namespace workers {

struct EndOfTrainer {
  ProcessEnd end;
  bool was_ready = false;          ///< it had greeted
  bool oom_killer_struck = false;  ///< the kernel's count rose while it ran
  std::string last_words;          ///< of its stderr, one line
};

struct Diagnosis {
  Cause cause;
  std::string message;  ///< one line
};

Diagnosis diagnose(const EndOfTrainer& facts);

}  // namespace workers
