// DIR/lock: one run at a time on a directory, also over shared file systems, without relying on their locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace runner {

/// Who holds a directory, as its lock says.
struct LockHolder {
  std::string host, boot, nonce;
  std::int64_t pid = 0;
  std::int64_t started = 0;  ///< the process's start in clock ticks after boot: tells a reused process id apart
  std::uint64_t counter = 0;
  bool operator==(const LockHolder&) const = default;
};

/// Absent when there is no lock. One that cannot be read is reported as held by an unknown host: somebody may still be
/// writing it.
std::optional<LockHolder> read_lock(const std::filesystem::path& directory);

/// Whether a process lives: known at once of this host, `unknown` of any other.
enum class Verdict { alive, dead, unknown };
Verdict judge(const std::string& host, const std::string& boot, std::int64_t pid, std::int64_t started);

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

/// Throws storage::Error as DirectoryLock would where a run of this host holds the lock; takes nothing. Of a lock of
/// another host, which only time can tell dead, a line is returned that says so; else "".
std::string check_lock(const std::filesystem::path& directory);

}  // namespace runner
