// Runs the real binary, alone or under mpirun, and keeps what it printed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tests {

struct Ended {
  int status = -1;     ///< exit status; 128 + n when killed by signal n
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// A process that is running; killed when it goes out of scope. It prints into files of `folder`, which no other
/// process that is running has.
class Running {
 public:
  Running(const std::vector<std::string>& command, const std::filesystem::path& folder,
          const std::vector<std::string>& environment = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  pid_t pid() const { return pid_; }
  /// What it has printed so far.
  std::string output() const;
  void signal(int number);
  /// Ctrl-C, and again once the first was heard: of two that are sent at once a busy machine may deliver one.
  void interrupt_twice();
  /// Waits for its end; fails the test and kills it after `limit`.
  Ended wait(std::chrono::seconds limit = std::chrono::seconds(240));
  /// Looks every few milliseconds until `seen` holds or the process ended; false if it ended first.
  bool until(const std::function<bool()>& seen, std::chrono::seconds limit = std::chrono::seconds(120));

 private:
  bool ended();
  std::filesystem::path output_file_;
  std::filesystem::path errors_file_;
  pid_t pid_ = -1;
  int raw_status_ = 0;
  bool reaped_ = false;
};

/// build/.../plume-bench
std::filesystem::path program();
/// The published weights that the set-up installs. Fails the test when they are missing, naming the command that
/// installs them.
std::filesystem::path real_weights();

Ended run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                  const std::vector<std::string>& environment = {});
/// mpirun -np `ranks` with what a container as root needs.
std::vector<std::string> under_mpirun(int ranks, const std::vector<std::string>& arguments);
/// Process ids of the children of `pid`.
std::vector<pid_t> children_of(pid_t pid);

}  // namespace tests
