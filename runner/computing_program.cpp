// Where plume-compute is, and becoming it.
#include "runner/computing_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "storage/error.hpp"

namespace runner {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& program, int reason) {
  throw storage::Error(
      fmt::format("{}: cannot be run: {}; it computes for plume-bench and belongs beside it: copy both from one build",
                  program.string(), std::strerror(reason)));
}

}  // namespace

std::filesystem::path own_program() {
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw storage::Error("/proc/self/exe cannot be read: " + error.message());
  return path;
}

std::filesystem::path computing_program() {
  auto path = own_program().replace_filename("plume-compute");
  if (access(path.c_str(), X_OK) != 0) refuse(path, errno);
  return path;
}

void become_computing_program(char** argv) {
  const auto program = computing_program();
  execv(program.c_str(), argv);
  refuse(program, errno);
}

}  // namespace runner
