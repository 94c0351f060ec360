// A sweep of one kind of training on the embedded images, in a folder of its own, and what its directory says.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {

class SmallRun {
 public:
  /// 2 classes x `seeds` trainings of `epochs` epochs at `dimension`; at 384 an epoch takes some 10 ms.
  SmallRun(int seeds, int epochs, int dimension = 384);

  /// Of `plume-bench run`, one thread each. All of a test program share one cache, and the first makes its features.
  std::vector<std::string> arguments(const std::vector<std::string>& more = {}) const;
  std::vector<std::string> alone(const std::vector<std::string>& more = {}) const;
  std::vector<std::string> ranks(int count, const std::vector<std::string>& mpirun_flags = {},
                                 const std::vector<std::string>& more = {}) const;
  Ended run(const std::vector<std::string>& command) const { return Running(command, folder()).wait(); }

  std::size_t jobs() const { return jobs_; }
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path out() const { return folder() / "out"; }

  /// What is there so far; "" where there is no file yet.
  std::string log() const;
  bool logged(const std::string& text) const { return times_logged(text) > 0; }
  std::size_t times_logged(const std::string& text) const;
  /// How often each job was committed, by key.
  std::map<std::string, int> commits() const;
  /// Every job once.
  bool is_complete() const;
  /// Journal entries of tries that began.
  int begun_attempts() const;
  /// Journal entries of tries that ended without a result, by cause.
  std::map<std::string, int> ended_attempts() const;
  /// DIR/exit_status.
  std::optional<int> exit_status() const;
  /// Every file of the report, by name.
  std::map<std::string, std::string> report() const;

 private:
  TemporaryFolder folder_;
  std::size_t jobs_;
};

/// The report of an undisturbed run of one worker with the same numbers.
std::map<std::string, std::string> undisturbed_report(int seeds, int epochs, int dimension = 384);

}  // namespace tests
