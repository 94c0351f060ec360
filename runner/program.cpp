// The one place that turns errors into an exit status.
#include "runner/program.hpp"

#include <fcntl.h>

#include <csignal>
#include <cstdlib>
#include <exception>

#include "runner/exit_status.hpp"
#include "runner/last_words.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

/// Daemons and schedulers may start a program with descriptors 0 to 2 closed; the next files opened would take their
/// place, and text meant for a terminal would land in them. A closed standard output stays one that cannot be written
/// to: a command whose only work is to print must not seem to have done it.
void open_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    const int access = descriptor == 1 ? O_RDONLY : O_RDWR;
    if (fcntl(descriptor, F_GETFD) == -1 && open("/dev/null", access) != descriptor) std::abort();
  }
}

int exit_status_of(int argc, char** argv, const Computing* computing) {
  try {
    return run_command_line(argc, argv, computing);
  } catch (const storage::UsageError& error) {
    say_last(error.what());
    return 2;
  } catch (const std::exception& error) {
    say_last(error.what());
    return 1;
  }
}

}  // namespace

int run_program(int argc, char** argv, const Computing* computing) {
  open_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write, which names the file
  const int status = exit_status_of(argc, argv, computing);
  tell_script(argc, argv, status);
  return status;
}

}  // namespace runner
