// A program of the product as a process of its own: how long it took and how much memory it held at most.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace benchmarks {

struct Ended {
  int status = -1;  ///< exit status; 128 + n when killed by signal n
  double seconds = 0;
  double processor_seconds = 0;
  double peak_megabytes = 0;      ///< the most that was resident (ru_maxrss)
  double seconds_until_seen = 0;  ///< from the start until `seen` was true for the first time; 0: never
};

enum class Then { runs_on, killed };  ///< what becomes of it when it has been seen

/// Runs it to its end, its output thrown away but for standard error, which goes to `errors`. `seen` is asked every few
/// milliseconds. Throws storage::Error where it cannot be started.
Ended run_child(const std::vector<std::string>& command, const std::filesystem::path& errors,
                const std::function<bool()>& seen = {}, Then then = Then::runs_on);

}  // namespace benchmarks
