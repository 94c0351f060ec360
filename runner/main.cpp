// The program. The one place that turns errors into an exit status.
#include <fcntl.h>

#include <csignal>
#include <cstdlib>
#include <exception>

#include "runner/commands.hpp"
#include "runner/exit_status.hpp"
#include "runner/last_words.hpp"
#include "storage/error.hpp"
#include "workers/row_scan.hpp"
#include "workers/scoring.hpp"
#include "workers/trainer_device.hpp"
#include "workers/trainer_process.hpp"
#include "workers/trainer_settings.hpp"
#include "workers/weights_check.hpp"

/// Daemons and schedulers may start a program with descriptors 0 to 2 closed; the next files opened would take their
/// place, and text meant for a terminal would land in them. A closed standard output stays one that cannot be written
/// to: a command whose only work is to print must not seem to have done it.
static void open_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    const int access = descriptor == 1 ? O_RDONLY : O_RDWR;
    if (fcntl(descriptor, F_GETFD) == -1 && open("/dev/null", access) != descriptor) std::abort();
  }
}

static int exit_status_of(int argc, char** argv) {
  try {
    return runner::run_command_line(argc, argv,
                                    {workers::run_trainer_process,
                                     workers::check_weights,
                                     {workers::set_up_computation, workers::scan_rows, workers::view_of_model},
                                     {workers::set_up_computation, workers::score_files},
                                     workers::why_gpus_idle});
  } catch (const storage::UsageError& error) {
    runner::say_last(error.what());
    return 2;
  } catch (const std::exception& error) {
    runner::say_last(error.what());
    return 1;
  }
}

int main(int argc, char** argv) {
  open_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write, which names the file
  const int status = exit_status_of(argc, argv);
  runner::tell_script(argc, argv, status);
  return status;
}
