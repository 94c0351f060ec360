// A sweep of small trainings in a folder of its own, and what a run of it left behind. Features are made once for a
// whole program.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {

/// What the journal says of a try or of a job.
struct JournalLine {
  std::string type;  ///< done, failed, attempt, note
  std::string key;
  std::string cause;
  std::string message;  ///< of a note: its text
  int attempt = 0;
};

struct SweepShape {
  int seeds = 2;
  int epochs = 2;
  int dimension = 96;
  std::string lr = "0.001";
  std::string block = "";  ///< more keys of its block, e.g. "\"dump\": 5"
};

/// Classes "ring" and "cross" of the synthetic images, `seeds` trainings each; one table, "tiny".
class TinySweep {
 public:
  explicit TinySweep(const SweepShape& shape = {});

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path out() const { return folder() / "out"; }
  /// `run sweep.json --out out ...` with one thread a worker.
  std::vector<std::string> arguments(const std::vector<std::string>& more = {}) const;
  /// The program, and these arguments with one worker where they do not say.
  std::vector<std::string> command(const std::vector<std::string>& more = {}) const;
  Ended run(const std::vector<std::string>& more = {}, const std::vector<std::string>& environment = {}) const;

  std::string table() const;  ///< "" where there is none
  std::string log() const;    ///< logs/run.log
  /// Its lines but those of attempts that start.
  std::vector<JournalLine> journal() const;
  std::vector<JournalLine> journal(const std::string& type) const;
  std::size_t committed() const { return journal("done").size(); }

 private:
  TemporaryFolder folder_;
};

/// The table of a run of the default shape that nothing disturbs.
const std::string& undisturbed_table();

/// That standard error ends in one line "plume-bench: ...", and the line.
std::string last_line_of(const Ended& ended);

/// PLUME_FAULT=text
std::string fault(const std::string& text);

}  // namespace tests
