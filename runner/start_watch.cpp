// A thread that waits for the end of what it watches.
#include "runner/start_watch.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace runner {

StartWatch::StartWatch(workers::Seconds deadline, std::string line)
    : thread_([this, deadline, line = std::move(line)] {
        std::unique_lock lock(mutex_);
        if (ended_.wait_for(lock, deadline, [this] { return is_over_; })) return;
        std::fprintf(stderr, "plume-bench: %s\n", line.c_str());
        std::fflush(stderr);
        _exit(1);
      }) {}

StartWatch::~StartWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

}  // namespace runner
