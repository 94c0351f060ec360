// Names the signal or the status that ended a trainer, and the class of failure that it belongs to. Pure.
#include "workers/end_of_trainer.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

namespace workers {
namespace {

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  const char* meaning = sigdescr_np(signal);
  if (name == nullptr || meaning == nullptr) {
    return fmt::format("signal {}", signal);
  }
  if (signal == SIGKILL) {
    return "SIGKILL (out of memory killer or somebody's kill)";
  }
  return fmt::format("SIG{} ({})", name, meaning);
}

}  // namespace

Diagnosis diagnose(const EndOfTrainer& facts) {
  Diagnosis result{Cause::exited, ""};
  if (facts.end.signal == SIGKILL && facts.oom_killer_struck) {
    result = {Cause::out_of_memory, "trainer killed by the kernel's out of memory killer"};
  } else if (facts.end.signal != 0) {
    result = {Cause::signal, "trainer killed by " + signal_name(facts.end.signal)};
  } else {
    result.message = fmt::format("trainer ended by itself with status {}", facts.end.status);
  }
  if (!facts.was_ready) {
    if (result.cause != Cause::out_of_memory) {
      result.cause = Cause::start_failed;
    }
    result.message += " before it was ready";
  }
  if (!facts.last_words.empty()) {
    result.message += "; its last words: " + facts.last_words;
  }
  return result;
}

}  // namespace workers
