// Looks at files on a thread of its own: a network file system that hangs holds whoever reads it, for hours, and who
// watches must still be able to leave.
#pragma once

#include <exception>
#include <functional>
#include <thread>

#include "storage/descriptor.hpp"

namespace runner {

class LookAside {
 public:
  /// `look` is called on the thread, once for each begin(). Throws Error where there is no descriptor left.
  explicit LookAside(std::function<void()> look);
  /// Waits for a look that is under way; who cannot wait for it ends the process.
  ~LookAside();
  LookAside(const LookAside&) = delete;
  LookAside& operator=(const LookAside&) = delete;

  /// Until it has ended, nobody else may touch what it looks at.
  void begin();
  /// Readable once a look has ended.
  int ended() const { return ended_.get(); }
  /// After ended() became readable: throws what the look threw.
  void take();

 private:
  std::function<void()> look_;
  storage::Descriptor ended_;
  std::exception_ptr thrown_;
  std::thread thread_;
};

}  // namespace runner
