// Ends this process when a part of its start takes too long. Knows no MPI.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "workers/supervisor.hpp"

namespace runner {

/// From its construction to its destruction no more than `deadline` may pass: then `line` goes to standard error and
/// the process ends with status 1. For calls that cannot be told to give up.
class StartWatch {
 public:
  StartWatch(workers::Seconds deadline, std::string line);
  ~StartWatch();
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace runner
