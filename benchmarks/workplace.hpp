// A benchmark's own folder in one that was asked for, so that it is known which disk is written to; removed at the end.
#pragma once

#include <filesystem>

namespace benchmarks {

class Workplace {
 public:
  /// Throws storage::UsageError where none can be made. Says so where it lies in memory, where fsync costs nothing.
  explicit Workplace(const std::filesystem::path& parent);
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace benchmarks
