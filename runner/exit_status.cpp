// One number in a file.
#include "runner/exit_status.hpp"

#include <string>

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

}  // namespace runner
