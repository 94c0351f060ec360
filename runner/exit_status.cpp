// One number in a file.
#include "runner/exit_status.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runner/mpi_world.hpp"
#include "storage/atomic_file.hpp"

namespace runner {
namespace {

std::filesystem::path file_in(const std::filesystem::path& directory) {
  return directory / "exit_status";
}

}  // namespace

void forget_exit_status(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::remove(file_in(directory), error);
  if (error) storage::fail_with_errno(file_in(directory), "cannot remove", error.value());
}

void record_exit_status(const std::filesystem::path& directory, int status) {
  storage::write_atomically(file_in(directory), std::to_string(status) + "\n");
}

void tell_script(int argc, char** argv, int status) noexcept {
  const char* file = std::getenv("PLUME_EXIT_STATUS_FILE");
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (file == nullptr || (command != "run" && command != "extract") || launcher_rank().value_or(0) != 0) return;
  // The script made it, and reads it once this process has ended.
  std::FILE* out = std::fopen(file, "w");
  if (out == nullptr) return;
  std::fprintf(out, "%d\n", status);
  std::fclose(out);
}

}  // namespace runner
