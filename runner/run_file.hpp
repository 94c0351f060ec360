// DIR/run.json: the frozen sweeps of a directory, so that its tables can be made from it and the journal alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/share.hpp"
#include "sweeps/sweep.hpp"

namespace runner {

struct FrozenSweep {
  sweeps::Sweep sweep;
  sweeps::ClassNames classes;
};

/// A worker of the last run and where it was.
struct WorkerPlace {
  int worker = 0;
  std::string host;
  int threads = 1;
  std::string gpu;       ///< UUID; "": none
  std::string gpu_name;  ///< "NVIDIA H100 80GB HBM3"
  bool operator==(const WorkerPlace&) const = default;
};

/// How it was run last; for people, in no table.
struct RunFacts {
  std::string version;
  std::string host;
  std::string started;  ///< UTC
  std::vector<std::string> command;
  std::vector<WorkerPlace> workers = {};  ///< by number; empty where none was needed, and in files that knew of none
};

struct RunFile {
  std::vector<FrozenSweep> sweeps;  ///< in the order first run; one per name
  RunFacts facts;
  std::optional<sweeps::Share> share = {};  ///< whose jobs the directory is for; nothing: all, or not known
};

/// The directory of a run as given on the command line; UsageError when there is none.
std::filesystem::path existing_run(const std::string& directory);
/// Reads DIR/run.json; absent: no sweeps. Throws storage::Error for a damaged one.
RunFile read_run_file(const std::filesystem::path& directory);
/// Adds a sweep or replaces the one of its name. Throws UsageError when another sweep of the directory has a table of
/// the same id.
/// True when it replaced another version of the same name.
bool freeze(RunFile& file, const sweeps::Sweep& sweep, const sweeps::ClassNames& classes);
void write_run_file(const std::filesystem::path& directory, const RunFile& file);

}  // namespace runner
