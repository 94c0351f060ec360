// `plume-bench status DIR [--watch] [--json]`: how a run stands, from the files of its directory alone.
#pragma once

#include <string>

namespace runner {

struct StatusQuestion {
  std::string directory;
  bool watch = false;
  bool json = false;
  double every_seconds = 1;  ///< between two looks of a watcher
};

/// Prints it and returns the exit status: 0, or 1 where a file of the directory could not be read; what the others say
/// is printed all the same. Throws UsageError for what is no directory.
int print_status(const StatusQuestion& question);

}  // namespace runner
