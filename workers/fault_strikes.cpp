// Each kind of fault as the real one comes: the same exception types, the same signals.
#include "workers/fault_strikes.hpp"

#include <c10/util/Exception.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace workers {
namespace {

/// Its supervisor quotes what a trainer printed last.
void say(const char* what) {
  std::fprintf(stderr, "on request (%s): %s\n", kFaultVariable, what);
  std::fflush(stderr);
}

[[noreturn]] void end_by(int number, const char* name) {
  say(name);
  signal(number, SIG_DFL);
  raise(number);
  std::abort();
}

void strike(FaultKind kind) {
  switch (kind) {
    case FaultKind::exception:
      throw std::runtime_error("an exception on request (PLUME_FAULT)");
    case FaultKind::bad_alloc:
      throw std::bad_alloc();
    case FaultKind::device_oom:
      // As c10/cuda/CUDACachingAllocator.cpp throws it.
      TORCH_CHECK_WITH(OutOfMemoryError, false,
                       "on request (PLUME_FAULT): CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total "
                       "capacity of 79.11 GiB of which 512.00 MiB is free.");
    case FaultKind::segv:
      end_by(SIGSEGV, "SIGSEGV");
    case FaultKind::kill:
      end_by(SIGKILL, "SIGKILL");
    case FaultKind::exit:
      say("exit status 1");
      _exit(1);
    case FaultKind::hang:
      say("nothing moves any more");
      while (true) pause();
    case FaultKind::slow:
      sleep(1);
      break;
  }
}

}  // namespace

void strike_if_due(const std::vector<FaultOnRequest>& faults, const sweeps::Job& job, int attempt,
                   std::optional<int> epoch) {
  for (const FaultOnRequest& fault : faults) {
    if (fault.is_due(job, attempt, epoch)) strike(fault.kind);
  }
}

}  // namespace workers
