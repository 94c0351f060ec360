// DIR/lock: one run at a time on a directory, also over shared file systems, without relying on their locks.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace runner {

struct LockOptions {
  bool take_over = false;
  std::chrono::duration<double> stale_after{30};  ///< another host's lock that does not change for so long is dead
  std::function<void(std::chrono::duration<double>)> wait;  ///< sleeps; replaced in tests
  std::function<void(const std::string&)> say;              ///< a line for the user while waiting
};

/// Held from construction to destruction. The file holds host, boot id, process id, a counter and a nonce.
class DirectoryLock {
 public:
  /// Throws storage::Error naming the directory, who holds the lock and what to do. A lock of this host whose process
  /// is gone, or of an earlier boot, is taken over at once; one of another host only after `stale_after` without a
  /// change, or with take_over.
  DirectoryLock(const std::filesystem::path& directory, LockOptions options);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  /// Call every second or so: rewrites the counter every 5 s. Throws storage::Error when another run has taken the lock
  /// over.
  void refresh();

 private:
  void write();
  std::filesystem::path file_;
  std::string nonce_;
  std::uint64_t counter_ = 0;
  std::chrono::steady_clock::time_point written_;
};

}  // namespace runner
