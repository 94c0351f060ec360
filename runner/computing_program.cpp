// Where plume-compute is, and becoming it.
#include "runner/computing_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "runner/ask_program.hpp"
#include "runner/version.hpp"
#include "storage/error.hpp"
#include "storage/printable.hpp"
#include "sweeps/job.hpp"
#include "workers/messages.hpp"

namespace runner {
namespace {

constexpr const char* kWanted = "PLUME_COMPUTING_VERSION";  // tells what a process becomes what it is to be

constexpr std::size_t kLongestVersion = 80;  // in a message

[[noreturn]] void refuse(const std::filesystem::path& program, const std::string& why) {
  throw storage::Error(
      fmt::format("{}: cannot be run: {}; it computes for plume-bench and belongs beside it: copy both from one build",
                  program.string(), why));
}

std::string not_it(const std::string& version) {
  return fmt::format("it is {} and not {}", version, computing_version());
}

}  // namespace

std::string computing_version() {
  return fmt::format("plume-compute {} (engine {}, protocol {})", kVersion, sweeps::kEngineVersion,
                     workers::kProtocolVersion);
}

std::filesystem::path own_program() {
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw storage::Error("/proc/self/exe cannot be read: " + error.message());
  return path;
}

std::filesystem::path computing_program() {
  auto path = own_program().replace_filename("plume-compute");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse(path, "it is a folder");
  if (access(path.c_str(), X_OK) != 0) refuse(path, std::strerror(errno));
  return path;
}

void check_computing_program(std::chrono::duration<double> deadline) {
  const auto program = computing_program();
  const Answer answer = ask_program({program.string(), "--version"}, {}, {deadline});
  if (!answer.why.empty()) refuse(program, answer.why);
  const std::string version = answer.output.substr(0, answer.output.find('\n'));
  if (version != computing_version())
    refuse(program,
           version.empty() ? "it does not say its version" : not_it(storage::printable_line(version, kLongestVersion)));
}

void become_computing_program(char** argv) {
  std::string program = computing_program().string();
  setenv(kWanted, computing_version().c_str(), 1);
  argv[0] = program.data();  // what the loader, ps and top say of it
  execv(program.c_str(), argv);
  refuse(program, std::strerror(errno));
}

void check_what_became(bool computes) {
  const char* const wanted = std::getenv(kWanted);
  if (wanted == nullptr) return;
  const std::string version = wanted;
  unsetenv(kWanted);
  if (!computes) refuse(own_program().replace_filename("plume-compute"), not_it("plume-bench"));
  if (version != computing_version())
    refuse(own_program(),
           fmt::format("it is {} and not {}", computing_version(), storage::printable_line(version, kLongestVersion)));
}

}  // namespace runner
